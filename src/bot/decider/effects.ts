// What an event brought to light, acted upon: fills and money booked, mismatches counted, foreignActivity and liquidations halted upon,
// reads and reconnects asked for.

import { unreadableText } from "../../domain/account.ts";
import type { CancelCommand } from "../../domain/command.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Fill } from "../../domain/fill.ts";
import { contractsOf, usdcOf, usdOf } from "../../domain/rounding.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import type { FillSource } from "../account/effects.ts";
import type { Resyncs } from "../live/resyncs.ts";
import type { Log } from "../telemetry/log.ts";
import { accountTiming } from "../timing.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { FoldEffect } from "./fold.ts";
import type { ForeignActivity } from "./foreign-activity.ts";
import { awayText, mismatchText, transferText, unattributedText } from "./mismatch-text.ts";
import { onSuccess } from "./successes.ts";

export type EffectModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly foreignActivity: ForeignActivity;
  readonly resyncs: Pick<Resyncs, "wanted" | "filled">;
  readonly clock: Clock;
  /** Sends it. */
  readonly cancel: (order: CancelCommand) => void;
  readonly log: Log;
  readonly view: (account: AccountId, market: MarketId) => View;
  readonly read: () => void;
  /** It has come to light what some successes of the account did. */
  readonly shown: (account: AccountId) => void;
  readonly reconnect: () => void;
  /** Subscribes to the market's book again, on the connection that lives. */
  readonly resubscribe: (market: MarketId) => void;
  /** The chain goes on at a lower height: nothing that was read before counts. */
  readonly startAgain: () => void;
  /** Runs once the commands of the turn that reacts to the event are on their way: for what no turn waits for. */
  readonly later: (record: () => void) => void;
};

type EffectOf<K extends FoldEffect["kind"]> = Extract<FoldEffect, { readonly kind: K }>;

export function effectHandler(modules: EffectModules): (effect: FoldEffect, event: VenueEvent) => void {
  const { desks, foreignActivity, clock, log, read } = modules;
  const keep = (account: AccountId, record: (desk: AccountDesk, wallMs: number) => void): void => {
    const [desk, wallMs] = [desks.get(account), clock.wallMs()];
    if (desk !== undefined) modules.later(() => record(desk, wallMs));
  };
  return (effect, event) => {
    switch (effect.kind) {
      case "fill":
        // A list of trades shows fills of any time, and a resync reads it.
        if (event.kind !== "tradesRead") modules.resyncs.filled(effect);
        return onFill(effect, modules);
      case "fillAmended":
        desks.get(effect.event.fill.accountId)?.markets.get(effect.event.fill.marketId)?.amended(effect.event.fill);
        return keep(effect.event.fill.accountId, (desk, wallMs) => desk.keepFill(effect.event, wallMs));
      case "collateralChange":
        sayTransfers(effect, modules);
        return keep(effect.accountId, (desk, wallMs) => desk.keepCollateral(effect.postings, wallMs));
      case "mismatch":
        return onMismatch(effect, modules);
      case "positionBooked":
        return keep(effect.accountId, (desk, wallMs) => desk.records.position(effect.position, wallMs));
      case "printBooked":
        return keep(effect.accountId, (desk, wallMs) => desk.records.print(effect.print, wallMs));
      case "movementAccepted":
        return keep(effect.accountId, (desk) => desk.records.accepted(effect.accepted));
      case "bookOpened":
        return onBookOpened(effect, modules);
      case "unreadable":
        return sayUnreadable(effect, modules);
      case "foreign":
        return foreignActivity.foreign(effect);
      case "liquidation":
        return onLiquidation(effect, modules);
      case "identified":
        desks.get(effect.accountId)?.records.order(effect);
        return;
      case "lateOrder":
        return onLate(effect, modules);
      case "orderEnded":
        return foreignActivity.ended(effect);
      case "orderOver":
        return onOver(effect, modules);
      case "resyncWanted":
        return modules.resyncs.wanted(effect);
      case "adopted":
        modules.shown(effect.accountId);
        return sayLive(effect, modules);
      case "shown":
      case "notUnderstood":
      case "dialectLearned":
        return onSuccess(effect, modules);
      case "unattributed":
        return onUnattributed(effect, modules);
      case "reconcileWanted":
        read();
        return;
      case "reconnectWanted":
      case "resubscribeWanted":
        return onSilentBook(effect, modules);
      case "feeDiffers":
        return sayFee(effect, modules);
      case "implausible":
        return logImplausible(effect, modules);
      case "chainRestarted":
      case "chainBegan":
        return onAnotherChain(effect, modules);
      case "wentBack":
        log.warn(
          { event: "fact.wentBack", what: effect.what, market: effect.marketId },
          `ignored out-of-order ${effect.what}`,
        );
        return;
    }
  };
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
  { log, startAgain }: EffectModules,
): void {
  const isBegun = effect.kind === "chainBegan";
  const reported = isBegun ? { account: `${effect.accountId}` } : { before: effect.before, height: effect.height };
  const what = isBegun
    ? `account ${effect.accountId} was created at another time, so the chain began again`
    : `the chain goes on at block ${effect.height} after ${effect.before}`;
  log.warn({ event: "chain.restarted", ...reported }, `${what}; stopping, and starting again from what it shows now`);
  startAgain();
}

