// Sends requests one after the other and reports the time, the status and the size of each.
import { asker1, connect1, finish, o } from './common.mjs';

let bytes = 0;
const ask = asker1(await connect1(), (piece) => {
  bytes += piece.length;
});
const out = [];
for (const r of o.requests) {
  bytes = 0;
  const began = performance.now();
  const code = await ask(r);
  out.push({ code, milliseconds: performance.now() - began, bytes });
}
finish(out);
