// Every duration of the bot in one place, grouped, each with its reason; in ms unless its name says seconds. What an operator sets
// (`venue.readLagMaxMs`, `venue.landingBoundMs`, `watchdog.silenceMs`, `fleet.leaseMs`, the limits of a market) stands in the
// configuration. What must be longer than what is held by test/unit/bot/timing.test.ts, against the configuration's defaults too.

import { streamTiming } from "../client/stream/heartbeat.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../kernel/clock.ts";

export { streamTiming };

/** How long a request waits for its answer. */
export const requestTiming = {
  readTimeoutMs: 5000,
  submitTimeoutMs: 5000,
  /** A cancel is sent again sooner than anything else. */
  cancelTimeoutMs: 2000,
} as const;

/** Connections of requests. */
export const connectionTiming = {
  /** Shorter than the idle time at which common servers hang up (5 s): a request on a dying connection is lost. */
  keepAliveMs: 4000,
  /** A server that says how long it keeps a connection is believed so much less. */
  keepAliveMarginMs: 1000,
  /** How often connections are looked after: one that would be too old before the next time is replaced. */
  tendMs: 1000,
} as const;

/**
 * When each thing is read. Orders and positions must be reconciled every 10 s; the account is read more often, so that a slow answer is
 * still in time. No event tells that a market was paused or that an oracle went stale, and quotes are to be gone within a second of either:
 * both are asked more often than that.
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
  /** Least time between two reads of the same thing, however doubtful it is. */
  hurriedMs: 250,
  /** The same for what is only worth knowing better. */
  soonMs: 1000,
  /** First wait after a failed read. */
  retryMs: 500,
  /** Longest wait for what a doubt waits for. */
  retryWantedMs: 2000,
  /** No read takes longer than three requests, one after the other. */
  tookMaxMs: 3 * requestTiming.readTimeoutMs,
} as const;

/** How old a fact may be before it no longer counts: a small multiple of its interval, so that one lost answer closes nothing. */
export const ageTiming = {
  /** Any frame or pong. */
  streamMs: streamTiming.silenceMs,
  /** The height must have moved: a chain that stands still answers pings as well as one that runs. */
  chainMs: streamTiming.silenceMs,
  /** Market status has no event of its own: what nobody answers is as old as a silent stream. */
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
  /** A subscription answers with a snapshot (S6.2); one that has not by then is dead. */
  snapshotMs: 5000,
  /** Frames of the book are behind reads and answers by less than this; afterwards a book that a read contradicts is not believed. */
  bookLagMs: 1000,
  /** Waits between subscriptions to a silent book. The longest wait, the reads that notice, and new quotes together take less than 40 s. */
  bookAgain: { firstMs: 5000, maxMs: 20_000 },
  /** Least age of a connection that is replaced for a book that stays silent: the account pauses once in this time. */
  bookReconnectMs: 5 * MINUTE_MS,
  /** Two reads of the book: enough to contradict a frozen snapshot, unless the market stands still. */
  bookProofMs: 2 * readTiming.everyMs.book,
  /** A ping that took longer says too little about the chain's clock. */
  roundTripMs: 2000,
  /** The median of four pings; a clock that was wrong and is right again must not close a market for more than 30 s. */
  offsetWindowMs: 4 * streamTiming.pingMs,
  /** Chain time as we know it is no further off than this; a node that answers in whole seconds may be a little behind as well. */
  clockErrorMs: 5000,
  /** A chain that stood still, or whose block times are wrong, does not widen by more than this what its clock may be off. */
  blockMaxMs: 2000,
  /** A chain at a lower height is the chain once its heights have risen for so long: it began again, or goes on lower. */
  restartMs: 10_000,
  /** Longer than any index that is still published waits for its next print. */
  validMaxMs: 366 * DAY_MS,
  /** What has happened cannot lie ahead; our idea of the chain's time may be off by less than this. */
  aheadMaxMs: DAY_MS,
} as const;

