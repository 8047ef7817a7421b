// One random act of an audited sequence, by an account's owner or the operator. Each is drawn from its own seed and the current books, so a
// sequence without some of its acts is still valid.

import { accountId, orderId, price, size, usdc } from "../../../src/domain/units.ts";
import type { Prng } from "../../../src/kernel/prng.ts";
import type { Signer } from "../../../src/wire/signing.ts";
import { type PlaceOrder, plainTerms } from "../../../src/wire/transaction/trading.ts";
import type { Transaction } from "../../../src/wire/transaction.ts";
import { absolute, type Books, heldIn, marketOf, type OpenOrder, type Terms } from "./books.ts";
import { holders, marketsOfScene, prober } from "./scene.ts";

export type Act =
  | {
      readonly kind: "transaction";
      readonly transaction: Transaction;
      readonly signer: Signer;
      readonly account: number;
      readonly terms?: Terms;
      readonly isForeign: boolean;
    }
  | { readonly kind: "control"; readonly method: "POST" | "PATCH"; readonly path: string; readonly body: object }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "look" };

export type Draw = {
  readonly prng: Prng;
  readonly books: Books;
  readonly nowMs: number;
  /** Withdrawals that were asked for and not ended, with their masters. */
  readonly withdrawals: ReadonlyMap<string, number>;
  /** From 0 to 1, how far the sequence has come. */
  readonly progress: number;
};

type Holder = (typeof holders)[number];
type Market = (typeof marketsOfScene)[number];

/** Weights of the kinds of acts. */
const kinds: readonly (readonly [number, (draw: Draw) => Act])[] = [
  [62, place],
  [7, cancel],
  [8, modify],
  [1.5, cancelAll],
  [3, adjust],
  [3, transfer],
  [1.5, deposit],
  [2, withdraw],
  [6, print],
  [2.5, time],
  [1, changeStatus],
  [2.5, () => ({ kind: "look" })],
];
const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

export function drawAct(draw: Draw): Act {
  // A pause is soon over: where all is refused little is learned.
  const isQuiet = [...draw.books.markets.values()].some(({ status }) => status === "Paused" || status === "Settling");
  if (isQuiet && draw.prng.chance(0.08)) return changeStatus(draw);
  let at = draw.prng.float() * total;
  for (const [weight, act] of kinds) {
    at -= weight;
    if (at < 0) return act(draw);
  }
  return { kind: "look" };
}

const act = (holder: Holder, transaction: Transaction, terms?: Terms, signer: Signer = holder.owner): Act => ({
  kind: "transaction",
  transaction,
  signer,
  isForeign: signer !== holder.owner,
  account: holder.id,
  ...(terms && { terms }),
});

const near = ({ prng, books }: Draw, { id, tick }: Market, spread: number): bigint => {
  const at = Number(marketOf(books, id).oracle) * (1 + prng.gaussian() * spread);
  return (BigInt(Math.max(1, Math.round(at))) / tick) * tick || tick;
};

/** Contracts worth a share of what the account could carry. */
function sizeFor({ prng, books }: Draw, holder: Holder, { id, imr }: Market): bigint {
  const most = (Number(holder.usdc) * 10_000 * 100) / imr / (Number(marketOf(books, id).oracle) / 1_000_000);
  return BigInt(Math.max(1, Math.round(most * prng.float() ** 2 * (prng.chance(0.05) ? 2 : 0.8))));
}

