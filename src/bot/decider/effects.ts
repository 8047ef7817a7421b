// Acts on what an event brought to light: hands booked fills and money to the desks and the ledger, counts mismatches, halts on foreign
// activity and liquidations, asks for reads and reconnects.

import { unreadableText } from "../../domain/account.ts";
import type { CancelCommand } from "../../domain/command.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Fill } from "../../domain/fill.ts";
import { contractsOf, usdcOf, usdOf } from "../../domain/rounding.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import type { Clocks } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import type { FillSource } from "../account/effects.ts";
import { resyncTexts } from "../account/resync-reasons.ts";
import { accountTiming } from "../timing.ts";
import type { ForeignActivity } from "./acting/foreign-activity.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { FoldEffect } from "./fold.ts";
import { awayText, mismatchText, transferText, unattributedText } from "./mismatch-text.ts";
import type { Say } from "./notice.ts";
import type { Output } from "./output.ts";
import { onSuccess } from "./successes.ts";

export type EffectModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly foreignActivity: ForeignActivity;
  readonly clock: Clocks;
  readonly put: (output: Output) => void;
  readonly log: Say;
  readonly view: (account: AccountId, market: MarketId) => View;
  /** Runs once the last market that the event concerns has turned: for work that no turn waits for. */
  readonly later: (record: () => void) => void;
  /** Starts the reads that are due. */
  readonly read: () => void;
  readonly cancel: (order: CancelCommand) => void;
};

type EffectOf<K extends FoldEffect["kind"]> = Extract<FoldEffect, { readonly kind: K }>;

/** Does what is to be done about what an event brought to light. */
export type OnEffect = (effect: FoldEffect, event: VenueEvent) => void;

type Doers = { readonly [K in FoldEffect["kind"]]: (effect: EffectOf<K>, event: VenueEvent) => void };

export function effectHandler(modules: EffectModules): OnEffect {
  const { desks, foreignActivity, clock, log, put } = modules;
  const keep = (account: AccountId, record: (desk: AccountDesk, wallMs: number) => void): void => {
    const [desk, wallMs] = [desks.get(account), clock.wallMs()];
    if (desk !== undefined) modules.later(() => record(desk, wallMs));
  };
  const doers: Doers = {
    fill: (effect, event) => onFill(effect, event, modules),
    fillAmended: ({ event }) => {
      desks.get(event.fill.accountId)?.markets.get(event.fill.marketId)?.fills.amended(event.fill);
      keep(event.fill.accountId, (desk, wallMs) => desk.keepFill(event, wallMs));
    },
    collateralChange: (effect) => {
      sayTransfers(effect, modules);
      keep(effect.accountId, (desk, wallMs) => desk.keepCollateral(effect.postings, wallMs));
    },
    mismatch: (effect) => onMismatch(effect, modules),
    positionBooked: (effect) =>
      keep(effect.accountId, (desk, wallMs) => desk.records.position(effect.position, wallMs)),
    printBooked: (effect) => keep(effect.accountId, (desk, wallMs) => desk.records.print(effect.print, wallMs)),
    movementAccepted: (effect) => keep(effect.accountId, (desk) => desk.records.accepted(effect.accepted)),
    bookOpened: (effect) => onBookOpened(effect, modules),
    unreadable: (effect) => sayUnreadable(effect, modules),
    foreign: (effect) => foreignActivity.foreign(effect),
    liquidation: (effect) => onLiquidation(effect, modules),
    identified: (effect) => desks.get(effect.accountId)?.records.order(effect),
    lateOrder: (effect) => onLate(effect, modules),
    orderEnded: (effect) => foreignActivity.ended(effect),
    orderOver: (effect) => onOver(effect, modules),
    resyncWanted: (effect) => onResync(effect, modules),
    adopted: (effect) => {
      put({ kind: "shown", accountId: effect.accountId });
      sayLive(effect, modules);
    },
    shown: (effect) => onSuccess(effect, modules),
    notUnderstood: (effect) => onSuccess(effect, modules),
    dialectLearned: (effect) => onSuccess(effect, modules),
    unattributed: (effect) => onUnattributed(effect, modules),
    reconcileWanted: () => modules.read(),
    reconnectWanted: (effect) => onSilentBook(effect, modules),
    resubscribeWanted: (effect) => onSilentBook(effect, modules),
    feeDiffers: (effect) => sayFee(effect, modules),
    implausible: (effect) => logImplausible(effect, modules),
    chainRestarted: (effect) => onAnotherChain(effect, modules),
    chainBegan: (effect) => onAnotherChain(effect, modules),
    wentBack: ({ what, marketId }) =>
      log.warn({ event: "fact.wentBack", what, market: marketId }, `ignored out-of-order ${what}`),
  };
  return (effect, event) => {
    const doer = doers[effect.kind] as (effect: FoldEffect, event: VenueEvent) => void;
    doer(effect, event);
  };
}

