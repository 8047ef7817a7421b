// What may be wrong in what an exchange says of an account, one way at a time, and what the operator is told of it.

import type { Lie } from "./lying-exchange.ts";

type Rows = readonly Record<string, unknown>[];

const resyncs = /"event":"resync\.began"/;
const unread = /"event":"read\.failed".*reading account failed/;
const missed = /"event":"reconcile\.mismatch".*recovered a missed fill/;
/** Both say so, and the money of the account does not. */
const disagrees = /"event":"resync\.disagreed".*about positions/;
const turned = (positions: unknown): Rows =>
  (positions as Rows).map((row) => ({ ...row, side: row.side === "Long" ? "Short" : "Long" }));
const silent = (told: object) => ({ ...told, events: [] });
/** Fills and orders of the account, and its rows of public trades. */
const frames = /"type":"(fill|order[A-Z])/;

export const lies: readonly Lie[] = [
  // The lists are read from their own paths then: there is nothing to tell.
  { name: "without positions", account: ({ positions: _, ...told }) => told, told: /"event":"quoting"/ },
  { name: "without orders", account: ({ openOrders: _, ...told }) => told, told: /"event":"quoting"/ },
  { name: "nothing at all", account: () => ({}), told: unread },
  { name: "another account's", account: (told) => ({ ...told, accountId: 13 }), told: unread },
  { name: "flat", account: (told) => ({ ...told, positions: [] }), told: resyncs },
  { name: "no orders", account: (told) => ({ ...told, openOrders: [] }), told: resyncs },
  {
    name: "some of the orders",
    account: ({ openOrders, ...told }) => ({ ...told, openOrders: (openOrders as Rows).slice(0, 1) }),
    told: resyncs,
  },
  {
    name: "a contract more",
    account: ({ positions, ...told }) => {
      const rows = (positions as Rows).map(({ size, ...row }) => ({ ...row, size: `${Number(size) + 1_000_000}` }));
      return { ...told, positions: rows };
    },
    told: resyncs,
  },
  { name: "as it was before", account: (_, first) => first, told: resyncs },
  {
    name: "no orders, in both lists",
    account: (told) => ({ ...told, openOrders: [] }),
    orders: () => [],
    told: resyncs,
  },
  { name: "flat, in both", account: (told) => ({ ...told, positions: [] }), positions: () => [], told: disagrees },
  {
    name: "of the other side, in both",
    account: ({ positions, ...told }) => ({ ...told, positions: turned(positions) }),
    positions: turned,
    told: disagrees,
  },
  // Frames name what was placed: there is nothing to tell.
  { name: "successes without events", answer: silent, told: /"event":"quoting"/ },
  { name: "no frames", swallows: frames, told: missed },
  // Lists name what was placed, and trades what was filled.
  { name: "successes without events, and no frames", answer: silent, swallows: frames, told: missed },
];
