// What each part of the bot earned or cost on a recorded day: replays the day with everything, then with one part neutral at a time.

import { isDeepStrictEqual } from "node:util";
import type { BotConfig, QuotedMarket } from "../../bot/config/config.ts";
import { type GateId, gateIds } from "../../bot/risk/gates/gate.ts";
import {
  builtinStrategies,
  type LoadedStrategy,
  loadStrategy,
  type RunningStrategy,
} from "../../bot/strategy/loader.ts";
import { type QueueModelName, queueModelName, type UsualQueueModel } from "../../domain/queue.ts";
import { contractsOf } from "../../domain/rounding.ts";
import { AMOUNT_SCALE } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import { formatDecimal, parseDecimal } from "../../kernel/decimal.ts";
import type { BlockLine, Curves, MarketLine, RunLine } from "../outcome.ts";
import { blockDifferences } from "../paired.ts";
import { sumInterval, sumOf } from "../summary.ts";
import { type ReconcileLine, reconcile } from "./reconcile.ts";
import { recordedBot } from "./recorded-bot.ts";
import { recordingOf } from "./recording.ts";
import { daysOf, onPaper, runRecorded, usualModelIn } from "./run-recorded.ts";
import { readSession } from "./session.ts";

const parts = ["toxicityAnswers", "printGuard", "skew", "requoteTolerance", "latency"] as const;

type Part = (typeof parts)[number];

/** What can be made neutral: a part, or a gate, which then counts as open. */
export type Ablated = Part | `gate.${GateId}`;
export const ablations: readonly Ablated[] = [...parts, ...gateIds.map((id) => `gate.${id}` as const)];

/** `all`: nothing is neutral. */
type Without = "all" | Part | { readonly gates: readonly GateId[] };

/** A run of the recorded bot in its recording. */
export type AblationJob = { readonly recording: string; readonly usual: UsualQueueModel; readonly without: Without };

export type AblationEnd = Pick<RunLine, "pnl" | "markets"> & {
  readonly blocks: readonly BlockLine[];
  readonly curves: Pick<Curves, "hours" | "pnl">;
};

/** Result with everything minus the result without it. Amounts in USDC at the mid. */
export type AblatedLine = {
  readonly kind: "ablated";
  readonly what: Ablated;
  /** Above zero: it earned that. */
  readonly pnl: string;
  /** By Student's t over `ci95Over`. */
  readonly ci95: readonly [low: number, high: number] | readonly [null, null];
  /** The blocks from print to print or, where these are too few, equal stretches; null: too few samples for either. */
  readonly ci95Over: { readonly pieces: "blocks" | "stretches"; readonly count: number } | null;
  readonly fills: number;
  /** Orders placed, modified and canceled. */
  readonly commands: number;
  /** Distance of the queue model from the recording's real fills; null: there are none. */
  readonly bias: (Pick<ReconcileLine, "model" | "bias" | "biasPercent"> & Pick<UsualQueueModel, "tooFewFills">) | null;
};

/** Resolves with an end for each job, in order; null: it was stopped. */
export type RunAblations = (jobs: readonly AblationJob[]) => Promise<readonly AblationEnd[] | null>;

/** In the order of `ablations`; null: it was stopped. Rejects with SessionError, what the recording throws, and what a run throws. */
export async function ablate(recording: string, run: RunAblations): Promise<readonly AblatedLine[] | null> {
  const read = recordingOf(recording);
  const usual = usualModelIn(read, readSession(read), (await recordedBot(recording)).bot);
  const runWithout = (some: readonly Without[]) => run(some.map((without) => ({ recording, usual, without })));
  const [whole, ...ends] = (await runWithout(["all", ...parts])) ?? [];
  if (whole === undefined) return null;
  const gates = await gateEnds(whole, runWithout);
  if (gates === null) return null;
  const bias = biasOf(await reconcile(read), usual);
  const all = [...ends, ...gates];
  return ablations.map((what, nth) => ablatedLine(what, whole, all[nth] ?? whole, bias));
}

/**
 * An end for each gate. Gates only withhold permission, so a run with one gate open lies between the run with none and the run with a whole
 * group open. Where these two are equal, no gate of the group needs a run of its own.
 */
async function gateEnds(
  whole: AblationEnd,
  runWithout: (some: readonly Without[]) => Promise<readonly AblationEnd[] | null>,
): Promise<readonly AblationEnd[] | null> {
  const known = new Map<GateId, AblationEnd>();
  let groups: readonly (readonly GateId[])[] = [gateIds];
  while (groups.length > 0) {
    const ends = await runWithout(groups.map((gates) => ({ gates })));
    if (ends === null) return null;
    groups = groups.flatMap((gates, nth) => {
      const end = ends[nth] ?? whole;
      if (gates.length > 1 && !isDeepStrictEqual(end, whole)) {
        const half = Math.ceil(gates.length / 2);
        return [gates.slice(0, half), gates.slice(half)];
      }
      for (const gate of gates) known.set(gate, end);
      return [];
    });
  }
  return gateIds.map((gate) => known.get(gate) ?? whole);
}

/** Rejects as `recordedBot` and `runRecorded` do. */
export async function runAblation(
  { recording, usual, without }: AblationJob,
  tell?: (share: number) => void,
): Promise<AblationEnd> {
  const read = recordingOf(recording);
  const session = readSession(read);
  const { bot } = await recordedBot(recording);
  const whole = onPaper(bot, session, usual);
  const job = { file: recording, name: null, settings: [], seed: 1n, days: daysOf(session), warmUpDays: 0 };
  const { line, curves } = await runRecorded(
    without === "all" ? whole : await neutral(whole, without),
    { ...job, world: "drawn", shortcuts: true, keepsFills: false },
    read,
    tell,
  );
  const { pnl, markets, blocks = [] } = line;
  return { pnl, markets, blocks, curves: { hours: curves.hours, pnl: curves.pnl } };
}

