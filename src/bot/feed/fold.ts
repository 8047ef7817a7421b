// The one door to what the bot believes: every event goes through here, and nothing else writes state. Pure but for the state it is
// given; the same events fold to the same state and effects on every machine.

import type { StreamEvent, VenueEvent } from "../../domain/event.ts";
import type { AccountId } from "../../domain/units.ts";
import type { AccountState } from "./account/account-state.ts";
import { foldAccountRead } from "./account/reconcile.ts";
import type { FeedEffect, FoldEffects } from "./effects.ts";
import { heldRead } from "./held.ts";
import { foldPong } from "./market/chain-clock.ts";
import {
  foldBook,
  foldBookRead,
  foldFundingRead,
  foldFundingUpdate,
  foldMarketRead,
  foldOracleRead,
  foldOracleUpdate,
} from "./market/market-facts.ts";
import { foldAnswered, foldSent, foldSettled } from "./orders/answers.ts";
import { foldExecution, foldTrade, foldTradesRead } from "./orders/fills.ts";
import { foldCanceled, foldPlaced, judgeForeign } from "./orders/order-frames.ts";
import { suspect } from "./orders/orders.ts";
import type { FeedState } from "./state.ts";

/** Changes `state` by one event and tells what came to light. Events are folded in the order they were received. */
export function fold(state: FeedState, event: VenueEvent): FoldEffects {
  const effects: FeedEffect[] = [];
  if (frames.has(event.kind)) state.stream.lastFrameMs = event.receivedMs;
  const folder = folders[event.kind] as Folder<VenueEvent>;
  folder(state, event, effects);
  return effects;
}

type Folder<E> = (state: FeedState, event: E, effects: FeedEffect[]) => void;
type Folders = { readonly [K in VenueEvent["kind"]]: Folder<Extract<VenueEvent, { readonly kind: K }>> };

/** What the exchange itself said on the stream: each proves that the stream lives. */
const frames: ReadonlySet<VenueEvent["kind"]> = new Set<StreamEvent["kind"]>([
  "streamOpened",
  "pong",
  "book",
  "trade",
  "execution",
  "orderPlaced",
  "orderCanceled",
  "liquidation",
  "fundingUpdate",
  "oracleUpdate",
]);

const folders: Folders = {
  streamOpened(state, event, effects) {
    const { epoch, receivedMs } = event;
    Object.assign(state.stream, { epoch, connected: true, openedMs: receivedMs });
    for (const account of state.accounts.values()) suspect(account, "connected", receivedMs, effects);
  },
  streamClosed({ stream }, event) {
    if (event.epoch === stream.epoch) stream.connected = false;
  },
  pong(state, event, effects) {
    foldPong(state, event, effects);
    for (const account of state.accounts.values()) judgeForeign(account, event.receivedMs, effects);
  },
  book: foldBook,
  trade: (state, event) => foldTrade(state, event.trade, event.receivedMs),
  execution: (state, event, effects) =>
    foldExecution(state, event.execution, { source: "stream", atMs: event.receivedMs }, effects),
  orderPlaced: (state, event, effects) =>
    inAccount(state, event.accountId, (account) => foldPlaced(account, event, event.receivedMs, effects)),
  orderCanceled: (state, event, effects) =>
    inAccount(state, event.accountId, (account) => foldCanceled(account, event, "frame", event.receivedMs, effects)),
  liquidation: (state, event, effects) =>
    inAccount(state, event.accountId, (account) => {
      const { accountId, positionsClosed, positionsRemaining } = event;
      account.liquidatedMs = event.receivedMs;
      effects.push({ kind: "liquidation", accountId, positionsClosed, positionsRemaining });
      suspect(account, "liquidation", event.receivedMs, effects);
    }),
  fundingUpdate: foldFundingUpdate,
  oracleUpdate: foldOracleUpdate,

  marketRead: foldMarketRead,
  oracleRead: foldOracleRead,
  bookRead: foldBookRead,
  fundingRead: foldFundingRead,
  accountRead: (state, event, effects) =>
    inAccount(state, event.account.accountId, (account) => foldAccountRead(state, account, event, effects)),
  tradesRead: foldTradesRead,
  nodeRead(state, event) {
    state.node = heldRead(event.node, event, state.stream.epoch);
  },
  feeTiersRead(state, event) {
    state.feeTiers = heldRead(event.feeTiers, event, state.stream.epoch);
  },
  openOrderCapRead(state, event) {
    state.openOrderCap = heldRead(event.openOrderCap, event, state.stream.epoch);
  },
  rateLimitRead: (state, event) =>
    inAccount(state, event.accountId, (account) => {
      account.rateLimit = heldRead(event.rateLimit, event, state.stream.epoch);
    }),

  slept(state, event) {
    state.wokeMs = event.receivedMs;
  },

  sent: (state, event, effects) =>
    inAccount(state, event.command.accountId, (account) => foldSent(account, event, effects)),
  answered: (state, event, effects) =>
    inAccount(state, event.command.accountId, (account) => foldAnswered(state, account, event, effects)),
  settled: (state, event, effects) =>
    inAccount(state, event.command.accountId, (account) => foldSettled(account, event, effects)),
};

/** Runs for an account that we run; what concerns others is none of ours. */
function inAccount(state: FeedState, accountId: AccountId, run: (account: AccountState) => void): void {
  const account = state.accounts.get(accountId);
  if (account !== undefined) run(account);
}
