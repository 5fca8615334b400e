// Types for the contract of network proxies: the input and output of gen/tunnel.ts (generated code without types).
import { trireme } from './gen/tunnel.js';
import type { WireCodec } from './peer.js';

/** A 64-bit id that is sent back as it was received: a number, or a pair of 32-bit halves. Its text identifies it. */
export type WireTunnelId = number | { readonly low: number; readonly high: number; readonly unsigned: boolean };

export const TUNNEL_PACKETS = {
  dialRequest: 0,
  dialResponse: 1,
  closeRequest: 2,
  closeResponse: 3,
  data: 4,
  closeDial: 5,
} as const;

/** One packet. It has the payload that its type names; the others are null. */
export interface WireTunnelPacket {
  readonly type: number;
  readonly dialRequest?: { readonly protocol: string; readonly address: string; readonly random: WireTunnelId } | null;
  readonly dialResponse?: {
    readonly error?: string;
    readonly connectId: WireTunnelId;
    readonly random: WireTunnelId;
  } | null;
  readonly closeRequest?: { readonly connectId: WireTunnelId } | null;
  readonly closeResponse?: { readonly error?: string; readonly connectId: WireTunnelId } | null;
  readonly closeDial?: { readonly random: WireTunnelId } | null;
  readonly data?: { readonly connectId: WireTunnelId; readonly data: Uint8Array } | null;
}

interface Generated {
  encode(value: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

const { Packet } = (trireme as unknown as { readonly tunnel: { readonly Packet: Generated } }).tunnel;

export const tunnelPacketCodec: WireCodec<WireTunnelPacket> = {
  encode: (packet) => Packet.encode(packet).finish() as Buffer,
  decode: (bytes) => Packet.decode(bytes) as WireTunnelPacket,
};

/** The method of a network proxy in gRPC: packets in both directions. */
export const TUNNEL_METHOD = '/ProxyService/Proxy';
