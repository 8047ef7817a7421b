// The nonce windows of all signing keys. A key is forgotten once all its nonces have left the time window, so memory depends on the keys of
// the last two days, not of all time.

import type { Recorder } from "../../accounts/table.ts";
import { createNonceWindow, type NonceMemory, type NonceRefusal, type NonceWindow } from "./nonce-window.ts";

export type Nonces = {
  /** Undefined if `signer` may use the nonce at this block time; changes nothing. */
  readonly refusal: (signer: string, nonce: bigint, blockMs: number) => NonceRefusal | undefined;
  /**
   * For a key that owns nothing here: false if it may not use another nonce, so that such keys cannot fill the memory. Each may use 100,
   * and no new one is accepted while 4,096 keys are remembered.
   */
  readonly takesUnknown: (signer: string, blockMs: number) => boolean;
  readonly commit: (signer: string, nonce: bigint, blockMs: number) => void;
  /** Ordered by key. */
  readonly save: (blockMs: number) => readonly (readonly [string, NonceMemory])[];
  readonly load: (windows: readonly (readonly [string, NonceMemory])[]) => void;
};

/** Spent windows are swept when the number of keys has doubled since the last sweep. */
const SWEEP_MIN = 1024;
const STRANGERS_MAX = 4096;
/** At the limit, an unknown signer triggers a sweep at most once per minute. */
const SWEEP_AGAIN_MS = 60_000;

export function createNonces(record: Recorder): Nonces {
  const windows = new Map<string, NonceWindow>();
  const unused = createNonceWindow();
  let sweepAt = SWEEP_MIN;
  let sweptMs = 0;

  function sweep(blockMs: number): void {
    for (const [signer, window] of windows) if (window.isSpent(blockMs)) windows.delete(signer);
    sweepAt = Math.max(SWEEP_MIN, 2 * windows.size);
    sweptMs = blockMs;
  }

  return {
    refusal: (signer, nonce, blockMs) => (windows.get(signer) ?? unused).refusal(nonce, blockMs),
    takesUnknown(signer, blockMs) {
      const window = windows.get(signer);
      if (window !== undefined) return !window.isFull();
      if (windows.size >= STRANGERS_MAX && blockMs - sweptMs >= SWEEP_AGAIN_MS) sweep(blockMs);
      return windows.size < STRANGERS_MAX;
    },
    commit(signer, nonce, blockMs) {
      let window = windows.get(signer);
      if (window === undefined) {
        if (windows.size >= sweepAt) sweep(blockMs);
        window = createNonceWindow();
        windows.set(signer, window);
      }
      window.commit(nonce, blockMs);
      record(`nonce ${signer} ${nonce}`);
    },
    save(blockMs) {
      sweep(blockMs);
      const saved = [...windows].map(([signer, window]) => [signer, window.memory(blockMs)] as const);
      return saved.sort(([a], [b]) => (a < b ? -1 : 1));
    },
    load(saved) {
      windows.clear();
      for (const [signer, memory] of saved) windows.set(signer, createNonceWindow(memory));
    },
  };
}