function onResync(effect: EffectOf<"resyncWanted">, { log, put }: EffectModules): void {
  const { accountId, marketId, reason } = effect;
  const where = marketId === null ? `account ${accountId}` : `market ${marketId} of account ${accountId}`;
  log.warn(
    { event: "resync.began", account: `${accountId}`, market: marketId, reason },
    `${where} resynchronizes: ${resyncTexts[reason]}; no new exposure until two reads of the account agree`,
  );
  put(effect);
}

function onOver({ accountId, order, why, reason }: EffectOf<"orderOver">, modules: EffectModules): void {
  const { orderId, marketId, side, isForeign } = order;
  modules.log.debug(
    { event: "order.over", account: `${accountId}`, why, reason },
    `order ${orderId ?? "(id unknown)"} ended: ${why === "reasonUnknown" ? "reason unknown" : why}`,
  );
  const desk = modules.desks.get(accountId);
  if (orderId !== null && !isForeign && desk !== undefined)
    modules.later(() => desk.records.order({ orderId, marketId, side, isOver: true }));
}

function onAnotherChain(
  effect: EffectOf<"chainRestarted"> | EffectOf<"chainBegan">,
  { log, put }: EffectModules,
): void {
  const isBegun = effect.kind === "chainBegan";
  const reported = isBegun ? { account: `${effect.accountId}` } : { before: effect.before, height: effect.height };
  const what = isBegun
    ? `account ${effect.accountId} was created at another time, so the chain began again`
    : `the chain continues at block ${effect.height} after ${effect.before}`;
  log.warn({ event: "chain.restarted", ...reported }, `${what}; stopping, and starting again from what it shows now`);
  put({ kind: "startAgain" });
}

function onSilentBook(
  { kind, marketId, why }: EffectOf<"reconnectWanted"> | EffectOf<"resubscribeWanted">,
  { log, put }: EffectModules,
): void {
  const isConnection = kind === "reconnectWanted";
  const what = why === "noSnapshot" ? "its subscription was never answered" : "stream and reads disagree";
  log.warn(
    { event: "stream.unconfirmed", market: marketId, why },
    `the book of market ${marketId}: ${what}; ${isConnection ? "opening another stream" : "subscribing to it again"}`,
  );
  put(isConnection ? { kind: "reconnect" } : { kind: "resubscribe", marketId });
}

/** Every later run knows it as ours, and it is canceled. */
function onLate(effect: EffectOf<"lateOrder">, { cancel, desks, log }: EffectModules): void {
  const { accountId, marketId, orderId } = effect;
  log.warn(
    { event: "fleet.lateOrder", account: `${accountId}`, market: marketId, order: `${orderId}` },
    `order ${orderId} on account ${accountId} is the last holder's and was executed late: canceling it`,
  );
  desks.get(accountId)?.records.order(effect);
  cancel({ kind: "cancel", accountId, marketId, orderId });
}

function onFill(
  { source, ...event }: EffectOf<"fill">,
  { kind }: VenueEvent,
  { desks, clock, log, view, later, put }: EffectModules,
): void {
  const { fill } = event;
  // A list of trades shows fills of any time, and a resync reads it.
  put({ kind: "fill", fill, isNews: kind !== "tradesRead" });
  const [desk, wallMs] = [desks.get(fill.accountId), clock.wallMs()];
  const seen = view(fill.accountId, fill.marketId);
  desk?.filled(fill);
  desk?.markets.get(fill.marketId)?.filled(fill, seen);
  later(() => {
    desk?.keepFill(event, wallMs);
    logFill(fill, source, seen.isPaper ? `${nameOf(seen)} on PAPER` : nameOf(seen), log);
  });
}

function logFill(fill: Fill, source: FillSource, name: string, log: Say): void {
  const contracts = contractsOf(fill.size);
  log.info(
    {
      event: "fill",
      account: `${fill.accountId}`,
      market: fill.marketId,
      side: fill.side,
      liquidity: fill.liquidity,
      contracts,
      usd: usdOf(fill.price),
      source,
    },
    `${fill.side === "buy" ? "bought" : "sold"} ${contracts} at ${usdOf(fill.price)} in ${name} as ${fill.liquidity}`,
  );
}

function onMismatch(
  { accountId, marketId, what, expected, found }: EffectOf<"mismatch">,
  { desks, log, state, put }: EffectModules,
): void {
  // A changed book of a market concerns every account that quotes there.
  for (const desk of desks.values()) {
    if (accountId === null ? marketId !== null && desk.markets.has(marketId) : desk.accountId === accountId) {
      put({ kind: "mismatch", accountId: desk.accountId, what });
    }
  }
  const market = marketId === null ? undefined : state.markets.get(marketId)?.market?.value.name;
  const name = marketId === null ? `account ${accountId}` : (market ?? `market ${marketId}`);
  log.warn(
    {
      event: "reconcile.mismatch",
      account: accountId === null ? null : `${accountId}`,
      market: marketId,
      what,
      expected,
      found,
    },
    mismatchText(name, what, { expected, found }),
  );
}

