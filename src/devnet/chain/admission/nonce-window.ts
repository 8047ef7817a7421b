// The used nonces of one signing key (S5), exactly and in bounded memory: a nonce below the smallest of the last 100 or outside the time
// window is refused anyway, so only later ones are kept.

import type { RejectionCode } from "./answer.ts";

const DAY_MS = 86_400_000;
const BEHIND_MS = 2 * DAY_MS;
const AHEAD_MS = DAY_MS;
const RECENT_COUNT = 100;
/** Nonces are stored in chunks of 1024 bits: at worst (three days of milliseconds, all used) 32 MB per key. */
const CHUNK = 1024;
const WORDS = CHUNK / 32;
/** Chunks are swept when there are twice as many as after the last sweep: constant work per nonce. */
const SWEEP_MIN = 64;

export type NonceRefusal = { readonly code: RejectionCode; readonly error: string };

/** Content of a window, for a snapshot: the last 100 nonces in order of use, and every used nonce that is still inside the window. */
export type NonceMemory = { readonly recent: readonly number[]; readonly used: readonly number[] };

export type NonceWindow = {
  /** Undefined if the nonce may be used at block time `blockMs`; changes nothing. Accepts any u64. */
  readonly refusal: (nonce: bigint, blockMs: number) => NonceRefusal | undefined;
  /** Marks the nonce as used. Only after `refusal` accepted it at the same block time. */
  readonly commit: (nonce: bigint, blockMs: number) => void;
  /** True once 100 nonces were used, so the rule about the last 100 applies. */
  readonly isFull: () => boolean;
  /** True if no used nonce matters at `blockMs`: the window can be deleted. */
  readonly isSpent: (blockMs: number) => boolean;
  readonly memory: (blockMs: number) => NonceMemory;
};

export function createNonceWindow(kept: NonceMemory = { recent: [], used: [] }): NonceWindow {
  // A ring buffer: once it is full, `recent[next]` is the oldest.
  const recent = [...kept.recent];
  let next = 0;
  let floor = recent.length === RECENT_COUNT ? Math.min(...recent) : 0;
  let newest = Math.max(0, ...recent, ...kept.used);
  const chunks = new Map<number, Uint32Array>();
  let sweepAt = SWEEP_MIN;
  for (const nonce of kept.used) mark(nonce);

  function mark(nonce: number): void {
    const index = Math.floor(nonce / CHUNK);
    let chunk = chunks.get(index);
    if (chunk === undefined) {
      chunk = new Uint32Array(WORDS);
      chunks.set(index, chunk);
    }
    const bit = nonce % CHUNK;
    chunk[bit >>> 5] = wordOf(chunk, bit) | (1 << (bit & 31));
  }

  function isUsed(nonce: number): boolean {
    const chunk = chunks.get(Math.floor(nonce / CHUNK));
    if (chunk === undefined) return false;
    const bit = nonce % CHUNK;
    return (wordOf(chunk, bit) & (1 << (bit & 31))) !== 0;
  }

  function remember(nonce: number): void {
    if (recent.length < RECENT_COUNT) {
      recent.push(nonce);
      if (recent.length === RECENT_COUNT) floor = Math.min(...recent);
      return;
    }
    const forgotten = recent[next];
    recent[next] = nonce;
    next = (next + 1) % RECENT_COUNT;
    if (forgotten === floor) floor = Math.min(...recent);
  }

  function sweep(blockMs: number): void {
    const lowest = Math.floor(Math.max(floor, blockMs - BEHIND_MS) / CHUNK);
    for (const index of chunks.keys()) if (index < lowest) chunks.delete(index);
    sweepAt = Math.max(SWEEP_MIN, 2 * chunks.size);
  }

  return {
    refusal(nonce, blockMs) {
      if (nonce <= BigInt(blockMs - BEHIND_MS) || nonce >= BigInt(blockMs + AHEAD_MS)) {
        const error = `nonce ${nonce} is outside the window (T - 2 days, T + 1 day) of block time ${blockMs}`;
        return { code: "NONCE_WINDOW", error };
      }
      // Inside the time window a nonce is close to the block time, so a number holds it exactly.
      const near = Number(nonce);
      if (isUsed(near)) return { code: "NONCE_REUSED", error: `nonce ${nonce} was used before` };
      if (recent.length === RECENT_COUNT && near <= floor) {
        return {
          code: "NONCE_STALE",
          error: `nonce ${nonce} is not greater than ${floor}, the smallest of the last 100`,
        };
      }
      return undefined;
    },
    commit(nonce, blockMs) {
      const near = Number(nonce);
      mark(near);
      remember(near);
      newest = Math.max(newest, near);
      if (chunks.size > sweepAt) sweep(blockMs);
    },
    isFull: () => recent.length === RECENT_COUNT,
    isSpent: (blockMs) => newest <= blockMs - BEHIND_MS,
    memory(blockMs) {
      const lowest = Math.max(recent.length === RECENT_COUNT ? floor - 1 : 0, blockMs - BEHIND_MS);
      return { recent: [...recent.slice(next), ...recent.slice(0, next)], used: usedAbove(chunks, lowest) };
    },
  };
}

const wordOf = (chunk: Uint32Array, bit: number): number => chunk[bit >>> 5] ?? 0;

function usedAbove(chunks: ReadonlyMap<number, Uint32Array>, lowest: number): readonly number[] {
  const used: number[] = [];
  for (const [index, chunk] of chunks) {
    for (let bit = 0; bit < CHUNK; bit += 1) {
      const nonce = index * CHUNK + bit;
      if (nonce > lowest && (wordOf(chunk, bit) & (1 << (bit & 31))) !== 0) used.push(nonce);
    }
  }
  return used.sort((a, b) => a - b);
}
