// How much went over the bridge in the last 24 hours, a token and direction, against its limit (NS-28: neither the limits nor the
// length of the window is shown). Counted by the hour of chain time, so a window holds 24 to 25 hours.

import type { Table, Tables } from "./table.ts";

export type Direction = "deposit" | "withdrawal";

export type BridgeUsage = {
  /** What may still pass now. */
  readonly left: (direction: Direction, tokenId: number, timeMs: number) => bigint;
  readonly add: (direction: Direction, tokenId: number, amount: bigint, timeMs: number) => void;
  readonly used: (direction: Direction, tokenId: number, timeMs: number) => bigint;
};

const HOUR_MS = 3_600_000;
const WINDOW_HOURS = 24;
/** A hundred billion in, ten million out. */
export const BRIDGE_LIMITS: Readonly<Record<Direction, bigint>> = {
  deposit: 100_000_000_000_000_000n,
  withdrawal: 10_000_000_000_000n,
};

/** Amounts by hour since 1970, oldest first. */
type Hours = readonly (readonly [number, bigint])[];

export function createBridgeUsage(tables: Tables): BridgeUsage {
  const hours: Table<Hours> = tables.open("bridgeUsage");
  const keyOf = (direction: Direction, tokenId: number) => `${direction} ${tokenId}`;

  function recent(key: string, timeMs: number): Hours {
    const first = Math.floor(timeMs / HOUR_MS) - WINDOW_HOURS;
    return (hours.get(key) ?? []).filter(([hour]) => hour >= first);
  }

  function used(direction: Direction, tokenId: number, timeMs: number): bigint {
    return recent(keyOf(direction, tokenId), timeMs).reduce((sum, [, amount]) => sum + amount, 0n);
  }

  return {
    left: (direction, tokenId, timeMs) => BRIDGE_LIMITS[direction] - used(direction, tokenId, timeMs),
    add(direction, tokenId, amount, timeMs) {
      const key = keyOf(direction, tokenId);
      const hour = Math.floor(timeMs / HOUR_MS);
      const before = recent(key, timeMs).filter(([each]) => each < hour);
      const now = recent(key, timeMs).find(([each]) => each === hour)?.[1] ?? 0n;
      hours.set(key, [...before, [hour, now + amount]]);
    },
    used,
  };
}
