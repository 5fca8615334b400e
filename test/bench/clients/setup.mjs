// Sends requests one after the other and prints the responses. A request that is not accepted is repeated for a few seconds: what
// controllers make for a new namespace takes a moment.
import { asker1, connect1, finish, o, sleep } from './common.mjs';

let answer = [];
const ask = asker1(await connect1(), (piece) => answer.push(piece));
const answers = [];
for (const { path, body } of o.requests) {
  const request = { method: body === undefined ? 'GET' : 'POST', path, type: 'application/json', body: body && JSON.stringify(body) };
  let code = 0;
  for (let i = 0; i < 100 && (code < 200 || code > 299) && code !== 409; i++) {
    if (i > 0) await sleep(50);
    answer = [];
    code = await ask(request);
  }
  const text = Buffer.concat(answer).toString();
  if (code > 299 && code !== 409) throw new Error(`${path} answered ${code}: ${text}`);
  answers.push(JSON.parse(text));
}
finish({ answers });
