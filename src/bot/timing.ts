// Every duration of the bot in one place, grouped, each with its reason; in ms unless its name says seconds. Durations that an operator
// sets (`venue.readLagMaxMs`, `venue.landingBoundMs`, `watchdog.silenceMs`, `fleet.leaseMs`, the limits of a market) are in the
// configuration. test/unit/bot/timing.test.ts checks which must be longer than which, against the configuration's defaults too.

import { streamTiming } from "../client/stream/heartbeat.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../kernel/clock.ts";

export { streamTiming };

/** How long a request waits for its answer. */
export const requestTiming = {
  readTimeoutMs: 5000,
  submitTimeoutMs: 5000,
  /** A cancel is repeated sooner than anything else. */
  cancelTimeoutMs: 2000,
} as const;

/** Connections of requests. */
export const connectionTiming = {
  /** Shorter than the idle time at which common servers hang up (5 s): a request on a dying connection is lost. */
  keepAliveMs: 4000,
  /** Subtracted from the idle time that a server announces. */
  keepAliveMarginMs: 1000,
  /** Interval of the look at connections: one that would be too old at the next look is replaced. */
  tendMs: 1000,
} as const;

/**
 * When each thing is read. Orders and positions must be reconciled every 10 s; the account is read more often, so that a slow answer is
 * still in time. No event shows that a market was paused or an oracle became stale, and quotes must be gone within a second of either: both
 * are read more often than that.
 */
export const readTiming = {
  everyMs: {
    market: 800,
    oracle: 500,
    oracleHistory: 600_000,
    book: 5000,
    funding: 60_000,
    trades: 30_000,
    account: 7500,
    /** Asked only while a cancel has not shown its effect. */
    orders: 1000,
    rateLimit: 30_000,
    feeTiers: 600_000,
    openOrderCap: 600_000,
  },
  /** Least time between two reads of the same thing, however doubtful. */
  hurriedMs: 250,
  /** The same for facts that are only useful to know better. */
  soonMs: 1000,
  /** First wait after a failed read. */
  retryMs: 500,
  /** Longest wait for a read that a doubt waits for. */
  retryWantedMs: 2000,
  /** No read takes longer than three requests, one after the other. */
  tookMaxMs: 3 * requestTiming.readTimeoutMs,
} as const;

/** Maximum age of a fact that counts: a small multiple of its interval, so that one lost answer closes nothing. */
export const ageTiming = {
  /** Any frame or pong. */
  streamMs: streamTiming.silenceMs,
  /** The height must have advanced: a halted chain answers pings as well as a running one. */
  chainMs: streamTiming.silenceMs,
  /** Market status has no event of its own: without an answer it is as old as a silent stream. */
  marketMs: streamTiming.silenceMs,
  /** Oracle status has none either. */
  oracleMs: streamTiming.silenceMs,
  /** A snapshot, or a read of the book that agreed with it: three polls. */
  bookMs: 3 * readTiming.everyMs.book,
  /** Settles hourly and only moves the center of quotes: three polls. */
  fundingMs: 3 * readTiming.everyMs.funding,
  /** Two and a half rounds of the 10 s in which orders and positions must be reconciled. */
  reconciledMs: 25_000,
  /** Schedules change by governance: three polls. */
  feeTiersMs: 3 * readTiming.everyMs.feeTiers,
  openOrderCapMs: 3 * readTiming.everyMs.openOrderCap,
} as const;

