// The parameters of strategies, estimated from a recorded session. Volatility and prints: by the estimators that strategies quote on,
// summed over stretches of the session, with intervals from resampling the stretches (Künsch 1989). Funding: by regression over
// settlements. The fill model: by the distribution of how far takers reach.

import { type FundingPull, noFundingPull } from "../../bot/strategy/funding-pull.ts";
import { nowcastUsd, printDeviationBps } from "../../bot/strategy/nowcast.ts";
import { type PrintMove, printMoveBps } from "../../bot/strategy/print-move.ts";
import {
  noReachSums,
  noReachWatch,
  type ReachSums,
  type ReachWatch,
  type Taker,
  totalOf,
  watchBook,
  watchTrade,
  withTouches,
} from "../../bot/strategy/reach.ts";
import { whyUnidentified } from "../../bot/strategy/reach-law.ts";
import { foldSignals, type Own, type SignalState, startSignals } from "../../bot/strategy/signals.ts";
import { type Volatility, volatilityBps } from "../../bot/strategy/volatility.ts";
import { estimateTiming } from "../../bot/timing.ts";
import type { Book } from "../../domain/book.ts";
import type { VenueEvent } from "../../domain/event.ts";
import { type FittedQueue, isFitted } from "../../domain/queue.ts";
import { type MarketId, type Size, size } from "../../domain/units.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { createPrng, type Prng } from "../../kernel/prng.ts";
import { ln } from "../../kernel/real.ts";
import { studentT95 } from "../../kernel/student.ts";
import { BLOCKS_MIN, sumOf } from "../summary.ts";
import { type Informed, informedOf } from "./informed.ts";
import { QueueWatch } from "./queue-fit.ts";
import { type ReachStretch, reachFit, sumsOf as reachSumsOf } from "./reach-fit.ts";
import { type Happened, type Recording, readSession, replaySession, type Session } from "./session.ts";

/** An estimate and its 95 % interval; null where too little was seen. */
export type Interval = { readonly value: number; readonly low: number | null; readonly high: number | null };

export const fitted = [
  "volatilityBps",
  "intensityA",
  "intensityK",
  "depthBps",
  "kappaPerHour",
  "printSurpriseBps",
  "printMoveBps",
  "informedShare",
] as const;
export type Fitted = (typeof fitted)[number];

export type Calibration = {
  readonly marketId: MarketId;
  readonly market: string;
  readonly hours: number;
  readonly takers: number;
  readonly prints: number;
  readonly settlements: number;
  /** Contracts of the order that depth was measured for. */
  readonly orderSize: Size;
  readonly estimates: Readonly<Record<Fitted, Interval | null>>;
  /** Why A, k and the depth of the fill model are not identified; null: they are. */
  readonly unidentified: string | null;
  /** The queue model's fit over all markets; null: too few of our orders were filled. */
  readonly queueFit: FittedQueue | null;
};

const STRETCHES = 20;
const DRAWS = 500;
const SEED = 1n;
/** A prediction after fewer prints is worthless. */
const PRINTS_LEARNED = 10;
/** Below three the slope of funding has no interval. */
const SETTLEMENTS_MIN = 3;

/** Returns one object per market. Throws SessionError, and what the recording throws. */
export function calibrateRecording(recording: Recording): readonly Calibration[] {
  const session = readSession(recording);
  const samples = session.markets.map(({ market }) => new Sample(market.marketId, market.name, session));
  const queues = new QueueWatch(session);
  for (const happened of replaySession(recording, session)) {
    queues.take(happened);
    for (const sample of samples) sample.take(happened);
  }
  const fit = queues.fit();
  const queueFit = isFitted(fit) ? fit : null;
  return samples.map((sample) => ({ ...sample.end(), queueFit }));
}

/** Sums over one stretch, by the estimators' own names. */
type Stretch = {
  readonly volatility: Pick<Volatility, "hour" | "samples">;
  readonly printMove: PrintMove;
  /** Squared surprises of predicted prints, in log price. */
  readonly surprises: number[];
  readonly reach: ReachStretch;
};

type Pair = { readonly premium: number; readonly rate: number };

/** Estimates whose intervals come from resampled stretches. */
type Drawn = "volatilityBps" | "printSurpriseBps" | "printMoveBps";

class Sample {
  readonly #name: string;
  readonly #marketId: MarketId;
  readonly #fromMs: number;
  readonly #lastsMs: number;
  readonly #stretchMs: number;
  readonly #orderSize: Size;
  #state: SignalState;
  readonly #stretches: Stretch[] = [];
  #surprises: number[] = [];
  readonly #pairs: Pair[] = [];
  readonly #prints: number[] = [];
  /** Mids by second, USD. */
  readonly #mids: number[] = [];
  #seen = 0;
  #watch: ReachWatch = noReachWatch;
  #countedMs = 0;
  #takers: Taker[] = [];
  #touches: ReachSums["touches"] = noReachSums.touches;

