// Facts and events with defaults, and a state with a clock of its own, for the tests of markets and accounts, and the property tests.

import { test as base } from "vitest";
import type { AccountOptions } from "../../../src/bot/account/account-state.ts";
import { type BotState, createBotState } from "../../../src/bot/account/account-state.ts";
import { readsWanted } from "../../../src/bot/account/resync.ts";
import { type ResyncReason, resyncOf } from "../../../src/bot/account/resync-reasons.ts";
import { createAccountBook, inventoryIn } from "../../../src/bot/accounting/account-book.ts";
import { type FoldEffect, fold } from "../../../src/bot/decider/fold.ts";
import { buildView } from "../../../src/bot/decider/turns/view.ts";
import { dueReads, type ReadLog, type ReadRequest } from "../../../src/bot/market/schedule.ts";
import type { Account, Position } from "../../../src/domain/account.ts";
import type { Book } from "../../../src/domain/book.ts";
import type { Command, PlaceCommand } from "../../../src/domain/command.ts";
import type { SubmitOutcome, TransactionEvent, VenueEvent } from "../../../src/domain/event.ts";
import type { Execution, Trade } from "../../../src/domain/fill.ts";
import type { Funding, Market, Oracle } from "../../../src/domain/market.ts";
import type { Order, TrackedOrder } from "../../../src/domain/order.ts";
import { accountId, nonce, orderId, price, type Side, size, usdc } from "../../../src/domain/units.ts";
import type { Signals, View } from "../../../src/domain/view.ts";
import { plainPlace, plainRead } from "../../support/plain-bot.ts";

export const USD = 100_000_000n;
export const CONTRACT = 1_000_000n;
export const ME = accountId(12n);
export const OTHER = accountId(99n);
export const AGENT = "aa".repeat(32);
/** Chain time minus monotonic time in these tests, ms. */
export const CHAIN_OFFSET_MS = 1_790_000_000_000;

export const market = (of: Partial<Market> = {}): Market => ({
  marketId: 1,
  name: "USA-HPI",
  status: "Active",
  markPrice: price(200n * USD),
  bestBid: null,
  bestAsk: null,
  oraclePrice: price(200n * USD),
  lastOraclePrice: price(200n * USD),
  oracleStatus: "Active",
  fundingRate: 0n,
  openInterestLong: size(0n),
  openInterestShort: size(0n),
  maxOpenInterest: size(1_000_000n * CONTRACT),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  backstopAccountId: accountId(1n),
  feeTiersEndpoint: "/v1/fee-tiers",
  lastOracleTimestampMs: CHAIN_OFFSET_MS,
  oracleValidUntilSec: CHAIN_OFFSET_MS / 1000 + 86_400,
  tickSize: price(1_000_000n),
  lastFundingTimestampSec: 0,
  fundingIntervalSecs: 3600,
  assetClass: "RealEstate",
  priceBandBps: 1000,
  interestRateMicroBps: 0,
  depthThresholdLamports: 0n,
  marginTiers: [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: usdc(0n) },
  ],
  ...of,
});

export const oracle = (of: Partial<Oracle> = {}): Oracle => ({
  marketId: 1,
  price: price(200n * USD),
  lastUpdateTimestampMs: CHAIN_OFFSET_MS,
  lastUpdateDate: 20_260_920,
  status: "Active",
  validUntilSec: CHAIN_OFFSET_MS / 1000 + 86_400,
  ...of,
});

export const funding = (of: Partial<Funding> = {}): Funding => ({
  marketId: 1,
  fundingRate: 0n,
  cumulativeFunding: 0n,
  lastFundingTimestampSec: 0,
  fundingIntervalSecs: 3600,
  maxFundingRateBps: 625,
  ...of,
});

export const book = (bid = 199n, ask = 201n): Book => ({
  marketId: 1,
  bids: [{ price: price(bid * USD), size: size(CONTRACT), orderCount: 1 }],
  asks: [{ price: price(ask * USD), size: size(CONTRACT), orderCount: 1 }],
});

export const position = (contracts: bigint, entryUsd = 200n, of: Partial<Position> = {}): Position => ({
  marketId: 1,
  side: contracts < 0n ? "sell" : "buy",
  size: size(contracts < 0n ? -contracts * CONTRACT : contracts * CONTRACT),
  entryPrice: price(entryUsd * USD),
  unrealizedPnl: usdc(0n),
  cumulativeFunding: 0n,
  lastOraclePrice: price(200n * USD),
  openedAtMs: 0,
  marginMode: "Cross",
  leverage: 20,
  isolatedMargin: usdc(0n),
  tierGrandfathered: false,
  ...of,
});

export const listed = (id: bigint, of: Partial<Order> = {}): Order => {
  const whole = of.size ?? size(CONTRACT);
  const filledSize = of.filledSize ?? size(0n);
  return {
    orderId: orderId(id),
    accountId: ME,
    marketId: 1,
    side: "buy",
    orderType: "Limit",
    price: price(199n * USD),
    size: whole,
    filledSize,
    remainingSize: size(whole - filledSize),
    triggerPrice: null,
    reduceOnly: false,
    postOnly: true,
    timeInForce: "GTC",
    status: "Open",
    takeProfit: null,
    stopLoss: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    ...of,
  };
};

