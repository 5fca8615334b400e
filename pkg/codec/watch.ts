/** `ERROR` has a Status, `BOOKMARK` an object with only its resourceVersion. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/**
 * The framing of watch events. An object is encoded once; the frame of an event is `head(type, n)`, the `n` bytes of the object, and
 * `tail`.
 */
export interface WatchFraming {
  /** It may be shared; callers must not write to it. */
  head(type: WatchEventType, objectBytes: number): Buffer;
  readonly tail: Buffer;
}

/** Returns the complete watch frame of one event. */
export function watchFrame(framing: WatchFraming, type: WatchEventType, object: Buffer): Buffer {
  return Buffer.concat([framing.head(type, object.length), object, framing.tail]);
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const satisfies readonly WatchEventType[];

function perType(head: (type: WatchEventType) => Buffer): Readonly<Record<WatchEventType, Buffer>> {
  return Object.fromEntries(TYPES.map((type) => [type, head(type)])) as Record<WatchEventType, Buffer>;
}

function constantHeads(heads: Readonly<Record<WatchEventType, Buffer>>, tail: Buffer): WatchFraming {
  return { head: (type) => heads[type], tail };
}

/** JSON documents, one on each line. The object is canonical JSON. */
export const jsonWatchFraming: WatchFraming = constantHeads(
  perType((type) => Buffer.from(`{"type":"${type}","object":`)),
  Buffer.from('}\n'),
);

/**
 * `application/cbor-seq` (RFC 8742): each event is one item with the self-describing tag and two keys, which are byte
 * strings. The object is a CBOR body, including its own tag.
 */
export const cborWatchFraming: WatchFraming = constantHeads(
  perType((type) =>
    Buffer.concat([
      Buffer.from([0xd9, 0xd9, 0xf7, 0xa2, 0x44]),
      Buffer.from('type'),
      Buffer.from([0x40 + type.length]),
      Buffer.from(type),
      Buffer.from([0x46]),
      Buffer.from('object'),
    ]),
  ),
  Buffer.alloc(0),
);

const typeFields = perType((type) => Buffer.concat([Buffer.from([0x0a, type.length]), Buffer.from(type)]));
const LENGTH_BYTES = 4;

/**
 * `application/vnd.kubernetes.protobuf;stream=watch`: four bytes of length, big-endian, then a bare WatchEvent message
 * with type = 1 and object = 2. The object is a RawExtension, whose raw = 1 is a complete protobuf body with prefix and
 * envelope.
 */
export const protobufWatchFraming: WatchFraming = {
  head(type, objectBytes) {
    const typeField = typeFields[type];
    const extension = 1 + varintBytes(objectBytes) + objectBytes;
    const message = typeField.length + 1 + varintBytes(extension) + extension;
    const head = Buffer.allocUnsafe(LENGTH_BYTES + message - objectBytes);
    let next = head.writeUInt32BE(message, 0);
    next += typeField.copy(head, next);
    head[next++] = 0x12;
    next = writeVarint(extension, head, next);
    head[next++] = 0x0a;
    writeVarint(objectBytes, head, next);
    return head;
  },
  tail: Buffer.alloc(0),
};

/**
 * Watch framing over WebSocket: each event is one message in one unmasked WebSocket frame (RFC 6455, 5.2), so all
 * connections can share the joined bytes of many events. Messages are text if events are text.
 */
export const websocketFramings: Readonly<Record<'json' | 'protobuf' | 'cbor', WatchFraming>> = {
  json: inMessages(0x1, jsonWatchFraming, 0),
  // A WebSocket frame carries the length, so the length prefix of the event is omitted.
  protobuf: inMessages(0x2, protobufWatchFraming, LENGTH_BYTES),
  cbor: inMessages(0x2, cborWatchFraming, 0),
};

/** `skip`: number of bytes of the event's own head to omit. */
function inMessages(opcode: number, { head, tail }: WatchFraming, skip: number): WatchFraming {
  return {
    head(type, objectBytes) {
      const own = head(type, objectBytes);
      const message = own.length - skip + objectBytes + tail.length;
      const lengthBytes = message < 126 ? 0 : message < 0x1_0000 ? 2 : 8;
      const framed = Buffer.allocUnsafe(2 + lengthBytes + own.length - skip);
      framed[0] = 0x80 | opcode;
      framed[1] = lengthBytes === 0 ? message : lengthBytes === 2 ? 126 : 127;
      if (lengthBytes === 2) framed.writeUInt16BE(message, 2);
      if (lengthBytes === 8) framed.writeBigUInt64BE(BigInt(message), 2);
      own.copy(framed, 2 + lengthBytes, skip);
      return framed;
    },
    tail,
  };
}

function varintBytes(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size++;
  return size;
}

function writeVarint(value: number, target: Buffer, at: number): number {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 0x80;
  target[at++] = rest;
  return at;
}