/** What is believed of an account. */
export const accountTiming = {
  /** Two reads so far apart that show the same amount of collateral agree. */
  apartMs: readTiming.soonMs,
  /** An amount that nothing explains is a transfer after this long, where trades or settlements cannot be read. */
  unsearchedMs: readTiming.everyMs.trades,
  /** A frame may be ahead of its answer by a slow round trip, and of a liquidation's own message. */
  foreignAfterMs: marketTiming.roundTripMs,
  /** Frames of one thing, a liquidation or a CancelAllOrders, come this far apart, and after its answer. */
  framesApartMs: 10_000,
  /** What was received about an id that nobody claims is forgotten after that. */
  receivedKeptMs: MINUTE_MS,
  /** A fee beside the schedule counts for longer than any read of the schedule takes; afterwards a fill may show again what is paid. */
  paidFeeMs: readTiming.everyMs.feeTiers,
  /**
   * Two postings that no fill explains within this are no accident: somebody trades the account, or the exchange does not say what it does.
   */
  unattributedMs: 10 * MINUTE_MS,
  /** Between two rounds of a resync, growing while they disagree. */
  resyncRound: { firstMs: 100, maxMs: 7000, growth: 1.5 },
  /** Rounds that disagree for so long latch. */
  resyncDisagreedMs: MINUTE_MS,
} as const;

/** Nonces, the queue, and transactions without an answer. */
export const sendTiming = {
  /** Nonces that a disk write reserves ahead; a power loss skips as many. */
  reservationMs: 1000,
  /** The reservation is looked at this often; it is extended when there is need. */
  extendMs: 200,
  /** A disk that is slow for a moment is no reason to pull quotes. */
  slowDiskMs: 1000,
  /** A nonce that is further ahead of t than the reservation and this came from a wrong clock: bursts of cancels lead by less. */
  nonceLeadMaxMs: 10_000,
  /** New exposure waits between failures of its slot. */
  slotBackOff: { firstMs: 50, maxMs: 5000 },
  /** A cancel that fails is tried again within a second. */
  cancelBackOff: { firstMs: 50, maxMs: 1000 },
  /** Between tries to resolve a lost answer. Back-off 1.5x: eight tries in four seconds. */
  resolveBackOff: { firstMs: 100, maxMs: 5000, growth: 1.5 },
  /** For so long a fresh CancelAllOrders that was taken proves that signer and clock are good. */
  proofMs: 5000,
  /**
   * The pause after a 429 without Retry-After, and what a lane waits that finds the exchange's count used up; a burst cuts the rate once in
   * it.
   */
  limitedMs: 1000,
  /** The longest such pause: then the exchange is asked again. */
  limitedMaxMs: MINUTE_MS,
  /** Requests that may leave at once are those of so long. */
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
  /** A list, or a clock, that has not answered by then is asked again; its answer still counts when it comes. */
  answerMs: 1000,
  /** Between tries that nobody executes. */
  backOff: { firstMs: 100, maxMs: 1000 },
  /** CancelAllOrders alone first: its answer spares one transaction an order. */
  headStartMs: 500,
  /** A read takes no longer; lists that stay silent keep no cancel back. */
  silentMs: requestTiming.readTimeoutMs,
  /** After an error that nothing caught: a CancelOrder for each order within this, then the end. */
  abandonMs: 5000,
  /** The watchdog's mass cancel begins again after so long, with a new look at the chain's clock. */
  watchdogMs: 10_000,
  /** `flatten` gives up closing after so long. */
  flattenMs: MINUTE_MS,
  /** Between two of its steps: facts have moved by then, and one that found nobody to trade with is not repeated at once. */
  flattenStepMs: 250,
} as const;

/** What the guard counts and remembers. */
export const riskTiming = {
  /** Fills and answers are counted a minute. */
  countedMs: MINUTE_MS,
  /** Commands that add risk are counted a second. */
  addsMs: 1000,
  /** Fills of one side within this time are one: whoever sweeps several levels has decided once. */
  oneFillMs: 1000,
  /** Rejections further apart do not belong together: longer than the longest pause that they cause themselves. */
  rejectionsApartMs: MINUTE_MS,
  /** New orders that are all rejected for so long halt. */
  rejectedMs: MINUTE_MS,
  /** While a print awaits confirmation, the loss depends on what others bid at this moment: it halts once it has lasted this long. */
  unconfirmedLossMs: MINUTE_MS,
  /** No publication is dated further ahead of chain time, whatever our estimate of that is off by. */
  printAheadMaxMs: MINUTE_MS,
} as const;