/** The exchange's facts: stream, chain, oracle. */
export const marketTiming = {
  /** A subscription answers with a snapshot (S6.2); after this long without one it is dead. */
  snapshotMs: 5000,
  /** Frames of the book lag reads and answers by less than this; afterwards a book that a read contradicts is not believed. */
  bookLagMs: 1000,
  /** Waits between subscriptions to a silent book. The longest wait, the detecting reads and new quotes together take less than 40 s. */
  bookAgain: { firstMs: 5000, maxMs: 20_000 },
  /** Least age of a connection that is replaced for a silent book: the account pauses once in this time. */
  bookReconnectMs: 5 * MINUTE_MS,
  /** Two reads of the book: enough to contradict a frozen snapshot, unless nothing in the market moves. */
  bookProofMs: 2 * readTiming.everyMs.book,
  /** A slower ping shows too little of the chain's clock. */
  roundTripMs: 2000,
  /** The median of four pings; a clock that was briefly wrong must not close a market for more than 30 s. */
  offsetWindowMs: 4 * streamTiming.pingMs,
  /** Maximum error of chain time as we know it; a node that answers in whole seconds may also be a little behind. */
  clockErrorMs: 5000,
  /** Maximum block time that widens the clock's error bound: a halted chain, or wrong block times, must not widen it further. */
  blockMaxMs: 2000,
  /** A lower chain counts once its heights have risen for this long: it restarted, or continues lower. */
  restartMs: 10_000,
  /** Longer than any index that is still published waits for its next print. */
  validMaxMs: 366 * DAY_MS,
  /** Past events cannot lie ahead; our idea of the chain's time may be off by less than this. */
  aheadMaxMs: DAY_MS,
} as const;

/** Evidence about an account. */
export const accountTiming = {
  /** Two reads this far apart that show the same collateral agree. */
  apartMs: readTiming.soonMs,
  /** An unexplained amount counts as a transfer after this long, where trades or settlements cannot be read. */
  unsearchedMs: readTiming.everyMs.trades,
  /** A frame may precede its answer by a slow round trip, and likewise a liquidation's own message. */
  foreignAfterMs: marketTiming.roundTripMs,
  /** Frames of one liquidation or CancelAllOrders come at most this far apart, and after its answer. */
  framesApartMs: 10_000,
  /** Messages about an unclaimed id are forgotten after this. */
  receivedKeptMs: MINUTE_MS,
  /** A fee unlike the scheduled one counts for longer than any read of the schedule takes; then a fill may show it again. */
  paidFeeMs: readTiming.everyMs.feeTiers,
  /**
   * Two unexplained postings within this are no accident: somebody else trades the account, or the exchange does not report what it does.
   */
  unattributedMs: 10 * MINUTE_MS,
  /** Between two rounds of a resync, growing while they disagree. */
  resyncRound: { firstMs: 100, maxMs: 7000, growth: 1.5 },
  /** Rounds that disagree for this long latch. */
  resyncDisagreedMs: MINUTE_MS,
} as const;

/** Nonces, the queue, and transactions without an answer. */
export const sendTiming = {
  /** Nonces that a disk write reserves ahead; a power loss skips as many. */
  reservationMs: 1000,
  /** Interval of looks at the reservation, which is extended when needed. */
  extendMs: 200,
  /** A briefly slow disk is no reason to pull quotes. */
  slowDiskMs: 1000,
  /** A nonce further ahead of t than the reservation and this came from a wrong clock: bursts of cancels lead by less. */
  nonceLeadMaxMs: 10_000,
  /** New exposure waits between failures of its slot. */
  slotBackOff: { firstMs: 50, maxMs: 5000 },
  /** A cancel that fails is tried again within a second. */
  cancelBackOff: { firstMs: 50, maxMs: 1000 },
  /** Between tries to resolve a lost answer. Back-off 1.5x: eight tries in four seconds. */
  resolveBackOff: { firstMs: 100, maxMs: 5000, growth: 1.5 },
  /** For this long an executed fresh CancelAllOrders proves that signer and clock are good. */
  proofMs: 5000,
  /**
   * The pause after a 429 without Retry-After, and the wait of a lane that finds the exchange's count used up; a burst cuts the rate once
   * in it.
   */
  limitedMs: 1000,
  /** The longest such pause: then the exchange is asked again. */
  limitedMaxMs: MINUTE_MS,
  /** Burst size: requests of this much time. */
  burstSecs: 2,
  /** A flush fence of a fleet's takeover: a hundred transactions take a few blocks. */
  flushFenceMs: 3000,
} as const;

