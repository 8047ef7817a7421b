// The only door to the bot's state: every event passes here, and besides a change of the configuration (configure.ts) nothing else
// writes state. Pure but for the state it is given: the same events give the same state and effects on every machine.

import { type ExecutionEvent, marketOfEvent, type StreamEvent, type VenueEvent } from "../../domain/event.ts";
import { afterRequest } from "../../domain/request-budget.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { foldOrderEvent, noteOrderEffects, wantReconcile, wantResync } from "../account/account-orders.ts";
import type { AccountState, BotState } from "../account/account-state.ts";
import { bookPrint } from "../account/booking.ts";
import type { AccountEffect, AccountEffects } from "../account/effects.ts";
import { spanOf } from "../account/evidence.ts";
import { foldExecution, foldTrade, foldTradesRead } from "../account/fills.ts";
import { forgetScheduledFees } from "../account/paid-fees.ts";
import { foldAccountRead } from "../account/read.ts";
import { adopt } from "../account/resync.ts";
import { joinEffects, type MarketEffect, noEffects } from "../market/effects.ts";
import {
  foldBook,
  foldBookRead,
  foldFundingRead,
  foldFundingUpdate,
  foldImplausibleRead,
  foldMarketRead,
  foldOracleRead,
  foldOracleUpdate,
} from "../market/facts.ts";
import { heldRead, isSettling, marketOf, unconfirmed } from "../market/state.ts";
import { foldPong, forgetTimes } from "../market/time.ts";

/** What folding an event brought to light. */
export type FoldEffect = AccountEffect | MarketEffect;
type FoldEffects = readonly FoldEffect[];

/** Changes `state` by one event and returns the effects. Fold events in the order in which they were received. */
export function fold(state: BotState, event: VenueEvent): FoldEffects {
  if (frames.has(event.kind)) {
    state.stream.lastFrameMs = event.receivedMs;
    if (event.kind === "streamOpened") state.stream.toldMs = null;
    else if (event.kind !== "pong") state.stream.toldMs = event.receivedMs;
  }
  const folder = folders[event.kind] as Folder<VenueEvent>;
  const effects = folder(state, event);
  foldQueues(state, event);
  const repriced = reprices.has(event.kind) ? marketOfEvent(event) : null;
  if (repriced !== null) for (const { sums } of state.accounts.values()) sums.reprice(repriced);
  return effects;
}

type Folder<E> = (state: BotState, event: E) => FoldEffects;
type Folders = { readonly [K in VenueEvent["kind"]]: Folder<Extract<VenueEvent, { readonly kind: K }>> };

/** One read that shows an account of another chain is not believed alone. */
const OTHER_CHAIN_READS = 2;

/** Messages of the exchange on the stream: each proves that the stream is alive. */
const frames: ReadonlySet<VenueEvent["kind"]> = new Set<StreamEvent["kind"]>([
  "streamOpened",
  "pong",
  "book",
  "trade",
  "execution",
  "orderPlaced",
  "orderCanceled",
  "orderModified",
  "orderTriggered",
  "liquidation",
  "fundingUpdate",
  "oracleUpdate",
]);

/** Events that may change an oracle price or a margin schedule. */
const reprices: ReadonlySet<VenueEvent["kind"]> = new Set(["marketRead", "oracleRead", "oracleUpdate"] as const);

