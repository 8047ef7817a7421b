// Quotes another strategy around the value of a contract between two prints, and guards its quotes when a print is near, because traders
// who know the next print trade against those who do not.

import {
  bookWeight,
  bps,
  breakEvenWidth,
  contractsOf,
  defineStrategy,
  depthMicroprice,
  fraction,
  type GuardTimes,
  guardPhase,
  guardQuotes,
  lastKnown,
  noQuotes,
  type Oracle,
  othersBook,
  type Price,
  type Quotes,
  recoveryWidth,
  type Signals,
  type Size,
  type Strategy,
  size,
  skewInventory,
  timesFor,
  towardOutside,
  untilPrint,
  usdOf,
  type View,
  windowShare,
  withAllowed,
  worthIn,
} from "quoin/strategy";
import { z } from "zod";
import { strategy as avellanedaStoikov } from "./avellaneda-stoikov.ts";
import { strategy as fixedSpread } from "./fixed-spread.ts";
import { strategy as glft } from "./glft.ts";
import { strategy as ladder } from "./ladder.ts";

export { carryFairValue } from "quoin/strategy";

/** The base strategies, each with its own parameters. */
const baseNames = ["fixed-spread", "avellaneda-stoikov", "glft", "ladder"] as const;

const named = <const Name extends string, Params, Memory>(name: Name, { params }: Strategy<Params, Memory>) =>
  z.strictObject({ strategy: z.literal(name), params });

const bases = [
  named("fixed-spread", fixedSpread),
  named("avellaneda-stoikov", avellanedaStoikov),
  named("glft", glft),
  named("ladder", ladder),
] as const;
const base = z.discriminatedUnion("strategy", bases, {
  error: ({ input }) => {
    const written = String((input as { readonly strategy?: unknown } | undefined)?.strategy);
    return withAllowed("unknown base.strategy", [written], baseNames);
  },
});

const minutes = (least: number, most: number, says: string) =>
  fraction(least, most).meta({ unit: "minutes" }).describe(`${says} Minutes, ${least} to ${most}.`);
const ofOne = (says: string) => fraction(0, 1).describe(`${says} From 0 to 1.`);

const params = z.strictObject({
  base: base.describe("What it quotes: { strategy: glft, params: { … } }."),
  carryWeight: ofOne(
    "Weight of the carry fair value in the center; the rest is the microprice without our orders. Default 0.",
  ).default(0),
  kappaPerHour: fraction(0, 1)
    .describe("Hourly funding per unit of premium, instead of the estimate. From 0 to 1.")
    .optional(),
  surpriseBps: bps(
    0.1,
    1000,
    "Standard deviation of what the mid moves over a print, from two minutes before it to five after, instead of the estimate.",
  ).optional(),
  guard: z
    .enum(["widen", "reduceOnly", "off"])
    .default("widen")
    .describe(
      "What adds to the position before a print: widen stands further away, reduceOnly is gone. off: nothing changes around prints. Default widen.",
    ),
  windowMinutes: minutes(
    0.01,
    600,
    "How long before a print quotes are guarded, at most a tenth of the time between prints. Default 30.",
  ).default(30),
  pullMinutes: minutes(
    0.01,
    60,
    "How long before a print nothing adds to the position, at most a fiftieth of that time. Default 2.",
  ).default(2),
  settleSeconds: fraction(0.1, 600)
    .describe(
      "Seconds without quotes after a print, and until the book is younger than it; at most a twentieth of that time. Default 3; from 0.1 to 600.",
    )
    .default(3),
  recoveryMinutes: minutes(
    0.01,
    600,
    "After a print quotes are twice as wide; half of the excess is gone after so long, at most a fiftieth of that time. Default 5.",
  ).default(5),
  informedShare: fraction(0.001, 0.99)
    .describe(
      "Share of the fills before a print by traders who know it; widen goes as far as pays for them. `quoin calibrate` prints the least share over all takers, by one horizon fixed beforehand. Default 0.5; from 0.001 to 0.99.",
    )
    .default(0.5),
});

export type Params = z.output<typeof params>;

type Memory = {
  /** Memory of the base strategy. */
  readonly base: unknown;
  /** Half-spread that pays for informed traders, relative to the print's move. */
  readonly width: number;
  /** The newest print, and when it was first seen, local monotonic ms; -Infinity for the first one of a run. */
  print: { readonly price: Price; readonly validUntilSec: number; readonly seenMs: number } | null;
  /** Estimates of volatility and fills from before the guard window, because they do not describe what happens inside it. */
  calm: Pick<Signals, "volatilityBps" | "intensityA" | "intensityK">;
};

/** Smallest volatility with which the risk of a print is compared, bps per square root second. */
const VOLATILITY_FLOOR_BPS = 0.05;

