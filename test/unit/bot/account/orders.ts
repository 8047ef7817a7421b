// What the tests of an account's orders do again and again: send, answer, frame and read, and look at what is tracked.

import { expect } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { type MarketId, nonce, orderId, type Price, price, type Size, size } from "../../../../src/domain/units.ts";
import {
  account,
  CONTRACT,
  canceledEvent,
  type execution,
  ME,
  placedEvent,
  publicTrade,
  type Scene,
  USD,
} from "../scene.ts";

/** The one order that may rest. */
export const only = (scene: Scene) => {
  const orders = scene.orders();
  expect(orders.length).toBe(1);
  return orders[0]!;
};
/** The one that no longer rests and whose last fills are not known. */
export const onlyPending = (scene: Scene) => {
  expect(scene.orders()).toEqual([]);
  const orders = [...scene.state.accounts.get(ME)!.orders.fillsPending(1)];
  expect(orders.length).toBe(1);
  return orders[0]!;
};
export const overs = (scene: Scene) =>
  scene.effects.flatMap((effect) => (effect.kind === "orderOver" ? [effect.why] : []));
export const mismatches = (scene: Scene) =>
  scene.effects.flatMap((effect) => (effect.kind === "mismatch" ? [effect.what] : []));
/** Contracts: what is held, and what it may be at worst. */
export const rangeOf = (scene: Scene) => {
  const { position } = scene.view();
  if (position.state === "absent") return null;
  const { low, inventory, high } = position.value;
  return [low, inventory, high].map((contracts) => Number(contracts) / Number(CONTRACT));
};

/** A read, asked a moment ago, so long after the last one. */
export const read = (scene: Scene, of: Partial<Account> = {}, afterMs = 300) => {
  scene.advance(afterMs);
  return scene.tell({ kind: "accountRead", account: account(of) });
};
/** So late that no read of it can be of before now. */
export const afterLag = (scene: Scene) => scene.advance(scene.state.readLagMaxMs + 2);
export const readTrades = (scene: Scene, ...executions: ReturnType<typeof execution>[]) =>
  scene.tell({ kind: "tradesRead", marketId: 1, trades: executions.map(publicTrade) });

export const cancel = (scene: Scene, id: bigint) => {
  const command = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(id) } as const;
  scene.tell({ kind: "sent", nonce: nonce(900n), command });
  return command;
};
export const cancelAll = (scene: Scene, nonceOf: bigint, marketId: MarketId | null = null) => {
  const command = { kind: "cancelAll", accountId: ME, marketId, fences: null } as const;
  scene.tell({ kind: "sent", nonce: nonce(nonceOf), command });
  return command;
};
export const modify = (
  scene: Scene,
  nonceOf: bigint,
  id: bigint,
  to: { usd?: bigint; contracts?: bigint; level?: number },
) => {
  const command = {
    kind: "modify",
    accountId: ME,
    marketId: 1,
    orderId: orderId(id),
    side: "buy",
    reduceOnly: false,
    newPrice: to.usd === undefined ? null : price(to.usd * USD),
    newSize: to.contracts === undefined ? null : size(to.contracts * CONTRACT),
    level: to.level ?? 0,
  } as const;
  scene.tell({ kind: "sent", nonce: nonce(nonceOf), command });
  return command;
};

/** The event in the answer to a modify of order 7: its price, its whole size, and what is left of it. */
export const modifiedEvent = (usd: bigint, contracts: bigint, remaining = contracts) =>
  ({
    type: "orderModified",
    orderId: orderId(7n),
    accountId: ME,
    marketId: 1,
    price: price(usd * USD),
    size: size(contracts * CONTRACT),
    remainingSize: size(remaining * CONTRACT),
  }) as const;
/** Somebody's modify of a buy order at 199 USD as the stream tells of it. */
export const modifiedFrame = (id: bigint, of: { readonly price?: Price; readonly size?: Size }) =>
  ({
    kind: "orderModified",
    accountId: ME,
    marketId: 1,
    orderId: orderId(id),
    side: "buy",
    price: price(199n * USD),
    size: size(CONTRACT),
    ...of,
  }) as const;
export const frame = (scene: Scene, id: bigint, what: "orderPlaced" | "orderCanceled") => {
  if (what === "orderPlaced") {
    const { type: _type, ...placed } = placedEvent(id);
    return scene.tell({ kind: "orderPlaced", ...placed });
  }
  const { type: _type, ...canceled } = canceledEvent(id);
  return scene.tell({ kind: "orderCanceled", ...canceled });
};
