// The nonce windows of all signing keys. A key whose every nonce has left the time window is forgotten, so memory follows the
// keys of the last two days, not of all time.

import type { Recorder } from "../../accounts/table.ts";
import { createNonceWindow, type NonceMemory, type NonceRefusal, type NonceWindow } from "./nonce-window.ts";

export type Nonces = {
  /** Undefined when `signer` may use the nonce at this block time; changes nothing. */
  readonly refusal: (signer: string, nonce: bigint, blockMs: number) => NonceRefusal | undefined;
  readonly commit: (signer: string, nonce: bigint, blockMs: number) => void;
  /** In order of the keys. */
  readonly save: (blockMs: number) => readonly (readonly [string, NonceMemory])[];
  readonly load: (windows: readonly (readonly [string, NonceMemory])[]) => void;
};

/** Spent windows are looked for whenever the number of keys has doubled since the last time. */
const SWEEP_MIN = 1024;

export function createNonces(record: Recorder): Nonces {
  const windows = new Map<string, NonceWindow>();
  const unused = createNonceWindow();
  let sweepAt = SWEEP_MIN;

  function sweep(blockMs: number): void {
    for (const [signer, window] of windows) if (window.isSpent(blockMs)) windows.delete(signer);
    sweepAt = Math.max(SWEEP_MIN, 2 * windows.size);
  }

  return {
    refusal: (signer, nonce, blockMs) => (windows.get(signer) ?? unused).refusal(nonce, blockMs),
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