function place(draw: Draw): Act {
  const { prng, books } = draw;
  const holder = prng.pick(holders);
  const market = prng.pick(marketsOfScene);
  const account = books.accounts.get(holder.id);
  const held = account && heldIn(account, market.id);
  const holds = held !== undefined && held.units !== 0n;
  const reduceOnly = prng.chance(holds ? 0.25 : 0.03);
  const closes = holds && (reduceOnly || prng.chance(0.2));
  const buys = closes ? held.units < 0n : prng.chance(0.5);
  const orderType = prng.pick([
    "Limit",
    "Limit",
    "Limit",
    "Limit",
    "Limit",
    "Market",
    "Market",
    "StopMarket",
    "StopLimit",
  ] as const);
  const isLimit = orderType === "Limit" || orderType === "StopLimit";
  const waits = orderType === "StopLimit" || orderType === "StopMarket";
  const timeInForce = isLimit
    ? prng.pick(["GTC", "GTC", "GTC", "GTC", "GTC", "GTC", "GTC", "IOC", "IOC", "FOK"] as const)
    : prng.pick(["IOC", "IOC", "GTC", "GTC", "FOK"] as const);
  const exits = !reduceOnly && prng.chance(0.15);
  const above = near(draw, market, 0.02);
  const below = near(draw, market, 0.02);
  const profit = buys === above > below ? above : below;
  const loss = profit === above ? below : above;
  const hasProfit = exits && prng.chance(0.7);
  const hasLoss = exits && (!hasProfit || prng.chance(0.6));
  // A usual mode for most orders of an account in a market, so that modes seldom conflict.
  const usual = (holder.id + market.id) % 3 === 0 ? "Isolated" : "Cross";
  const mode = prng.chance(0.12) ? prng.pick(["Isolated", "Cross"] as const) : usual;
  const marginMode = mode === "Cross" || prng.chance(0.1) ? null : mode;
  const leverage = prng.chance(0.5) ? null : 1 + prng.below(Math.floor(10_000 / market.imr));
  const order: PlaceOrder = {
    type: "PlaceOrder",
    ...plainTerms,
    accountId: accountId(BigInt(holder.id)),
    marketId: market.id,
    side: buys ? "buy" : "sell",
    orderType,
    price: price(isLimit ? near(draw, market, prng.chance(0.1) ? 0.08 : 0.006) : 0n),
    size: size(closes && prng.chance(0.6) ? part(prng, absolute(held.units)) : sizeFor(draw, holder, market)),
    triggerPrice: waits ? price(near(draw, market, 0.02)) : null,
    reduceOnly,
    postOnly: isLimit && timeInForce === "GTC" && prng.chance(0.2),
    timeInForce,
    takeProfit: hasProfit ? { triggerPrice: price(profit) } : null,
    stopLoss: hasLoss ? { triggerPrice: price(loss) } : null,
    maxSlippageBps: !isLimit && prng.chance(0.3) ? prng.pick([0, 20, 100, 900]) : null,
    marginMode,
    leverage,
  };
  return act(holder, order, {
    reduceOnly,
    leverage: leverage ?? 0,
    marginMode,
    waits,
  });
}

/** The prober takes so much at any price inside the band. */
export const marketOrderOf = (
  marketId: number,
  buys: boolean,
  units: bigint,
): Extract<Act, { kind: "transaction" }> => ({
  kind: "transaction",
  signer: prober.owner,
  account: prober.id,
  isForeign: false,
  terms: { reduceOnly: false, leverage: 0, marginMode: null, waits: false },
  transaction: {
    type: "PlaceOrder",
    ...plainTerms,
    accountId: accountId(BigInt(prober.id)),
    marketId,
    side: buys ? "buy" : "sell",
    orderType: "Market",
    price: price(0n),
    size: size(units),
    reduceOnly: false,
    postOnly: false,
    timeInForce: "IOC",
  },
});

/** A third, a half, the whole or twice as much. */
function part(prng: Prng, whole: bigint): bigint {
  const share = prng.pick([3n, 2n, 1n]);
  return prng.chance(0.1) ? whole * 2n : whole / share || 1n;
}

/** One of the open orders, its holder with it; none where there are none. */
function someOrder({ prng, books }: Draw): { readonly order: OpenOrder; readonly holder: Holder } | null {
  const orders = [...books.orders.values()];
  if (orders.length === 0) return null;
  const order = prng.pick(orders);
  const holder = holders.find(({ id }) => id === order.account);
  return holder === undefined ? null : { order, holder };
}

function cancel(draw: Draw): Act {
  const some = someOrder(draw);
  if (some === null) return place(draw);
  const signer = draw.prng.chance(0.05) ? draw.prng.pick(holders).owner : some.holder.owner;
  return act(some.holder, { type: "CancelOrder", orderId: orderId(BigInt(some.order.id)) }, undefined, signer);
}

function modify(draw: Draw): Act {
  const some = someOrder(draw);
  if (some === null) return place(draw);
  const { prng } = draw;
  const { order, holder } = some;
  const market = marketsOfScene.find(({ id }) => id === order.market) ?? marketsOfScene[0];
  const isPriced = order.price > 0n && prng.chance(0.6);
  const resized = (order.size * BigInt(1 + prng.below(30))) / 15n || 1n;
  return act(holder, {
    type: "ModifyOrder",
    orderId: orderId(BigInt(order.id)),
    newPrice: isPriced ? price(near(draw, market, 0.006)) : null,
    newSize: isPriced && prng.chance(0.5) ? null : size(resized),
  });
}

