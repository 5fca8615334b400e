import { expect, it } from 'vitest';
import type { Message } from '../../../raft/index.js';
import type { SmallFiles } from '../durability/index.js';
import { Promises } from './promises.js';

function memoryFiles(): SmallFiles & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (name) => texts.get(name),
    write: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
  };
}

const message = (kind: string, from: number, more: object = {}): Message =>
  ({ kind, from, to: 1, term: 1, ...more }) as unknown as Message;

const unexpected = (error: Error): void => {
  throw error;
};

it('remembers votes and acknowledgements across restarts, and nothing else', () => {
  const files = memoryFiles();
  const promises = new Promises(files, unexpected);
  promises.received(message('voteRequest', 2));
  promises.received(message('voteReply', 3, { granted: true, preVote: true }));
  promises.received(message('voteReply', 4, { granted: false, preVote: false }));
  expect([...files.texts]).toEqual([]);
  promises.received(message('voteReply', 5, { granted: true, preVote: false }));
  promises.received(message('appendAccepted', 6, { index: 1 }));
  const again = new Promises(files, unexpected);
  expect([2, 3, 4, 5, 6].map((id) => again.has(id))).toEqual([false, false, false, true, true]);
});

it('writes its file once for each member', () => {
  const files = memoryFiles();
  let writes = 0;
  const counting = { ...files, write: () => void writes++ };
  const promises = new Promises(counting, unexpected);
  for (let i = 0; i < 100; i++) promises.received(message('appendAccepted', 2 + (i % 2), { index: i }));
  expect(writes).toBe(2);
});

it('continues without its file', () => {
  const failures: string[] = [];
  const full = {
    ...memoryFiles(),
    write: () => {
      throw new Error('ENOSPC');
    },
  };
  const promises = new Promises(full, (error) => failures.push(error.message));
  promises.received(message('appendAccepted', 2, { index: 1 }));
  expect([promises.has(2), failures]).toEqual([true, ['ENOSPC']]);
});