export const strategy = defineStrategy({
  name: "print-aware",
  summary: "Another strategy around the fair value between prints, guarded while a print is near.",
  params,
  start: (given: Params): Memory => ({
    base: startBase(given.base),
    width: breakEvenWidth(given.informedShare),
    print: null,
    calm: { volatilityBps: null, intensityA: null, intensityK: null },
  }),
  quote(view: View, given: Params, memory: Memory): Quotes {
    const market = lastKnown(view.market);
    const oracle = lastKnown(view.oracle);
    if (market === undefined || oracle === undefined) return noQuotes("the last print is unknown");
    const sincePrintMs = notePrint(memory, oracle, view.nowMs);
    const due = untilPrint(view);
    const toPrintMs = due?.earliestMs ?? null;
    const times = timesFor(timesOf(given), view.signals.nextPrint?.everyMs ?? 0);
    const isBookNew = view.book.state === "fresh" && view.book.ageMs <= sincePrintMs;
    const isGuarded = given.guard !== "off";
    const phase = isGuarded ? guardPhase({ toPrintMs, sincePrintMs, isBookNew }, times) : "open";
    if (phase === "open") memory.calm = calmOf(view.signals);

    const lastUsd = usdOf(oracle.price);
    const surprise = (given.surpriseBps ?? view.signals.printMoveBps) / 10_000;
    const kappa = given.kappaPerHour ?? view.signals.kappaPerHour;
    const worthUsd = worthIn(view, kappa)?.usd ?? lastUsd;
    const seenUsd = readMarket(view, given.base.params.size, lastUsd);
    const marketUsd = towardOutside(view, seenUsd ?? view.signals.heldMidUsd ?? worthUsd, kappa);
    const fairUsd = given.carryWeight * worthUsd + (1 - given.carryWeight) * marketUsd;

    const signals = phase === "open" ? view.signals : { ...view.signals, ...memory.calm };
    const isHeldOverPrint = isGuarded && toPrintMs !== null && toPrintMs <= times.windowMs;
    const risk = isHeldOverPrint ? printRisk(signals.volatilityBps, surprise, times.windowMs) : 1;
    const extraInventory = risk * skewInventory(view) - contractsHeld(view);
    const below: View = { ...view, signals, guidance: { fairValueUsd: fairUsd, extraInventory } };
    const extra = toPrintMs === null ? 0 : memory.width * surprise * fairUsd * windowShare(toPrintMs, times);
    return guardQuotes(quoteBase(below, given.base, memory.base), {
      phase,
      reducesInWindow: given.guard === "reduceOnly",
      extraUsd: extra,
      width: isGuarded ? recoveryWidth(sincePrintMs, times) : 1,
      inventory: lastKnown(view.position)?.inventory ?? null,
      tickSize: market.tickSize,
    });
  },
});

/** Returns the ms since the newest print was first seen. */
function notePrint(memory: Memory, { price, validUntilSec }: Oracle, nowMs: number): number {
  const { print } = memory;
  const isNew = print?.price !== price || print.validUntilSec !== validUntilSec;
  const seenMs = isNew ? (print === null ? Number.NEGATIVE_INFINITY : nowMs) : print.seenMs;
  memory.print = { price, validUntilSec, seenMs };
  return nowMs - seenMs;
}

const timesOf = (given: Params): GuardTimes => ({
  windowMs: 60_000 * given.windowMinutes,
  pullMs: 60_000 * given.pullMinutes,
  settleMs: 1000 * given.settleSeconds,
  recoveryMs: 60_000 * given.recoveryMinutes,
});

const calmOf = ({ volatilityBps, intensityA, intensityK }: Signals): Memory["calm"] => ({
  volatilityBps,
  intensityA,
  intensityK,
});

/** The others' microprice for the size of our order, weighted against the last print, USD; null: none. */
function readMarket(view: View, orderSize: Size, lastUsd: number): number | null {
  const known = lastKnown(view.book);
  if (known === undefined) return null;
  const book = othersBook(known, view);
  const usd = depthMicroprice(book, orderSize);
  return usd === undefined ? null : lastUsd + bookWeight(book, orderSize) * (usd - lastUsd);
}

/**
 * Risk of inventory over a print relative to calm times: the price's standard deviation over the holding time with the print's surprise,
 * divided by that without. Quotes skew as if inventory were this many times larger.
 */
function printRisk(volatilityBps: number | null, surprise: number, heldMs: number): number {
  const calm = (Math.max(VOLATILITY_FLOOR_BPS, volatilityBps ?? 0) / 10_000) ** 2 * (heldMs / 1000);
  return Math.sqrt(1 + surprise ** 2 / calm);
}

const contractsHeld = ({ position }: View): number => contractsOf(lastKnown(position)?.inventory ?? size(0n));

function startBase(base: Params["base"]): unknown {
  switch (base.strategy) {
    case "fixed-spread":
      return fixedSpread.start(base.params);
    case "avellaneda-stoikov":
      return avellanedaStoikov.start(base.params);
    case "glft":
      return glft.start(base.params);
    case "ladder":
      return ladder.start(base.params);
  }
}

function quoteBase(view: View, base: Params["base"], memory: unknown): Quotes {
  switch (base.strategy) {
    case "fixed-spread":
      return quoteWith(fixedSpread, view, base.params, memory);
    case "avellaneda-stoikov":
      return quoteWith(avellanedaStoikov, view, base.params, memory);
    case "glft":
      return quoteWith(glft, view, base.params, memory);
    case "ladder":
      return quoteWith(ladder, view, base.params, memory);
  }
}

/** The memory is what the same strategy's `start` returned. */
const quoteWith = <Given, Remembered>(
  { quote }: Strategy<Given, Remembered>,
  view: View,
  given: Given,
  memory: unknown,
): Quotes => quote(view, given, memory as Remembered);