function onSilentBook(
  { kind, marketId, why }: EffectOf<"reconnectWanted"> | EffectOf<"resubscribeWanted">,
  { log, reconnect, resubscribe }: EffectModules,
): void {
  const isConnection = kind === "reconnectWanted";
  const what = why === "noSnapshot" ? "its subscription was never answered" : "stream and reads disagree";
  log.warn(
    { event: "stream.unconfirmed", market: marketId, why },
    `the book of market ${marketId}: ${what}; ${isConnection ? "opening another stream" : "subscribing to it again"}`,
  );
  if (isConnection) reconnect();
  else resubscribe(marketId);
}

/** It is ours in every later process run too, and is canceled. */
function onLate(effect: EffectOf<"lateOrder">, { cancel, desks, log }: EffectModules): void {
  const { accountId, marketId, orderId } = effect;
  log.warn(
    { event: "fleet.lateOrder", account: `${accountId}`, market: marketId, order: `${orderId}` },
    `order ${orderId} on account ${accountId} is the last holder's and was executed late: canceling it`,
  );
  desks.get(accountId)?.records.order(effect);
  cancel({ kind: "cancel", accountId, marketId, orderId });
}

function onFill({ source, ...event }: EffectOf<"fill">, { desks, clock, log, view, later }: EffectModules): void {
  const { fill } = event;
  const [desk, wallMs] = [desks.get(fill.accountId), clock.wallMs()];
  const seen = view(fill.accountId, fill.marketId);
  desk?.filled(fill);
  desk?.markets.get(fill.marketId)?.filled(fill, seen);
  later(() => {
    desk?.keepFill(event, wallMs);
    logFill(fill, source, seen.isPaper ? `${nameOf(seen)} on PAPER` : nameOf(seen), log);
  });
}

function logFill(fill: Fill, source: FillSource, name: string, log: Log): void {
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
  { desks, log, state }: EffectModules,
): void {
  // A difference of a market's book concerns every account that quotes there.
  for (const desk of desks.values()) {
    if (accountId === null ? marketId !== null && desk.markets.has(marketId) : desk.accountId === accountId) {
      desk.metrics.mismatches[what].inc();
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

/** What it may be closes its market, or its side of it, until it can be read or is gone. */
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

function onUnattributed(effect: EffectOf<"unattributed">, { desks, clock, log }: EffectModules): void {
  const { accountId, marketId, contracts, from, to } = effect;
  const desk = desks.get(accountId);
  const sentence = unattributedText(accountId, marketId, effect);
  log.warn(
    { event: "position.unattributed", account: `${accountId}`, market: marketId, contracts: contractsOf(contracts) },
    sentence,
  );
  desk?.metrics.mismatches.position.inc();
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

/** What neither a fill nor funding explains: it is no profit of ours, and whoever looks after the account should know of it. */
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

/** The first read of this run: what it shows beside the book of earlier ones is written down before it is judged. */
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

/** The exchange took positions from us: our model of margin is wrong, so nothing goes on before a person has looked. */
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