  constructor(marketId: MarketId, name: string, session: Session) {
    this.#marketId = marketId;
    this.#name = name;
    this.#fromMs = session.fromMs;
    this.#lastsMs = session.toMs - session.fromMs;
    this.#stretchMs = Math.max(1, Math.ceil(this.#lastsMs / STRETCHES));
    const own = [...session.orders.values()].find((command) => command?.marketId === marketId);
    this.#orderSize = own?.size ?? size(1n);
    this.#state = startSignals(marketId);
  }

  take(happened: Happened): void {
    const { wallMs } = happened;
    while (this.#stretches.length < Math.min(STRETCHES - 1, Math.floor((wallMs - this.#fromMs) / this.#stretchMs)))
      this.#endStretch(wallMs);
    switch (happened.kind) {
      case "published":
        this.#fold(happened.published, wallMs);
        break;
      case "received":
        this.#fold(happened.event, wallMs);
        break;
      case "shown":
        if (happened.book.marketId === this.#marketId) this.#look(happened.book, wallMs);
        break;
      case "trade":
        if (happened.own !== "taker" && happened.trade.marketId === this.#marketId) this.#reach(happened, wallMs);
        break;
      default:
        break;
    }
  }

  end(): Omit<Calibration, "queueFit"> {
    const toMs = this.#fromMs + this.#lastsMs;
    this.#endStretch(toMs);
    const reach = this.#stretches.map((each) => each.reach);
    const informed = informedOf(
      reach.flatMap(({ takers }) => takers),
      { fromMs: this.#fromMs, toMs, mids: this.#mids },
    );
    const fills = this.#fillModel(reach, informed);
    const found = this.#estimates(this.#stretches);
    const surprises = sumOf(this.#stretches, (each) => each.surprises.length);
    const moves = Math.round(sumOf(this.#stretches, ({ printMove }) => printMove.prints));
    const prng = createPrng(SEED).fork(`market ${this.#marketId}`);
    const drawn = Array.from({ length: DRAWS }, () => this.#estimates(drawnFrom(this.#stretches, prng)));
    const drawnOf = (name: keyof typeof found): Interval | null =>
      intervalOf(
        found[name],
        drawn.map((each) => each[name]),
      );
    return {
      marketId: this.#marketId,
      market: this.#name,
      hours: Math.round((100 * this.#lastsMs) / HOUR_MS) / 100,
      takers: reach.reduce((sum, { takers }) => sum + takers.length, 0),
      prints: this.#prints.length,
      settlements: this.#pairs.length,
      orderSize: this.#orderSize,
      estimates: {
        volatilityBps: drawnOf("volatilityBps"),
        ...fills.estimates,
        kappaPerHour: this.#kappa(),
        printSurpriseBps: surprises < BLOCKS_MIN ? null : drawnOf("printSurpriseBps"),
        printMoveBps: moves < BLOCKS_MIN ? null : drawnOf("printMoveBps"),
        informedShare: informed?.share ?? null,
      },
      unidentified: fills.why,
    };
  }

  #fold(event: VenueEvent, wallMs: number): void {
    const before = this.#state;
    const own: Own = { orders: [], vacated: [], isPaper: true, orderSize: this.#orderSize, chainTimeMs: wallMs };
    this.#state = foldSignals(before, event, own);
    if (this.#state === before) return;
    const { nowcast, funding, midUsd } = this.#state;
    const { last } = nowcast;
    if (last !== null && last !== before.nowcast.last) this.#print(last.usd, nowcastUsd(before.nowcast));
    if (funding.sums.settlements > 0) this.#settle(funding);
    if (midUsd !== null) this.#mids[Math.floor((wallMs - this.#fromMs) / 1000)] = midUsd;
  }

  #look(book: Book, wallMs: number): void {
    this.#count(wallMs);
    const { watch, ended } = watchBook(this.#watch, book, this.#state.midUsd);
    this.#watch = watch;
    this.#takers.push(...ended);
  }

  #reach({ trade, own }: Extract<Happened, { kind: "trade" }>, wallMs: number): void {
    const { watch, ended } = watchTrade(this.#watch, trade, { atMs: wallMs, isOurs: own === "maker" });
    this.#watch = watch;
    this.#takers.push(...ended);
  }

  /** A book that has stood longer than that may not stand anymore: time passes uncounted. */
  #count(nowMs: number): void {
    const seconds = (nowMs - this.#countedMs) / 1000;
    this.#countedMs = nowMs;
    if (seconds > estimateTiming.bookUnseenMaxSec) return;
    this.#touches = withTouches({ ...noReachSums, touches: this.#touches }, this.#watch, seconds).touches;
  }

  #fillModel(reach: readonly ReachStretch[], informed: Informed | null) {
    const unknown = { intensityA: null, intensityK: null, depthBps: null };
    const why = whyUnidentified(totalOf(reachSumsOf(reach, () => 1)));
    if (why !== null) return { estimates: unknown, why };
    const { a = null, k = null } = reachFit(reachSumsOf(reach, informed?.weightOf ?? (() => 1))) ?? {};
    const midUsd = this.#mids.findLast((mid) => mid !== undefined) ?? null;
    if (k === null || midUsd === null)
      return { estimates: unknown, why: "the session is too short: the interval of k is wider than a factor of three" };
    const depthBps = { value: 10_000 / k.value, low: 10_000 / k.high, high: 10_000 / k.low };
    const intensityK = { value: k.value / midUsd, low: k.low / midUsd, high: k.high / midUsd };
    return { estimates: { intensityA: a, intensityK, depthBps }, why: null };
  }

  #print(usd: number, predictedUsd: number | null): void {
    this.#prints.push(usd);
    if (predictedUsd !== null && this.#prints.length > PRINTS_LEARNED)
      this.#surprises.push(ln(usd / predictedUsd) ** 2);
  }

  /** The sums hold only this settlement. */
  #settle(funding: FundingPull): void {
    this.#pairs.push({ premium: funding.sums.p, rate: funding.sums.r });
    this.#state = { ...this.#state, funding: { ...funding, sums: noFundingPull.sums } };
  }

  #endStretch(nowMs: number): void {
    const { volatility, printMove } = this.#state;
    const samples = volatility.samples - this.#seen;
    this.#seen = volatility.samples;
    const { hour } = volatility;
    this.#count(nowMs);
    this.#stretches.push({
      volatility: { hour, samples },
      printMove,
      surprises: this.#surprises,
      reach: { takers: this.#takers, touches: this.#touches },
    });
    this.#surprises = [];
    this.#takers = [];
    this.#touches = noReachSums.touches;
    this.#state = {
      ...this.#state,
      volatility: { ...volatility, hour: { squares: 0, seconds: 0 } },
      printMove: { ...printMove, prints: 0, squares: 0 },
    };
  }

  #estimates(stretches: readonly Stretch[]): Readonly<Record<Drawn, number | null>> {
    const sum = (of: (stretch: Stretch) => number): number => sumOf(stretches, of);
    const moves = {
      squares: sum((each) => each.volatility.hour.squares),
      seconds: sum((each) => each.volatility.hour.seconds),
    };
    const surprises = sum((each) => each.surprises.length);
    const prints = sum(({ printMove }) => printMove.prints);
    const squares = sum(({ printMove }) => printMove.squares);
    const { volatility, printMove, lived } = this.#state;
    return {
      volatilityBps:
        moves.seconds === 0
          ? null
          : volatilityBps({ ...volatility, samples: sum((each) => each.volatility.samples), hour: moves }),
      printSurpriseBps:
        surprises === 0
          ? null
          : 10_000 * Math.sqrt(sum((each) => each.surprises.reduce((a, b) => a + b, 0)) / surprises),
      printMoveBps: prints === 0 ? null : printMoveBps({ ...printMove, prints, squares }, printDeviationBps(lived)),
    };
  }

  /** The slope of the settled rates over the mean premiums, without the strategies' prior. Null: too few, or the premium never changed. */
  #kappa(): Interval | null {
    const { schedule } = this.#state.funding;
    const count = this.#pairs.length;
    if (schedule === null || count < SETTLEMENTS_MIN) return null;
    const perHour = HOUR_MS / 1000 / schedule.fundingIntervalSecs;
    const mean = (of: (pair: Pair) => number): number => this.#pairs.reduce((sum, pair) => sum + of(pair), 0) / count;
    const [premium, rate] = [mean((pair) => pair.premium), mean((pair) => pair.rate)];
    const squares = mean((pair) => (pair.premium - premium) ** 2);
    if (squares === 0) return null;
    const slope = mean((pair) => (pair.premium - premium) * (pair.rate - rate)) / squares;
    const rest = mean((pair) => (pair.rate - rate - slope * (pair.premium - premium)) ** 2) * count;
    const error = Math.sqrt(rest / (count - 2) / (squares * count)) * studentT95(count - 2);
    const ends = [slope - error, slope, slope + error].map((each) => bounded(each * perHour));
    return { low: ends[0] ?? 0, value: ends[1] ?? 0, high: ends[2] ?? 0 };
  }
}

const bounded = (kappa: number): number => Math.min(1, Math.max(0, kappa));

const drawnFrom = (stretches: readonly Stretch[], prng: Prng): readonly Stretch[] =>
  stretches.map((each) => stretches[prng.below(stretches.length)] ?? each);

/** Resampled values lie around the estimate as the estimate lies around the truth: cuts off their outer 2.5 % on either side. */
function intervalOf(value: number | null, drawn: readonly (number | null)[]): Interval | null {
  if (value === null) return null;
  const sorted = drawn.filter((each) => each !== null).sort((a, b) => a - b);
  if (sorted.length < DRAWS / 2) return { value, low: null, high: null };
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? value;
  return { value, low: at(0.025), high: at(0.975) };
}