/** Clearing the market: a stop, a halt, `cancel-all`, `flatten`. */
export const cancelTiming = {
  /** How long it keeps trying while requests fail. */
  deadlineMs: 25_000,
  /** Between two looks at what is left. */
  roundMs: 100,
  /** A list or clock that has not answered after this is asked again; a late answer still counts. */
  answerMs: 1000,
  /** Between tries without an execution. */
  backOff: { firstMs: 100, maxMs: 1000 },
  /** Head start of CancelAllOrders: its answer saves one transaction per order. */
  headStartMs: 500,
  /** No read takes longer; silent lists delay no cancel. */
  silentMs: requestTiming.readTimeoutMs,
  /** After an uncaught error: a CancelOrder for each order within this, then the end. */
  abandonMs: 5000,
  /** The watchdog's mass cancel starts over after this, with a new look at the chain's clock. */
  watchdogMs: 10_000,
  /** `flatten` gives up after this. */
  flattenMs: MINUTE_MS,
  /** Between two of its steps: facts have changed by then, and a step without a counterparty is not repeated at once. */
  flattenStepMs: 250,
} as const;

/** Windows of the guard's counts. */
export const riskTiming = {
  /** Window for counting fills and answers. */
  countedMs: MINUTE_MS,
  /** Window for counting commands that add risk. */
  addsMs: 1000,
  /** Fills of one side within this time count as one: whoever sweeps several levels has decided once. */
  oneFillMs: 1000,
  /** Rejections further apart are unrelated: longer than the longest pause that they cause themselves. */
  rejectionsApartMs: MINUTE_MS,
  /** If all new orders are rejected for this long, trading halts. */
  rejectedMs: MINUTE_MS,
  /** While a print awaits confirmation, the loss depends on current bids: it halts once it has lasted this long. */
  unconfirmedLossMs: MINUTE_MS,
  /** No publication is dated further ahead of chain time, whatever the error of our estimate. */
  printAheadMaxMs: MINUTE_MS,
} as const;

/** The loop and what watches it. */
export const loopTiming = {
  tickMs: 100,
  /** External timers may fire this early. */
  earlyMs: 1,
  /** An instant that a turn named has passed after this: what holds until then may hold at it too, and sums of fractions are inexact. */
  passedMs: 1,
  /** How long turns may occupy the event loop before it yields; a turn that sends orders takes some tenths of a millisecond. */
  busyMaxMs: 2,
  /** A market that has not turned for this long is looked at: strategies may depend on time, and every frame changes estimates a little. */
  lookMs: 1000,
  /** Clocks drift, and wall time is in whole milliseconds. A wall clock that moves further was set. */
  clockDriftMs: 20,
  /** A wall clock that gains more than this on the monotonic one was set, or the machine slept. */
  sleptMs: 1000,
  /** Longer than any pause of a healthy process, shorter than any silence on which a watchdog acts. */
  stalledMs: 3000,
  /** A stall is remembered until every fact had time to be read again. */
  stallKeptMs: readTiming.everyMs.book,
  /** `/livez`: a loop that has not turned for this long is stuck: restart it. */
  stuckMs: 5000,
  /** Median processor time of a strategy's turn; a shipped strategy takes some tens of microseconds. */
  strategyMaxMs: 5,
  /**
   * A strategy's turn that waits longer waits for something of its own, such as a file or lock, which must not stop the thread that
   * cancels.
   */
  strategyWaitMaxMs: 50,
} as const;

/** Accounts and markets at work. */
export const deskTiming = {
  /** Target quotes and resting orders may differ for this long: the longest back-off. */
  lacksMaxMs: sendTiming.slotBackOff.maxMs,
  /** On a stuck side, one order tries after this. */
  trialMs: 10_000,
  /** Maximum age of the prices of `quoin pnl`, and the counts of `quoin report`, beside a running daemon. */
  markedEveryMs: 10_000,
  /** Premiums change over hours. */
  premiumStepMs: MINUTE_MS,
  /** Interval of measuring strategies' memory, which takes well below a millisecond. */
  memoryEveryMs: 10_000,
  /** Correlations are updated for all markets at once. */
  correlationEveryMs: MINUTE_MS,
  /** A change of the reasons for not quoting is logged once it has lasted this long: a reconnect, or a print, closes gates for a moment. */
  reasonLastsMs: 2000,
  /** Least time between two such lines per market. */
  reasonsApartMs: 10_000,
  /** Alternating reasons are logged too, once one or the other has held for this long. */
  reasonsUnsettledMs: 30_000,
  /** While a market is not quoted for the same reasons, a line comes this often: a gate may stay closed for the rest of a day. */
  reasonAgainMs: HOUR_MS,
  /** A longer gap between turns counts as this in the quote uptime, since what rested is unknown. */
  uptimeGapMaxMs: 2000,
} as const;