/** The loop and what watches it. */
export const loopTiming = {
  tickMs: 100,
  /** Timers of the outside run up to so much early. */
  earlyMs: 1,
  /** An instant that a turn named has passed after so long: what holds until then may hold at it too, and sums of fractions are inexact. */
  passedMs: 1,
  /** How long turns may occupy the event loop before it yields; a turn that sends orders takes some tenths of a millisecond. */
  busyMaxMs: 2,
  /** A market that has not turned for so long is looked at: strategies may go by time, and every frame changes estimates a little. */
  lookMs: 1000,
  /** Clocks drift, and wall time is in whole milliseconds. A wall clock that moves further was set. */
  clockDriftMs: 20,
  /** A wall clock that gains more than this on the monotonic one was set, or the machine slept. */
  sleptMs: 1000,
  /** Longer than any pause of a healthy process, shorter than any silence that a watchdog acts on. */
  stalledMs: 3000,
  /** A stall is remembered until every fact had the time to be read again. */
  stallKeptMs: readTiming.everyMs.book,
  /** `/livez`: a loop that has not turned for this long is stuck: restart it. */
  stuckMs: 5000,
  /** Processor time of a strategy's turn, by the median; one of the shipped strategies takes some tens of microseconds. */
  strategyMaxMs: 5,
  /**
   * A strategy's turn that waits longer waits for something of its own, such as a file or lock, which must not stop the thread that
   * cancels.
   */
  strategyWaitMaxMs: 50,
} as const;

/** Accounts and markets at work. */
export const deskTiming = {
  /** Target quotes and resting orders may differ for so long: a back-off at its longest. */
  lacksMaxMs: sendTiming.slotBackOff.maxMs,
  /** While a side stands still, one order tries after this. */
  trialMs: 10_000,
  /** How old the prices of `quoin pnl`, and the counts of `quoin report`, may be beside a running daemon. */
  markedEveryMs: 10_000,
  /** Premiums change over hours. */
  premiumStepMs: MINUTE_MS,
  /** Strategies' memory is measured this often; it takes well below a millisecond. */
  memoryEveryMs: 10_000,
  /** How markets move together is looked at in all of them at once. */
  correlationEveryMs: MINUTE_MS,
  /** A change of why a market is not quoted is logged once it has lasted this long: a reconnect, or a print, closes gates for a moment. */
  reasonLastsMs: 2000,
  /** Least time between two such lines per market. */
  reasonsApartMs: 10_000,
  /** Reasons that take turns are logged too, once there has been one or the other for so long. */
  reasonsUnsettledMs: 30_000,
  /** While a market is not quoted for the same reasons, a line comes this often: a gate may stay closed for the rest of a day. */
  reasonAgainMs: HOUR_MS,
  /** A longer gap between turns counts in the quote uptime as this: nobody knows what rested. */
  uptimeGapMaxMs: 2000,
} as const;

/** Start, keys, and what is kept. */
export const processTiming = {
  /** An exchange may be starting too; one that has not answered by then does not answer. */
  firstAnswerMs: 10_000,
  /** Between two tries to read or cancel before the bot quotes. */
  startAgainMs: 250,
  /** The operator is warned so long before an agent key expires, longest first. */
  keyWarningsMs: { week: 7 * DAY_MS, day: DAY_MS, hour: HOUR_MS },
  /** The least time to cancel in before a key expires, whatever the margin. */
  keyClearMinMs: 5000,
  /** Results move with every print; losing this much of them is nothing, and fills are kept with their results at once. */
  keepMs: 1000,
  /** Money older than that goes to the archive, unless the configuration says otherwise. */
  archiveAfterMs: 7 * DAY_MS,
  /** Each time some hundreds of old rows of money go to the archive: thousands a minute, and none holds the loop for long. */
  archiveEveryMs: 10_000,
  /** Old rows that nobody needs go, and the equity is noted, once a minute. */
  tidyEveryMs: MINUTE_MS,
  /** What markets taught is written down once a minute: learning as much takes days. A part of `keepMs` of the markets at a time. */
  estimatesEveryMs: MINUTE_MS,
  /** Another program that writes to the ledger for less than that is no news. */
  ledgerFaultMs: 1000,
  /** A failed disk is tried again this often: each try writes everything that waits. */
  diskAgainMs: 250,
  /** What a write of an open ledger waits for another program: the loop stands still meanwhile. */
  ledgerBusyMs: 5,
  /** The same while it is opened, when nothing trades. */
  ledgerOpenMs: 1000,
  /** Whether agent keys are approved on other accounts is read again this often: owners approve keys by hand. */
  otherAccountsEveryMs: HOUR_MS,
  /** Refused calls are counted a minute in the audit. */
  auditMs: MINUTE_MS,
} as const;

/** A change that one token proposes and another approves. */
export const proposalTiming = {
  /** Time for a person to read it, during which what it was judged on hardly changes. */
  lastsMs: 600_000,
  /** Each one reads the configuration's file and tries its strategies. */
  everyMs: 1000,
} as const;

/** A promoted strategy may be rolled back so long, whichever ends first. */
export const promotionTiming = {
  trialMs: DAY_MS,
  /** Those whose markouts are known. */
  trialFills: 200,
} as const;