const folders: Folders = {
  streamOpened(state, { epoch, receivedMs }) {
    Object.assign(state.stream, { epoch, connected: true, openedMs: receivedMs, brokenMs: receivedMs });
    // Frames may have been lost in between.
    return [...state.accounts.values()].flatMap((account) => wantResync(account, null, "gap", receivedMs));
  },
  streamClosed({ stream }, event) {
    if (event.epoch === stream.epoch) Object.assign(stream, { connected: false, brokenMs: event.receivedMs });
    return noEffects;
  },
  pong(state, event) {
    let effects: FoldEffects = foldPong(state, event);
    for (const account of state.accounts.values()) {
      effects = joinEffects(
        effects,
        foldOrderEvent(account, {
          kind: "timePassed",
          receivedMs: event.receivedMs,
          isSettling: (marketId) => isSettling(state, marketId),
        }),
      );
    }
    return effects;
  },
  book: foldBook,
  trade: (state, event) => foldTrade(state, event.trade, event.receivedMs),
  execution: (state, event) => foldExecution(state, event.execution, "stream", event.receivedMs),
  orderPlaced: (state, event) =>
    inAccount(state, event.accountId, (account) =>
      foldOrderEvent(account, { kind: "placed", order: event, receivedMs: event.receivedMs }),
    ),
  orderCanceled: (state, event) =>
    inAccount(state, event.accountId, (account) => {
      const { orderId, marketId, reason, receivedMs } = event;
      return foldOrderEvent(account, { kind: "canceled", orderId, marketId, reason, receivedMs });
    }),
  orderModified: (state, event) =>
    inAccount(state, event.accountId, (account) =>
      foldOrderEvent(account, { kind: "modified", order: event, receivedMs: event.receivedMs }),
    ),
  orderTriggered: (state, event) =>
    inAccount(state, event.accountId, (account) =>
      foldOrderEvent(account, { kind: "triggered", receivedMs: event.receivedMs }),
    ),
  liquidation: (state, event) =>
    inAccount(state, event.accountId, (account) => {
      const { accountId, positionsClosed, positionsRemaining, receivedMs } = event;
      return [
        { kind: "liquidation", accountId, positionsClosed, positionsRemaining },
        ...foldOrderEvent(account, { kind: "liquidated", receivedMs }),
        ...wantResync(account, null, "liquidation", receivedMs),
      ];
    }),
  fundingUpdate: foldFundingUpdate,
  oracleUpdate: (state, event) => printed(state, event.marketId, () => foldOracleUpdate(state, event)),

  marketRead: foldMarketRead,
  oracleRead: (state, event) => printed(state, event.oracle.marketId, () => foldOracleRead(state, event)),
  oracleHistoryRead(state, { history }) {
    marketOf(state, history.marketId).isHistoryRead = true;
    return noEffects;
  },
  bookRead: foldBookRead,
  fundingRead: foldFundingRead,
  // While the chain may have restarted, the start handles what its reads show: our state no longer counts as the exchange's word.
  accountRead: (state, event) =>
    inAccount(state, event.account.accountId, (account) => {
      const created = event.account.createdAtMs;
      const isOther = created !== null && account.createdAtMs !== null && account.createdAtMs !== created;
      account.otherChainReads = isOther ? account.otherChainReads + 1 : 0;
      if (state.chain.lower === null && !isOther) return foldAccountRead(state, account, event);
      account.read = unconfirmed(account.read, event.askedMs);
      const { accountId, otherChainReads } = account;
      const wanted = wantReconcile(account, "chainUnconfirmed", event.receivedMs);
      return otherChainReads === OTHER_CHAIN_READS ? [wanted, { kind: "chainBegan", accountId }] : [wanted];
    }),
  ordersRead: (state, event) =>
    inAccount(state, event.accountId, (account) => {
      if (account.adoptedMs === null) return noEffects;
      const { effects } = account.orders.compare(event.orders, "orders", spanOf(event, state.readLagMaxMs));
      return noteOrderEffects(account, effects, event.receivedMs);
    }),
  tradesRead: foldTradesRead,
  feeTiersRead(state, event) {
    state.feeTiers = heldRead(event.feeTiers, event, state.stream.epoch);
    forgetScheduledFees(state);
    return noEffects;
  },
  openOrderCapRead(state, event) {
    state.openOrderCap = heldRead(event.openOrderCap, event, state.stream.epoch);
    return noEffects;
  },
  rateLimitRead: (state, event) =>
    inAccount(state, event.accountId, (account) => {
      account.rateLimit = heldRead(event.rateLimit, event, state.stream.epoch);
      return noEffects;
    }),

  implausibleRead: foldImplausibleRead,

  outsideFact({ outside }, { name, fact }) {
    outside.set(name, Object.freeze(fact));
    return noEffects;
  },

  slept(state, { receivedMs, reason }) {
    if (reason === "slept") {
      state.wokeMs = receivedMs;
      forgetTimes(state);
    }
    return [...state.accounts.values()].flatMap((account) => wantResync(account, null, reason, receivedMs));
  },

  adopted: (state, event) => inAccount(state, event.account.accountId, (account) => adopt(state, account, event)),

  sent: (state, { nonce, command, receivedMs }) =>
    inAccount(state, command.accountId, (account) => {
      const { rateLimit } = account;
      if (rateLimit !== null) account.rateLimit = { ...rateLimit, value: afterRequest(rateLimit.value) };
      return foldOrderEvent(account, { kind: "sent", nonce, command, receivedMs });
    }),
  answered: (state, event) =>
    inAccount(state, event.command.accountId, (account) => foldAnswered(state, account, event)),
  resolved: (state, { nonce, command, verdict, receivedMs }) =>
    inAccount(state, command.accountId, (account) => {
      const effects = foldOrderEvent(account, { kind: "resolved", nonce, command, verdict, receivedMs });
      if (verdict === "neverLanded") return effects;
      return [...effects, ...wantResync(account, command.marketId, "lostAnswer", receivedMs)];
    }),
};

