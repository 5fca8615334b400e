import type { Message } from '../../../raft/index.js';
import type { SmallFiles } from '../durability/index.js';

const NAME = 'promises';

/**
 * The members whose promises this peer has received: votes, and acknowledgements of entries. This peer has counted
 * them, so a disk that has lost them must not return under the same id. Each member records in the state that it takes
 * part, but in its first seconds that record may not be committed yet, although its promises already count. The ids are
 * in a small file, which is written before the first promise of each member counts.
 */
export class Promises {
  readonly #files: SmallFiles | undefined;
  readonly #ids: Set<number>;
  readonly #failed: (error: Error) => void;

  /** `failed`: the file could not be written; the ids are then known until this process ends. */
  constructor(files: SmallFiles | undefined, failed: (error: Error) => void) {
    this.#files = files;
    this.#failed = failed;
    this.#ids = new Set(parse(files?.read(NAME)));
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** Notes a message before the consensus core counts it. */
  received(message: Message): void {
    const { kind, from } = message;
    if (this.#ids.has(from)) return;
    if (kind !== 'appendAccepted' && !(kind === 'voteReply' && message.granted && !message.preVote)) return;
    this.#ids.add(from);
    try {
      this.#files?.write(NAME, JSON.stringify([...this.#ids]));
    } catch (error) {
      this.#failed(error as Error);
    }
  }
}

function parse(text: string | undefined): readonly number[] {
  try {
    const ids: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is number => Number.isSafeInteger(id)) : [];
  } catch {
    // The file is written atomically, so this is damage. The records in the state remain.
    return [];
  }
}
