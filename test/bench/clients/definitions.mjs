// Installs definitions and reports how long it took until each was served: from the watch event that says Established, and from the
// response of the create. `from`, `to`: numbers of the definitions; `bytes`: the size of each.
import { collectionOf, definition, nameOf } from '../definition.mjs';
import { asker1, connect1, finish, o, quantiles, sleep } from './common.mjs';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const established = new Map();
const waiting = new Map();

const watch = await connect1();
let text = '';
void asker1(watch, (piece) => {
  text += piece.toString('latin1');
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    if (!line.includes('"type":"Established","status":"True"') && !/"status":"True","type":"Established"|"Established"[^}]*"status":"True"|"status":"True"[^}]*"Established"/.test(line)) continue;
    const name = /"metadata":\{"name":"([^"]+)"/.exec(line)?.[1] ?? /"name":"(things[^"]+)"/.exec(line)?.[1];
    if (!established.has(name)) established.set(name, performance.now());
    waiting.get(name)?.();
  }
})({ method: 'GET', path: `${PATH}?watch=true&resourceVersion=0` }).catch(() => {});

const until = (name) => (established.has(name) ? Promise.resolve() : new Promise((resolve) => waiting.set(name, resolve)));
const creates = [];
const serves = [];
let failures = 0;
let next = o.from;
const began = performance.now();
await Promise.all(
  Array.from({ length: o.connections ?? 2 }, async () => {
    const ask = asker1(await connect1());
    while (next < o.to) {
      const i = next++;
      const body = JSON.stringify(definition(i, o.bytes));
      const sent = performance.now();
      if ((await ask({ method: 'POST', path: PATH, type: 'application/json', body })) !== 201) failures++;
      creates.push(performance.now() - sent);
      await until(nameOf(i));
      const told = established.get(nameOf(i));
      for (let tries = 0; (await ask({ method: 'GET', path: collectionOf(i) })) !== 200; tries++) {
        if (tries > 2000) throw new Error(`${nameOf(i)} is not served`);
        await sleep(1);
      }
      serves.push(performance.now() - told);
    }
  }),
);
const seconds = (performance.now() - began) / 1000;
finish({ operations: creates.length, failures, seconds, create: quantiles(creates), serve: quantiles(serves) });