/** An unreadable order or position blocks its market, or a side, until it can be read or is gone. */
function sayUnreadable({ accountId, item }: EffectOf<"unreadable">, { log }: EffectModules): void {
  const { what, marketId, side, orderId } = item;
  const where = marketId === null ? "in any market" : `in market ${marketId}`;
  const closed =
    what === "position"
      ? "no order is sent"
      : marketId === null || side === null
        ? "no new exposure"
        : `no new ${side} order`;
  log.warn(
    {
      event: "account.unreadable",
      account: `${accountId}`,
      market: marketId,
      side,
      order: orderId === null ? null : `${orderId}`,
    },
    `account ${accountId}: ${unreadableText(item)}; ${closed} ${where} until it can be read or is gone`,
  );
}

function sayLive({ accountId, marketId }: EffectOf<"adopted">, { log }: EffectModules): void {
  const where = marketId === null ? `account ${accountId}` : `market ${marketId} of account ${accountId}`;
  log.info(
    { event: "resync.done", account: `${accountId}`, market: marketId },
    `${where} is live: two reads of account, orders and positions agreed`,
  );
}

function onUnattributed(effect: EffectOf<"unattributed">, { desks, clock, log, put }: EffectModules): void {
  const { accountId, marketId, contracts, from, to } = effect;
  const desk = desks.get(accountId);
  const sentence = unattributedText(accountId, marketId, effect);
  log.warn(
    { event: "position.unattributed", account: `${accountId}`, market: marketId, contracts: contractsOf(contracts) },
    sentence,
  );
  if (desk !== undefined) put({ kind: "mismatch", accountId, what: "position" });
  desk?.records.found("unattributed", sentence, clock.wallMs());
  const beforeMs = desk?.unattributed(clock.monotonicMs()) ?? null;
  if (beforeMs === null || clock.monotonicMs() - beforeMs > accountTiming.unattributedMs) return;
  const reason = `the position of market ${marketId} moved without a fill for the second time within ten minutes`;
  const numbers = { from, to };
  desk?.trip({ kind: "mismatch", accountId, marketId: null, holds: "halted", reason, numbers }, clock.wallMs());
}

function logImplausible({ what, marketId }: EffectOf<"implausible">, { log }: EffectModules): void {
  log.warn(
    { event: "fact.implausible", what, market: marketId },
    `market ${marketId}: ignored implausible times of the exchange's ${what}`,
  );
}

/** Neither a fill nor funding explains it: it is not our profit, and the operator should know. */
function sayTransfers(
  { accountId, postings }: EffectOf<"collateralChange">,
  { desks, clock, log }: EffectModules,
): void {
  for (const posting of postings) {
    if (posting.kind !== "transfer" || posting.reason !== "transfer") continue;
    const sentence = transferText(accountId, posting.amount);
    log.warn({ event: "collateral.transfer", account: `${accountId}`, usdc: usdcOf(posting.amount) }, sentence);
    desks.get(accountId)?.records.found("transfer", sentence, clock.wallMs());
  }
}

function sayFee(
  { accountId, marketId, liquidity, paidBps, scheduledBps }: EffectOf<"feeDiffers">,
  { log, view }: EffectModules,
): void {
  log.warn(
    { event: "fee.differs", account: `${accountId}`, market: marketId, liquidity, paidBps, scheduledBps },
    `${nameOf(view(accountId, marketId))}: a fill as ${liquidity} paid ${paidBps} bps where the fee schedule says ${scheduledBps}; reading the schedule again, the higher fee counts meanwhile`,
  );
}

/** The first read of this run: its difference from the book of earlier runs is written down before it is judged. */
function onBookOpened(
  { accountId, postings, away }: EffectOf<"bookOpened">,
  { desks, clock, log }: EffectModules,
): void {
  const [desk, wallMs] = [desks.get(accountId), clock.wallMs()];
  desk?.keepCollateral(postings, wallMs);
  if (away === null) return;
  const sentence = awayText(accountId, away);
  const facts = { account: `${accountId}`, usdc: usdcOf(away.amount), worthUsdc: usdcOf(away.worth) };
  log.warn({ event: "start.changedAway", ...facts }, sentence);
  desk?.records.found("changedAway", sentence, wallMs);
  desk?.judgeAway(away, wallMs);
}

/** The exchange liquidated positions, so our margin model is wrong: stop until a person has looked. */
function onLiquidation(
  { accountId, positionsClosed, positionsRemaining }: EffectOf<"liquidation">,
  { desks, clock, log }: EffectModules,
): void {
  log.error(
    { event: "liquidation", account: `${accountId}`, positionsClosed, positionsRemaining },
    `account ${accountId} was liquidated: ${positionsClosed} positions closed, ${positionsRemaining} remain`,
  );
  const reason = `the exchange liquidated the account: ${positionsClosed} positions closed`;
  const numbers = { positionsClosed, positionsRemaining };
  desks
    .get(accountId)
    ?.trip({ kind: "liquidation", accountId, marketId: null, holds: "halted", reason, numbers }, clock.wallMs());
}

const nameOf = ({ market, marketId }: View): string => lastKnown(market)?.name ?? `market ${marketId}`;
