// What must be longer than what among the bot's durations, the configuration's defaults included.

import { expect, test } from "vitest";
import { botSchema } from "../../../src/bot/config/schema.ts";
import { marketLimitsSchema } from "../../../src/bot/risk/limits/limits.ts";
import {
  accountTiming,
  ageTiming,
  cancelTiming,
  connectionTiming,
  deskTiming,
  estimateTiming,
  fleetTiming,
  loopTiming,
  marketTiming,
  processTiming,
  readTiming,
  reportTiming,
  requestTiming,
  riskTiming,
  sendTiming,
  streamTiming,
  watchdogTiming,
} from "../../../src/bot/timing.ts";
import { DAY_MS } from "../../../src/kernel/clock.ts";

/** What an operator who sets nothing runs with. */
const venue = botSchema.shape.venue.parse({ chainId: "a" });
const watchdog = botSchema.shape.watchdog.parse({});
const ledger = botSchema.shape.ledger.parse({});
const limits = marketLimitsSchema.parse({ maxPosition: "1", maxOrderSize: "1", maxOpenOrders: 1, maxLoss: "1" });
const leaseMs = 5000;

const { everyMs } = readTiming;
/** What operators rely on: a dead stream, reconciliation, and how long a stop takes and tries. */
const promised = { streamMs: 15_000, reconciledMs: 10_000, stopMs: 10_000, tryingMs: 25_000 };