/** Tracks our orders' places in the queues. Answers and frames may overtake each other: frames may know an order before its answer. */
function foldQueues(state: BotState, event: VenueEvent): void {
  const { receivedMs } = event;
  switch (event.kind) {
    case "book": {
      const { marketId } = event.book;
      for (const account of state.accounts.values()) {
        account.queues.shown(event.book, account.orders, receivedMs);
        showQueues(account, marketId);
      }
      return;
    }
    case "trade":
      for (const { queues } of state.accounts.values()) queues.traded(event.trade);
      return;
    case "orderPlaced":
    case "orderModified": {
      const account = state.accounts.get(event.accountId);
      const book = marketOf(state, event.marketId).book.held?.value;
      if (event.kind === "orderPlaced") account?.queues.placed(event, book, receivedMs);
      else account?.queues.modified(event, book, receivedMs);
      if (account !== undefined) showQueues(account, event.marketId);
      return;
    }
    case "orderCanceled":
      state.accounts.get(event.accountId)?.queues.gone(event.marketId, event.orderId);
      return;
    case "answered": {
      const account = state.accounts.get(event.command.accountId);
      if (account !== undefined && event.command.marketId !== null) showQueues(account, event.command.marketId);
      return;
    }
    default:
      return;
  }
}

function showQueues({ orders, queues }: AccountState, marketId: MarketId): void {
  for (const order of orders.inMarket(marketId)) {
    if (order.orderId !== null) orders.setQueueAhead(order.orderId, queues.ahead(order));
  }
}

/** Folds news of the oracle, and books a print if the price changed from a known one. */
function printed(state: BotState, marketId: MarketId, foldNews: () => FoldEffects): FoldEffects {
  const { oracle } = marketOf(state, marketId);
  const before = oracle.held?.value;
  let effects = foldNews();
  const now = oracle.held?.value;
  if (before === undefined || now === undefined) return effects;
  for (const account of state.accounts.values()) effects = joinEffects(effects, bookPrint(account, before, now));
  return effects;
}

/** Ignores accounts that we do not run. */
function inAccount(state: BotState, accountId: AccountId, run: (account: AccountState) => FoldEffects): FoldEffects {
  const account = state.accounts.get(accountId);
  return account === undefined ? noEffects : run(account);
}

/**
 * Folds the answer to our own transaction: first the id, then its fills, then its other events and what the outcome means for the command.
 * Events of an executed transaction are facts about every order of ours that they name.
 */
function foldAnswered(
  state: BotState,
  account: AccountState,
  { nonce, command, outcome, receivedMs }: Extract<ExecutionEvent, { kind: "answered" }>,
): AccountEffects {
  const effects: AccountEffect[] = [];
  if (outcome.kind === "executed") {
    const { events } = outcome;
    if (command.kind === "place")
      effects.push(...foldOrderEvent(account, { kind: "acknowledged", nonce, command, events, receivedMs }));
    for (const event of events)
      if (event.type === "fill") effects.push(...foldExecution(state, event.execution, "answer", receivedMs));
  }
  effects.push(...foldOrderEvent(account, { kind: "answered", nonce, command, outcome, receivedMs }));
  return effects;
}
