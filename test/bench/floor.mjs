// Baseline servers of plain Node.js that respond from memory. Prints their ports, exits on SIGTERM.
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';

const pki = join(process.argv[2], 'pki');
const credentials = { cert: readFileSync(join(pki, 'apiserver.crt')), key: readFileSync(join(pki, 'apiserver.key')) };
const small = Buffer.alloc(1300, 0x61);
const piece = Buffer.alloc(256 * 1024, 0x61);
const PIECES = 176;

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const h1 = https.createServer(credentials, (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': small.length });
  res.end(small);
});
const h2 = http2.createSecureServer(credentials);
h2.on('stream', (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(small);
});
const list = https.createServer(credentials, (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': piece.length * PIECES });
  let left = PIECES;
  const go = () => {
    while (left > 0) {
      left--;
      if (left === 0) return res.end(piece);
      if (!res.write(piece)) return res.once('drain', go);
    }
  };
  go();
});
console.log(JSON.stringify({ h1: await listen(h1), h2: await listen(h2), list: await listen(list) }));
process.once('SIGTERM', () => process.exit(0));
