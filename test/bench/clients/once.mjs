// Sends one large request.
import { requestOf } from '../rows/blocking.mjs';
import { asker1, connect1, finish, o } from './common.mjs';

const request = requestOf(o.row);
const ask = asker1(await connect1());
const began = performance.now();
const code = await ask(request);
finish({ code, milliseconds: performance.now() - began });