/** Start, keys, and stored data. */
export const processTiming = {
  /** An exchange may be starting too; one that has not answered after this is down. */
  firstAnswerMs: 10_000,
  /** Between two tries to read or cancel before the bot quotes. */
  startAgainMs: 250,
  /** Warnings before an agent key expires, longest first. */
  keyWarningsMs: { week: 7 * DAY_MS, day: DAY_MS, hour: HOUR_MS },
  /** The least time to cancel in before a key expires, whatever the margin. */
  keyClearMinMs: 5000,
  /** Results move with every print; losing this much of them is harmless, and fills are kept with their results at once. */
  keepMs: 1000,
  /** Older money goes to the archive, unless the configuration says otherwise. */
  archiveAfterMs: 7 * DAY_MS,
  /** Each time some hundreds of old money rows go to the archive: thousands a minute, without occupying the loop for long. */
  archiveEveryMs: 10_000,
  /** Unneeded old rows are deleted, and the equity is noted, once a minute. */
  tidyEveryMs: MINUTE_MS,
  /** Estimates are written down once a minute: learning as much takes days. The markets are split into parts, one each `keepMs`. */
  estimatesEveryMs: MINUTE_MS,
  /** Another program that writes to the ledger for less time is not reported. */
  ledgerFaultMs: 1000,
  /** Retry interval of a failed disk: each try writes everything that waits. */
  diskAgainMs: 250,
  /** Wait of an open ledger's write for another program: the loop stands still meanwhile. */
  ledgerBusyMs: 5,
  /** The same at opening, when nothing trades. */
  ledgerOpenMs: 1000,
  /** Interval of checking whether agent keys are approved on other accounts: owners approve keys by hand. */
  otherAccountsEveryMs: HOUR_MS,
  /** Refused calls are counted per minute in the audit. */
  auditMs: MINUTE_MS,
} as const;

/** A change that one token proposes and another approves. */
export const proposalTiming = {
  /** Time for a person to read it, during which its basis hardly changes. */
  lastsMs: 600_000,
  /** Each one reads the configuration's file and tries its strategies. */
  everyMs: 1000,
} as const;

/** The trial of a promoted strategy, in which it may be rolled back; the first limit reached ends it. */
export const promotionTiming = {
  trialMs: DAY_MS,
  /** Fills with known markouts. */
  trialFills: 200,
} as const;

/** The watchdog process. */
export const watchdogTiming = {
  /** A slower heartbeat counts as none. */
  answerMaxMs: 2000,
  /** The last look before it cancels: a daemon that answers, answers sooner. */
  lastLookMaxMs: 500,
  /** `/livez` of the watchdog: if its next look is overdue by this, the process is stuck: restart it. */
  stuckMs: 5000,
  /** Interval of asking the exchange whether the keys may still act. */
  checkEveryMs: MINUTE_MS,
} as const;

/** Nodes of a fleet. */
export const fleetTiming = {
  /** Longest interval between renewals of a lease. */
  roundMaxMs: 400,
  lookMs: 20,
  /** Between two accounts that a node takes: each start needs the processor, and other nodes get their share. */
  takeMs: 100,
  /** Between two accounts that a node gives up: about the time that their next holders need for a start. */
  leaveMs: 200,
  /** An account that failed to start is left to others for this long. */
  failedMs: 5000,
  /** How long a starting node waits to learn whether it could quote. */
  knownMs: 1000,
  /** A node that could not quote for this long gives its accounts up to one that could. */
  unableMs: 3000,
  /** Accounts per round. */
  yieldsMax: 2,
  /** Least time between two such transfers of one account. */
  yieldEveryMs: MINUTE_MS,
  /** A wall clock set back by more since the database was asked may hide that the machine slept. Less is within the remaining margin. */
  setBackMaxMs: 500,
  retryMs: 200,
  listenAgainMs: 500,
  /** Records that a standby may lack at a takeover are younger. */
  rememberedMs: MINUTE_MS,
} as const;