/** The watchdog process. */
export const watchdogTiming = {
  /** A heartbeat that takes longer than this is none. */
  answerMaxMs: 2000,
  /** The last look before it cancels: a daemon that answers, answers sooner. */
  lastLookMaxMs: 500,
  /** `/livez` of the watchdog: its next look is overdue by so long that the process is stuck: restart it. */
  stuckMs: 5000,
  /** How often the exchange is asked whether the keys may still act. */
  checkEveryMs: MINUTE_MS,
} as const;

/** Nodes of a fleet. */
export const fleetTiming = {
  /** A lease is renewed at least so often. */
  roundMaxMs: 400,
  lookMs: 20,
  /** Between two accounts that a node takes: each start needs the processor, and other nodes get their share. */
  takeMs: 100,
  /** Between two accounts that a node gives up: about what their next holders need for a start. */
  leaveMs: 200,
  /** An account that did not come to work is left to others so long. */
  failedMs: 5000,
  /** How long a node that starts waits to learn whether it could quote. */
  knownMs: 1000,
  /** A node that could not quote for so long gives its accounts up to one that could. */
  unableMs: 3000,
  /** In one round. */
  yieldsMax: 2,
  /** Between two times that one account is given up so. */
  yieldEveryMs: MINUTE_MS,
  /**
   * A wall clock that was set back by more since the database was asked may hide that the machine slept. What hides less is in the rest.
   */
  setBackMaxMs: 500,
  retryMs: 200,
  listenAgainMs: 500,
  /** What a standby that takes over may lack is younger. */
  rememberedMs: MINUTE_MS,
} as const;

/** What is measured of markets and fills. */
export const estimateTiming = {
  volatilitySampleMs: 1000,
  volatilityHalfLifeSec: { hour: HOUR_MS / 1000, day: DAY_MS / 1000, week: (7 * DAY_MS) / 1000 },
  intensitySampleSec: 1,
  /** What the market says of the next print moves over hours. */
  marketSampleSec: 1,
  intensityHalfLifeSec: DAY_MS / 1000,
  /** A position comes and goes within hours: the skew follows what it has been over days. */
  leanSampleSec: 1,
  leanHalfLifeSec: DAY_MS / 1000,
  /** Where four reads of the book brought none, nobody knows what rested and who traded meanwhile. */
  bookUnseenMaxSec: (4 * readTiming.everyMs.book) / 1000,
  /** A fill is judged by the mid after a minute; one that comes later than `lateMaxMs` says nothing of it. */
  toxicityMs: MINUTE_MS,
  toxicityLateMaxMs: 5000,
  /** Makers pull their quotes by then: what the mid moves over a print is counted from here to `afterPrintMs` after it. */
  moveBeforePrintMs: 2 * MINUTE_MS,
  /** How the marks of markets move together: over so long, or a quarter of the time between two prints, and remembered for days. */
  marksReachMs: 30 * MINUTE_MS,
  marksPrintShare: 0.25,
  marksHalfLifeMs: 3 * DAY_MS,
  /** A mid that lasted for so long is the others': an order of ours is known by then. */
  midLastedMs: 10_000,
  /** Around a print the market is not its usual self: so long before and after one, and at most this share of the time between two. */
  beforePrintMs: 30 * MINUTE_MS,
  afterPrintMs: 5 * MINUTE_MS,
  aroundPrintShare: 0.125,
  /** A print this much before its configured time counts for that time; an earlier one corrects the print before. */
  earlyPrintMs: 5 * MINUTE_MS,
} as const;

/** What is kept of every event and decision, for a replay. */
export const recordingTiming = {
  /** What a kill loses is younger than both together. */
  writeEveryMs: 250,
  sealEveryMs: 1000,
  /** Events wait for no more of it than that. */
  sliceMs: 1,
} as const;

/** What people and their tools see. */
export const reportTiming = {
  /** A line that repeats itself comes once in this time, with how often it would have. */
  recurringLineMs: MINUTE_MS,
  /** The page's data is built this often. */
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
  /** A request to the daemon, and its head, must have come by then; how often that is looked at. */
  requestMs: 10_000,
  requestHeadMs: 5000,
  requestsLookedAtMs: 1000,
  /** The answer to an address's first wrong token waits for so long, each further one twice as long. */
  wrongTokenMinMs: 50,
  /** Below the time that a command waits for an answer: it shall hear that its token is wrong. */
  wrongTokenMaxMs: 1000,
  /** Token files are read again after so long: a deleted one is worth nothing within a second. */
  tokensMs: 250,
} as const;