export const account = (of: Partial<Account> = {}): Account =>
  plainRead({
    accountId: ME,
    owner: "bb".repeat(32),
    collateral: usdc(100_000n * 1_000_000n),
    availableCollateral: usdc(100_000n * 1_000_000n),
    agents: [{ pubkey: AGENT, name: "bot", expiresAtSec: null }],
    ...of,
  });

/** One of my orders is `mine`; `side` is my side. Fees: maker gets 1 unit, taker pays 5, realized PnL 0 unless said. */
export const execution = (
  of: {
    readonly mine?: bigint;
    readonly side?: Side;
    readonly liquidity?: "maker" | "taker";
    readonly usd?: bigint;
    readonly contracts?: bigint;
    readonly hash?: string;
    readonly other?: bigint;
    readonly timestampMs?: number;
  } & Partial<Pick<Execution, "takerRealizedPnl" | "makerRealizedPnl" | "makerFee" | "takerFee">> = {},
): Execution => {
  const maker = (of.liquidity ?? "maker") === "maker";
  const mine = orderId(of.mine ?? 7n);
  const theirs = orderId(of.other ?? 1000n);
  const side = of.side ?? "buy";
  return {
    marketId: 1,
    price: price((of.usd ?? 199n) * USD),
    size: size((of.contracts ?? 1n) * CONTRACT),
    takerSide: maker === (side === "buy") ? "sell" : "buy",
    takerOrderId: maker ? theirs : mine,
    makerOrderId: maker ? mine : theirs,
    txHash: of.hash ?? "h1",
    timestampMs: of.timestampMs ?? null,
    takerAccountId: maker ? OTHER : ME,
    makerAccountId: maker ? ME : OTHER,
    takerFee: of.takerFee ?? usdc(5n),
    makerFee: of.makerFee ?? usdc(-1n),
    takerRealizedPnl: of.takerRealizedPnl ?? usdc(0n),
    makerRealizedPnl: of.makerRealizedPnl ?? usdc(0n),
  };
};

/** The same as the public sees it. */
export const publicTrade = ({
  takerAccountId: _taker,
  makerAccountId: _maker,
  takerFee: _takerFee,
  makerFee: _makerFee,
  takerRealizedPnl: _takerPnl,
  makerRealizedPnl: _makerPnl,
  ...trade
}: Execution): Trade => trade;

export const placeCommand = (of: Partial<PlaceCommand> = {}): PlaceCommand => plainPlace({ accountId: ME, ...of });

export const placedEvent = (id: bigint, of: Partial<Extract<TransactionEvent, { type: "orderPlaced" }>> = {}) =>
  ({
    type: "orderPlaced",
    orderId: orderId(id),
    accountId: ME,
    marketId: 1,
    side: "buy",
    price: price(199n * USD),
    size: size(CONTRACT),
    ...of,
  }) as const;

export const canceledEvent = (id: bigint, reason = "UserCanceled") =>
  ({ type: "orderCanceled", orderId: orderId(id), accountId: ME, marketId: 1, reason }) as const;

export const executedWith = (...events: readonly TransactionEvent[]): SubmitOutcome => ({
  kind: "executed",
  hash: "h0",
  events,
});
export const lost: SubmitOutcome = { kind: "unknown", why: "no answer in time" };
export const refused: SubmitOutcome = { kind: "refused", hash: "h0", error: "no" };
export const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "no" };
export const notSent: SubmitOutcome = { kind: "notSent", why: "nobody there" };

export const noSignals: Signals = {
  volatilityBps: null,
  dayVolatilityBps: null,
  slowVolatilityBps: null,
  heldMidUsd: null,
  intensityA: null,
  intensityK: null,
  adverseBps: 0,
  markoutBps: 0,
  skewScale: 1,
  nowcastUsd: null,
  nowcastPathUsd: null,
  marketNowcastUsd: null,
  outsideNowcastUsd: null,
  nowcastErrorBps: 6,
  printDeviationBps: 20,
  printMoveBps: 20,
  kappaPerHour: 0.125,
  nextPrint: null,
};

/** Takes its times from the scene unless they are given. */
export type Loose = VenueEvent extends infer E
  ? E extends VenueEvent
    ? Omit<E, "receivedMs" | "askedMs"> & { readonly receivedMs?: number; readonly askedMs?: number }
    : never
  : never;

