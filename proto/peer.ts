// Types for the peer contract: the input and output of gen/peer.ts (generated code without types).
import { trireme } from './gen/peer.js';

export interface WireHello {
  readonly clusterId: string;
  readonly from: number;
  readonly to: number;
  readonly version: string;
  readonly protocol: number;
  readonly refused: string;
  readonly incarnation: number;
  readonly urls: readonly string[];
}

export interface WireEntry {
  readonly term: number;
  readonly index: number;
  readonly kind: number;
  readonly data: Uint8Array;
}

export interface WireConfiguration {
  readonly voters: readonly number[];
  readonly votersOutgoing: readonly number[];
  readonly learners: readonly number[];
  readonly learnersNext: readonly number[];
}

export interface WireSnapshotMeta {
  readonly index: number;
  readonly term: number;
  readonly config: WireConfiguration | null;
}

/** Unused fields of a message kind are absent when written and zero when read. */
export interface WireRaftMessage {
  readonly kind: number;
  readonly from: number;
  readonly to: number;
  readonly term: number;
  readonly index: number;
  readonly logTerm: number;
  readonly commit: number;
  readonly entries: readonly WireEntry[];
  readonly hintIndex: number;
  readonly hintTerm: number;
  readonly round: number;
  readonly preVote: boolean;
  readonly transfer: boolean;
  readonly granted: boolean;
  readonly incarnation: number;
  readonly sequence: number;
  readonly refused: number;
  readonly snapshot: WireSnapshotMeta | null;
  readonly quiet: boolean;
}

export interface WireProposal {
  readonly id: number;
  readonly data: Uint8Array;
  readonly term: number;
}

export interface WireProposalAnswer {
  readonly id: number;
  readonly term: number;
  readonly refused: string;
  readonly message: string;
}

export interface WireStateHash {
  readonly revision: number;
  readonly hash: string;
  readonly history: string;
}

export interface WirePing {
  readonly sent: number;
}

export interface WireBundle {
  readonly hello: WireHello | null;
  readonly answers: readonly WireProposalAnswer[];
  readonly raft: readonly WireRaftMessage[];
  readonly proposals: readonly WireProposal[];
  readonly ping: WirePing | null;
  readonly pong: WirePing | null;
  readonly hash: WireStateHash | null;
}

export interface WireSnapshotBegin {
  readonly clusterId: string;
  readonly from: number;
  readonly to: number;
  readonly term: number;
}

export interface WireSnapshotPart {
  readonly begin: WireSnapshotBegin | null;
  readonly data: Uint8Array;
  readonly checksum: number;
  readonly end: { readonly bytes: number; readonly meta: WireSnapshotMeta | null } | null;
}

export interface WireSnapshotAck {
  readonly installed: boolean;
  readonly refused: string;
}

export interface WireMember {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly learner: boolean;
}

export interface WireMembers {
  readonly clusterId: string;
  readonly members: readonly WireMember[];
}

export interface WireControlCall {
  readonly name: string;
  readonly argument: string;
}

export interface WireControlReply {
  readonly result: string;
  readonly failed: string;
}

/**
 * Encoder and decoder of one message type. `encode` takes any subset of the fields. `decode` throws on invalid bytes;
 * byte fields are views into its argument.
 */
export interface WireCodec<T> {
  encode(value: Partial<T> | { readonly [K in keyof T]?: unknown }): Buffer;
  decode(bytes: Uint8Array): T;
}

interface Generated {
  encode(value: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

type TypeName =
  | 'Bundle'
  | 'SnapshotPart'
  | 'SnapshotAck'
  | 'MembersRequest'
  | 'MembersReply'
  | 'ControlCall'
  | 'ControlReply';

const types = (
  trireme as unknown as {
    readonly peer: Readonly<Record<TypeName, Generated>>;
  }
).peer;

function codec<T>(type: Generated): WireCodec<T> {
  return {
    // In Node.js protobufjs writes into Buffers.
    encode: (value) => type.encode(value).finish() as Buffer,
    decode: (bytes) => type.decode(bytes) as T,
  };
}

export const bundleCodec: WireCodec<WireBundle> = codec(types.Bundle);
export const snapshotPartCodec: WireCodec<WireSnapshotPart> = codec(types.SnapshotPart);
export const snapshotAckCodec: WireCodec<WireSnapshotAck> = codec(types.SnapshotAck);

export const membersRequestCodec: WireCodec<object> = codec(types.MembersRequest);
export const membersReplyCodec: WireCodec<WireMembers> = codec(types.MembersReply);

export const controlCallCodec: WireCodec<WireControlCall> = codec(types.ControlCall);
export const controlReplyCodec: WireCodec<WireControlReply> = codec(types.ControlReply);

/** Full names of the methods in gRPC. */
export const PEER_METHODS = {
  connect: '/trireme.peer.Peer/Connect',
  snapshot: '/trireme.peer.Peer/Snapshot',
  members: '/trireme.peer.Peer/Members',
  control: '/trireme.peer.Peer/Control',
} as const;
