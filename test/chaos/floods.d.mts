export interface Flood {
  readonly first?: Buffer;
  readonly repeat: (i: number) => Buffer;
  readonly times?: number;
}

export const FRAMES: Readonly<
  Record<
    'data' | 'headers' | 'priority' | 'reset' | 'settings' | 'ping' | 'window' | 'continuation',
    number
  >
>;
export const http2Floods: Readonly<Record<string, Flood>>;
export function frame(type: number, flags: number, stream: number, payload?: Buffer): Buffer;
export function requestHeaders(method: string, path: string, more?: readonly (readonly [string, string])[]): Buffer;
export function http2Flood(
  open: { readonly host: string; readonly port: number; readonly rejectUnauthorized: boolean },
  count: number,
  flood: Flood,
  stop: Promise<unknown>,
): Promise<{ readonly count: number; readonly closed: number }>;