function cancelAll({ prng }: Draw): Act {
  const holder = prng.pick(holders.filter(({ master }) => master === null));
  return act(holder, { type: "CancelAllOrders", marketId: prng.pick([1, 2, null]) });
}

function adjust(draw: Draw): Act {
  const { prng, books } = draw;
  const isolated = holders.flatMap((holder) =>
    marketsOfScene
      .filter((market) => {
        const held = books.accounts.get(holder.id)?.held.get(market.id);
        return held?.isIsolated && held.units !== 0n;
      })
      .map((market) => ({ holder, market })),
  );
  if (isolated.length === 0) return place(draw);
  const { holder, market } = prng.pick(isolated);
  const most = Number(books.accounts.get(holder.id)?.held.get(market.id)?.bucket ?? 0n);
  return act(holder, {
    type: "AdjustIsolatedMargin",
    accountId: accountId(BigInt(holder.id)),
    marketId: market.id,
    delta: usdc(BigInt(Math.round(most * (prng.float() * 2 - 1)))),
  });
}

/** Mostly less than there is. */
const amountOf = ({ prng, books }: Draw, holder: Holder): bigint =>
  BigInt(Math.max(1, Math.round(Number(books.accounts.get(holder.id)?.cross ?? 0n) * prng.float() * 1.1)));

function transfer(draw: Draw): Act {
  const from = draw.prng.pick(holders);
  const to = draw.prng.pick(holders);
  return act(from, {
    type: "Transfer",
    fromAccountId: accountId(BigInt(from.id)),
    toAccountId: accountId(BigInt(to.id)),
    tokenId: 0,
    amount: amountOf(draw, from),
  });
}

function deposit({ prng }: Draw): Act {
  const { id } = prng.pick(holders);
  return {
    kind: "control",
    method: "POST",
    path: `/accounts/${id}/deposit`,
    body: { usdc: String(1 + prng.below(3000)) },
  };
}

function withdraw(draw: Draw): Act {
  const { prng, withdrawals } = draw;
  const holder = prng.pick(holders);
  const id = accountId(BigInt(holder.id));
  const pending = [...withdrawals].filter(([, master]) => master === holder.id);
  if (pending.length > 0 && prng.chance(0.5)) {
    const [withdrawalId] = prng.pick(pending);
    return act(holder, { type: "CancelWithdrawal", accountId: id, withdrawalId: BigInt(withdrawalId) });
  }
  return act(holder, {
    type: "RequestWithdrawal",
    accountId: id,
    tokenId: 0,
    amount: amountOf(draw, holder) / 2n || 1n,
    destination: "elsewhere",
  });
}

/** Mostly what a real index does in days, one in four a gap beyond margins. */
function print(draw: Draw): Act {
  const { prng, books } = draw;
  const { id } = prng.pick(marketsOfScene);
  const gap = prng.chance(1 / 4) ? (prng.chance(0.5) ? 1 : -1) * (0.03 + prng.float() * 0.06) : prng.gaussian() * 0.007;
  const at = Math.max(1_000_000, Math.round(Number(marketOf(books, id).oracle) * (1 + gap)));
  return { kind: "control", method: "PATCH", path: `/oracle/${id}`, body: { price: usdText(at) } };
}

const usdText = (raw: number): string => `${Math.floor(raw / 1e8)}.${String(raw % 1e8).padStart(8, "0")}`;

/** To the next hour, or some seconds on. */
function time({ prng, nowMs }: Draw): Act {
  const hour = 3_600_000;
  return { kind: "time", ms: prng.chance(0.6) ? hour - (nowMs % hour) : prng.below(40_000) };
}

/** Pauses end soon; a settled market stays so, and markets settle late in a sequence, if at all. */
function changeStatus({ prng, books, progress }: Draw): Act {
  const stopped = marketsOfScene.filter(
    ({ id }) => marketOf(books, id).status !== "Active" && marketOf(books, id).status !== "Settled",
  );
  const { id } = prng.pick(stopped.length > 0 ? stopped : marketsOfScene);
  const { status } = marketOf(books, id);
  if (prng.chance(0.2)) {
    return {
      kind: "control",
      method: "PATCH",
      path: `/oracle/${id}`,
      body: { status: prng.pick(["Active", "Active", "Active", "Halted", "Stale"]) },
    };
  }
  const next =
    status !== "Active"
      ? "Active"
      : prng.pick(["Paused", progress > 0.6 ? "Settled" : "Paused", progress > 0.6 ? "Settling" : "Paused"]);
  return { kind: "control", method: "PATCH", path: `/markets/${id}`, body: { status: next } };
}