/** Measurements of markets and fills. */
export const estimateTiming = {
  volatilitySampleMs: 1000,
  volatilityHalfLifeSec: { hour: HOUR_MS / 1000, day: DAY_MS / 1000, week: (7 * DAY_MS) / 1000 },
  reachSampleSec: 1,
  /** The law of takers moves with hundreds of them; as long as it is unknown, the next minute may bring it. */
  reachLawSec: { unknown: MINUTE_MS / 1000, known: (5 * MINUTE_MS) / 1000 },
  /** The market's forecast of the next print moves over hours. */
  marketSampleSec: 1,
  reachHalfLifeSec: DAY_MS / 1000,
  /** A position comes and goes within hours: the skew follows its history over days. */
  leanSampleSec: 1,
  leanHalfLifeSec: DAY_MS / 1000,
  /** After four reads of the book without one, orders and trades of that time are unknown. */
  bookUnseenMaxSec: (4 * readTiming.everyMs.book) / 1000,
  /** A fill is judged by the mid after a minute; a mid later than `lateMaxMs` shows nothing of it. */
  toxicityMs: MINUTE_MS,
  toxicityLateMaxMs: 5000,
  /** Makers have pulled their quotes by then: the mid's move over a print is counted from here to `afterPrintMs` after it. */
  moveBeforePrintMs: 2 * MINUTE_MS,
  /** Span of correlated moves of marks, or a quarter of the time between two prints; remembered for days. */
  marksReachMs: 30 * MINUTE_MS,
  marksPrintShare: 0.25,
  marksHalfLifeMs: 3 * DAY_MS,
  /** A mid that lasted for this long is the others': an order of ours is known by then. */
  midLastedMs: 10_000,
  /** Around a print the market is unusual: this long before and after one, and at most this share of the time between two. */
  beforePrintMs: 30 * MINUTE_MS,
  afterPrintMs: 5 * MINUTE_MS,
  aroundPrintShare: 0.125,
  /** A print this much before its configured time counts for that time; an earlier one corrects the print before. */
  earlyPrintMs: 5 * MINUTE_MS,
} as const;

/** Storage of every event and decision, for a replay. */
export const recordingTiming = {
  /** A kill loses only what is younger than both together. */
  writeEveryMs: 250,
  sealEveryMs: 1000,
  /** Events wait for at most this much of it. */
  sliceMs: 1,
} as const;

/** Outside facts. */
export const outsideTiming = {
  /** A pushed value is not dated further ahead of the chain's time: clocks differ by less. */
  pushAheadMaxMs: 1000,
  /** A signal takes at most `pushesPerSpan` pushes within this. */
  pushSpanMs: 1000,
  pushesPerSpan: 10,
} as const;

/** For people and their tools. */
export const reportTiming = {
  /** A repeated line comes once in this time, with its count. */
  recurringLineMs: MINUTE_MS,
  /** Interval of building the page's data. */
  pageEveryMs: 1000,
  /** A point of the page's history. */
  historyEveryMs: 10_000,
  /** Four hours of every sample, a day of one a minute, a week of one each ten minutes. */
  historyTiers: [
    { everyMs: 0, count: 1440 },
    { everyMs: MINUTE_MS, count: 1440 },
    { everyMs: 10 * MINUTE_MS, count: 1008 },
  ],
  /** Nobody acts on an older event: the webhook drops it. */
  webhookAgeMaxMs: HOUR_MS,
  webhookBackOff: { firstMs: 250, maxMs: 30_000 },
  /** A request to the daemon, and its head, must have arrived by then; and how often that is checked. */
  requestMs: 10_000,
  requestHeadMs: 5000,
  requestsLookedAtMs: 1000,
  /** Delay of the answer to an address's first wrong token; each further one doubles it. */
  wrongTokenMinMs: 50,
  /** Below the time that a command waits for an answer, so that it learns that its token is wrong. */
  wrongTokenMaxMs: 1000,
  /** Interval of reading token files: a deleted one is void within a second. */
  tokensMs: 250,
} as const;