export type Scene = {
  readonly state: BotState;
  /** Every effect so far. */
  readonly effects: FoldEffect[];
  readonly nowMs: () => number;
  readonly advance: (ms: number) => void;
  /** Folds an event at the scene's time; reads were asked 1 ms before. */
  readonly tell: (event: Loose) => readonly FoldEffect[];
  readonly view: (marketId?: number, wallMs?: number) => View;
  readonly orders: () => readonly TrackedOrder[];
  readonly kinds: () => readonly FoldEffect["kind"][];
  readonly place: (nonceOf: bigint, of?: Partial<PlaceCommand>) => Command;
  readonly answer: (nonceOf: bigint, command: Command, outcome: SubmitOutcome) => readonly FoldEffect[];
  /** An order of ours that rests under this id. */
  readonly rest: (nonceOf: bigint, id: bigint, of?: Partial<PlaceCommand>) => Command;
  readonly inventory: () => bigint;
  /** Both witnesses said this, of one market or of all, while nothing of ours rested: the account, or the market, is live. */
  readonly adopt: (account: Account, marketId?: number | null) => readonly FoldEffect[];
  /** What resynchronizes the market; null: nothing does. */
  readonly resync: (marketId?: number) => ResyncReason | null;
};

/** A test that is given a scene of its own. */
export const test = base.extend("scene", () => createScene());

/** A connected bot that has read market and oracle, adopted a flat account, and heard a pong; time starts at 1000. */
export function createScene(options: Partial<AccountOptions> = {}, start: "ready" | "blank" = "ready"): Scene {
  const state = createBotState({
    readLagMaxMs: 3000,
    markets: [1],
    accounts: [{ accountId: ME, agentPubkey: AGENT, knownOrders: [], book: createAccountBook(), ...options }],
  });
  let nowMs = 1000;
  const effects: FoldEffect[] = [];
  const tell = (event: Loose): readonly FoldEffect[] => {
    const found = fold(state, { receivedMs: nowMs, askedMs: nowMs - 1, ...event } as VenueEvent);
    effects.push(...found);
    return found;
  };
  const view = (marketId = 1, wallMs = nowMs + CHAIN_OFFSET_MS): View =>
    buildView(state, ME, marketId, { monotonicMs: nowMs, wallMs }, { signals: noSignals });
  const place = (nonceOf: bigint, of: Partial<PlaceCommand> = {}): Command => {
    const command = placeCommand(of);
    tell({ kind: "sent", nonce: nonce(nonceOf), command });
    return command;
  };
  const answer = (nonceOf: bigint, command: Command, outcome: SubmitOutcome) =>
    tell({ kind: "answered", nonce: nonce(nonceOf), command, outcome });
  const scene: Scene = {
    state,
    effects,
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
    tell,
    view,
    orders: () => view().orders,
    kinds: () => effects.map(({ kind }) => kind),
    place,
    answer,
    rest(nonceOf, id, of = {}) {
      const command = place(nonceOf, of);
      const { side, price: at, size: whole } = placeCommand(of);
      answer(nonceOf, command, executedWith(placedEvent(id, { side, price: at, size: whole })));
      return command;
    },
    inventory: () => inventoryIn(state.accounts.get(ME)!.book, 1),
    adopt: (told, marketId = null) => tell({ kind: "adopted", account: told, marketId }),
    resync: (marketId = 1) => resyncOf(state.accounts.get(ME)!, marketId)?.reason ?? null,
  };
  if (start === "ready") makeReady(scene);
  return scene;
}

/** The reads that are due now. */
export const dueIn = ({ state, nowMs }: Scene, log: ReadLog): readonly ReadRequest[] =>
  dueReads(
    state,
    Array.from(state.accounts.values(), (one) => readsWanted(one, state, nowMs())),
    log,
    nowMs(),
  );

/** A bot that can be told what happens, in a time of its own. */
type Told = Pick<Scene, "state" | "nowMs" | "advance"> & { readonly tell: (event: Loose) => unknown };

export function makeReady(scene: Told, markets: readonly number[] = [1]): void {
  const each = (event: (marketId: number) => Loose): void => {
    for (const marketId of markets) scene.tell(event(marketId));
  };
  scene.tell({ kind: "streamOpened", epoch: 1 });
  scene.tell(pong(scene));
  each((marketId) => ({ kind: "book", book: { ...book(), marketId } }));
  scene.advance(10);
  each((marketId) => ({ kind: "marketRead", market: market({ marketId }) }));
  each((marketId) => ({ kind: "oracleRead", oracle: oracle({ marketId }) }));
  each((marketId) => ({ kind: "fundingRead", funding: funding({ marketId }) }));
  scene.tell({ kind: "feeTiersRead", feeTiers: [feeTier] });
  scene.tell({ kind: "openOrderCapRead", openOrderCap: 200 });
  each((marketId) => ({ kind: "tradesRead", marketId, trades: [] }));
  scene.tell({ kind: "adopted", account: account(), marketId: null });
  scene.advance(10);
}

export const feeTier = { assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 };

/** A pong of now with the next height, after a round trip of nothing. */
export const pong = (
  scene: Pick<Scene, "state" | "nowMs">,
  of: { readonly height?: number; readonly blockTimeMs?: number } = {},
) =>
  ({
    kind: "pong",
    height: of.height ?? scene.state.chain.height + 1,
    blockTimeMs: of.blockTimeMs ?? scene.nowMs() + CHAIN_OFFSET_MS,
    sentMs: scene.nowMs(),
  }) as const;