/** The bot without one thing. Latency is that of an account on paper. Rejects with StrategyFault. */
export async function neutral(bot: BotConfig, without: Without): Promise<BotConfig> {
  const accounts = bot.accounts.map(async ({ paper, markets, ...account }) => ({
    ...account,
    paper: without === "latency" && paper !== null ? { ...paper, latencyMs: 0 } : paper,
    markets: await Promise.all(markets.map((market) => neutralMarket(market, without))),
  }));
  return { ...bot, accounts: await Promise.all(accounts) };
}

async function neutralMarket(market: QuotedMarket, without: Without): Promise<QuotedMarket> {
  if (typeof without === "object") return { ...market, openedGates: without.gates };
  const { strategy, limits } = market;
  switch (without) {
    case "toxicityAnswers":
      // No loss of fills is large enough for a reaction.
      return { ...market, limits: { ...limits, maxAdverseHalfSpreads: Number.MAX_VALUE } };
    case "requoteTolerance":
      return { ...market, requoteDepths: 0, queueTicks: 0 };
    case "skew":
      return { ...market, strategy: withoutSkew(strategy) };
    case "printGuard":
      return { ...market, strategy: await withoutGuard(strategy) };
    default:
      return market;
  }
}

/** The strategy sees no inventory to lean against; the position limits still see it. */
function withoutSkew(strategy: LoadedStrategy): LoadedStrategy {
  const unleaning = ({ quote, reads, drifts, ...running }: RunningStrategy): RunningStrategy => ({
    ...running,
    quote: (view) => quote(flat(view)),
    reads: reads && ((view) => reads(flat(view))),
    drifts: drifts && ((view) => drifts(flat(view))),
  });
  return {
    ...strategy,
    start: (before) => unleaning(strategy.start(before)),
    resume: (memory) => unleaning(strategy.resume(memory)),
  };
}

function flat(view: View): View {
  const held = lastKnown(view.position)?.inventory;
  const extraInventory = held === undefined ? 0 : -contractsOf(held);
  return { ...view, guidance: { ...view.guidance, extraInventory } };
}

/** Only `print-aware` has one. */
async function withoutGuard(strategy: LoadedStrategy): Promise<LoadedStrategy> {
  const { folder, written } = strategy.origin;
  if (strategy.name !== "print-aware" || folder !== builtinStrategies.folder.href) return strategy;
  return await loadStrategy(strategy.name, { ...(written as object), guard: "off" }, builtinStrategies);
}

/** `bias`: of the queue model that filled the orders. */
export function ablatedLine(
  what: Ablated,
  whole: AblationEnd,
  without: AblationEnd,
  bias: AblatedLine["bias"],
): AblatedLine {
  const amountOf = ({ pnl }: AblationEnd): bigint => parseDecimal(pnl, AMOUNT_SCALE);
  const countOf = ({ markets }: AblationEnd, of: (market: MarketLine) => number): number => sumOf(markets, of);
  const less = (of: (market: MarketLine) => number): number => countOf(whole, of) - countOf(without, of);
  return {
    kind: "ablated",
    what,
    pnl: formatDecimal(amountOf(whole) - amountOf(without), AMOUNT_SCALE),
    ...intervalOf(whole, without),
    fills: less(({ fills }) => fills),
    commands: less(({ actions: { place, modify, cancel } }) => place + modify + cancel),
    bias,
  };
}

/** Whether no result differs. */
export const isInert = ({ pnl, ci95, fills, commands }: AblatedLine): boolean =>
  pnl === "0" && fills === 0 && commands === 0 && ci95.every((end) => end === null || end === 0);

/** Long enough that the position at the end of one hardly depends on the next. */
const STRETCHES = 12;

function intervalOf(whole: AblationEnd, without: AblationEnd): Pick<AblatedLine, "ci95" | "ci95Over"> {
  const blocks = blockDifferences(whole, without);
  const overBlocks = sumInterval(blocks);
  if (overBlocks !== null) return { ci95: overBlocks, ci95Over: { pieces: "blocks", count: blocks.length } };
  const overStretches = sumInterval(stretchDifferences(whole.curves, without.curves));
  if (overStretches === null) return { ci95: [null, null], ci95Over: null };
  return { ci95: overStretches, ci95Over: { pieces: "stretches", count: STRETCHES } };
}

/** Empty: fewer samples than stretches. */
function stretchDifferences(whole: AblationEnd["curves"], without: AblationEnd["curves"]): readonly number[] {
  const { hours } = whole;
  if (hours.length < STRETCHES) return [];
  const lasts = hours.at(-1) ?? 0;
  const ends = Array.from({ length: STRETCHES }, (_, nth) => (lasts * (nth + 1)) / STRETCHES);
  const at = ({ hours: of, pnl }: AblationEnd["curves"], end: number): number =>
    pnl[of.findLastIndex((hour) => hour <= end)] ?? 0;
  const less = ends.map((end) => at(whole, end) - at(without, end));
  return less.map((sum, nth) => sum - (less[nth - 1] ?? 0));
}

/** Bias in the line of that model. */
export function biasOf(
  lines: readonly ReconcileLine[],
  { queueModel, ...tooFew }: UsualQueueModel,
): AblatedLine["bias"] {
  const name: QueueModelName = queueModelName(queueModel);
  const line = lines.find(({ model: of }) => of === name);
  if (line === undefined || line.realFills === 0) return null;
  return { model: name, bias: line.bias, biasPercent: line.biasPercent, ...tooFew };
}