test.each<[string, number, number]>([
  [
    "a ping and its pong fit into the silence that ends a stream",
    streamTiming.pingMs + streamTiming.pongTimeoutMs,
    streamTiming.silenceMs,
  ],
  ["a connection is looked after before it is too old", connectionTiming.tendMs, connectionTiming.keepAliveMs],
  ["a cancel is given up before any other transaction", requestTiming.cancelTimeoutMs, requestTiming.submitTimeoutMs],
  [
    "an answer comes, or is given up, before its transaction can no longer land",
    requestTiming.submitTimeoutMs,
    venue.landingBoundMs,
  ],
  ["a read lags by less than a transaction may take to land", venue.readLagMaxMs, venue.landingBoundMs],

  ["what is doubtful is asked sooner than what is worth knowing", readTiming.hurriedMs, readTiming.soonMs],
  ["a failed read is tried again before its fact is too old", readTiming.retryWantedMs, ageTiming.marketMs],
  ["a paused market is seen within a second", everyMs.market, 1000],
  ["a stale oracle is seen within a second", everyMs.oracle, 1000],
  ["the account is read within the promised 10 s, a slow answer included", everyMs.account, promised.reconciledMs],
  ["one lost answer closes no market", 2 * everyMs.market, ageTiming.marketMs],
  ["nor a stale oracle", 2 * everyMs.oracle, ageTiming.oracleMs],
  ["nor a read of the book", 2 * everyMs.book, ageTiming.bookMs],
  ["nor one of funding", 2 * everyMs.funding, ageTiming.fundingMs],
  ["nor one of the account", 2 * promised.reconciledMs, ageTiming.reconciledMs],
  ["nor one of the fees", 2 * everyMs.feeTiers, ageTiming.feeTiersMs],
  ["nor one of the cap on orders", 2 * everyMs.openOrderCap, ageTiming.openOrderCapMs],
  ["a slow read of an unconfirmed fact ends before the fact is too old", readTiming.tookMaxMs, ageTiming.reconciledMs],

  ["a subscription that is dead is left before its book is too old", marketTiming.snapshotMs, ageTiming.bookMs],
  ["a wrong clock that is right again closes a market for less than 30 s", marketTiming.offsetWindowMs, 30_000],
  ["four pings fit into the window of the chain's time", 3 * streamTiming.pingMs, marketTiming.offsetWindowMs],
  [
    "a block that is counted with the clock is no reason to doubt it",
    marketTiming.blockMaxMs,
    marketTiming.clockErrorMs,
  ],
  ["the clock limit lies within what the chain's time may be off", limits.maxClockOffsetMs, marketTiming.clockErrorMs],
  ["two pongs at least show that a lower height rises", streamTiming.pingMs, marketTiming.restartMs],
  [
    "a print may be dated ahead by what the chain's time may be off",
    marketTiming.clockErrorMs,
    riskTiming.printAheadMaxMs,
  ],

  ["trades are searched before an unexplained amount is a transfer", everyMs.trades - 1, accountTiming.unsearchedMs],
  [
    "an id is remembered until it has been judged",
    accountTiming.framesApartMs + accountTiming.foreignAfterMs,
    accountTiming.receivedKeptMs,
  ],
  [
    "a wait between rounds ends before the account would be read anyway",
    accountTiming.resyncRound.maxMs,
    everyMs.account,
  ],
  ["a resync that disagrees has ten rounds", 10 * accountTiming.resyncRound.firstMs, accountTiming.resyncDisagreedMs],
  [
    "resyncs that disagree one after the other are counted together",
    accountTiming.resyncDisagreedMs,
    accountTiming.unattributedMs,
  ],

  ["a reservation is looked at before it ends", sendTiming.extendMs, sendTiming.reservationMs],
  ["a nonce of a wrong clock lies beyond what is reserved", sendTiming.reservationMs, sendTiming.nonceLeadMaxMs],
  ["a cancel is tried again sooner than an order", sendTiming.cancelBackOff.maxMs, sendTiming.slotBackOff.maxMs],
  [
    "a lost answer has several tries before time alone ends it",
    5 * sendTiming.resolveBackOff.maxMs,
    venue.landingBoundMs,
  ],
  ["a pause after 429 ends before a transaction is given up", sendTiming.limitedMs, sendTiming.limitedMaxMs],

  ["a read that stays silent ends before a stop does", cancelTiming.silentMs + venue.readLagMaxMs, promised.stopMs],
  ["a list is asked again before a read is given up", cancelTiming.answerMs, cancelTiming.silentMs],
  ["a CancelAllOrders alone gets less than a cancel's time", cancelTiming.headStartMs, requestTiming.cancelTimeoutMs],
  ["a mass cancel looks several times before its answer is late", cancelTiming.roundMs, cancelTiming.answerMs],
  ["the end after an error is quick", cancelTiming.abandonMs, promised.stopMs],
  ["a flush fence ends within a takeover", sendTiming.flushFenceMs, leaseMs],
  ["`flatten` outlasts the cancels that come first", cancelTiming.deadlineMs, cancelTiming.flattenMs],

  ["a pause does not end what caused it", limits.rejectCoolDownMs, riskTiming.rejectionsApartMs],
  ["bad answers pause before they halt", limits.rejectCoolDownMs, riskTiming.rejectedMs],

  ["turns leave the loop before it stalls", loopTiming.busyMaxMs, loopTiming.tickMs],
  ["a strategy's turn is a small part of a tick", loopTiming.strategyMaxMs, loopTiming.tickMs],
  ["a market at rest is looked at again soon", loopTiming.tickMs, loopTiming.lookMs],
  ["a market that rests is no loop that is stuck", loopTiming.lookMs, loopTiming.stuckMs],
  ["a stall closes gates before it makes a resync", limits.maxEventLoopLagMs, loopTiming.stalledMs],
  ["a stall makes a resync before the probe ends the process", loopTiming.stalledMs, loopTiming.stuckMs],
  ["the probe ends a stuck process before the watchdog acts", loopTiming.stuckMs, watchdog.silenceMs],
  ["a clock that drifts has not slept", loopTiming.clockDriftMs, loopTiming.sleptMs],

  ["a side stands still before one order tries", deskTiming.lacksMaxMs, deskTiming.trialMs],
  ["a reason lasts before it is told", deskTiming.reasonLastsMs, deskTiming.reasonsApartMs],
  ["reasons that take turns are told later", deskTiming.reasonsApartMs, deskTiming.reasonsUnsettledMs],
  ["quote uptime counts each turn of a market that rests", loopTiming.lookMs, deskTiming.uptimeGapMaxMs],

  [
    "a key that ends is cleared of orders before its margin has passed",
    processTiming.keyClearMinMs,
    limits.agentExpiryMarginMs,
  ],
  ["a write to the ledger waits for a moment only", processTiming.ledgerBusyMs, loopTiming.tickMs],
  ["a disk is tried again before its fault is told", processTiming.diskAgainMs, processTiming.ledgerFaultMs],
  ["the start asks several times", processTiming.startAgainMs, processTiming.firstAnswerMs],

  [
    "two slow looks fit into the watchdog's silence",
    watchdogTiming.answerMaxMs + watchdogTiming.lastLookMaxMs,
    watchdog.silenceMs,
  ],
  ["the watchdog looks more often than it waits for an answer", watchdog.pollMs, watchdogTiming.answerMaxMs],
  ["two slow looks of the watchdog are no stall", 2 * watchdogTiming.answerMaxMs, watchdogTiming.stuckMs],
  ["the watchdog's last look is the shorter one", watchdogTiming.lastLookMaxMs, watchdogTiming.answerMaxMs],

  ["a lease has several renewals", 4 * fleetTiming.roundMaxMs, leaseMs],
  ["a clock that was set back hides less than the spare part of a lease", fleetTiming.setBackMaxMs, leaseMs / 4],
  ["a failed account waits no shorter than a lease", leaseMs - 1, fleetTiming.failedMs],
  ["a standby's gap is younger than what it remembers", leaseMs, fleetTiming.rememberedMs],

  ["a late mid is no other minute's", estimateTiming.toxicityLateMaxMs, estimateTiming.toxicityMs],
  ["a wrong token is answered before a command gives up", reportTiming.wrongTokenMaxMs, watchdogTiming.answerMaxMs],
  ["the head of a request comes before its end", reportTiming.requestHeadMs, reportTiming.requestMs],
  ["the page is built before a point of its history", reportTiming.pageEveryMs, reportTiming.historyEveryMs],
])("%s", (_, shorter, longer) => {
  expect(shorter).toBeLessThan(longer);
});

test("what is promised and configured is what runs", () => {
  expect(ageTiming.streamMs).toBe(promised.streamMs);
  expect(cancelTiming.deadlineMs).toBe(promised.tryingMs);
  expect(processTiming.archiveAfterMs).toBe(ledger.archiveAfterDays * DAY_MS);
});
