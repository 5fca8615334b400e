import { request } from 'node:https';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any answer.
  readonly json: any;
}

export interface Call {
  readonly url: string;
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** PEM of a client certificate. */
  readonly cert?: string;
  readonly key?: string;
}

/** Sends one request on a new connection. The certificate of the server is not checked. */
export function call({ url, path, method = 'GET', token, headers = {}, body, cert, key }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const r = request(
      url + path,
      {
        method,
        rejectUnauthorized: false,
        agent: false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(cert === undefined ? {} : { cert, key }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          let json: unknown;
          try {
            json = JSON.parse(text);
          } catch {
            json = undefined;
          }
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, json });
        });
      },
    );
    r.on('error', reject);
    r.end(sent);
  });
}

/** Calls `check` until it returns something other than undefined. The limit is for hanging tests. */
export async function eventually<T>(check: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error('it never happened');
    await new Promise((r) => setTimeout(r, 50));
  }
}
