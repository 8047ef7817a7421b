// Runs a world from its first block to the judgment: faults for most of the time, then peace, in which everything must recover; then a halt
// and a stop, and the check of the ledger.

import { BPS, type MarketId } from "../domain/units.ts";
import { macrotask } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { createPrng, type Prng } from "../kernel/prng.ts";
import { type Coverage, cover } from "./coverage.ts";
import { drawFaults, drawForeignWords, drawRiders } from "./faults/draw.ts";
import { type Fault, faultLine } from "./faults/fault.ts";
import { begin, end } from "./faults/strike.ts";
import type { Violation } from "./invariants/law.ts";
import { isLag } from "./past-reads.ts";
import { QuoteUptime, type Uptime } from "./quote-uptime.ts";
import { type Swaps, World } from "./world.ts";
import { drawWorldConfig, type WorldConfig, withReadLag } from "./world-config.ts";

/** Plain data, so that it can be sent to another thread or machine. */
export type WorldJob = {
  readonly seed: bigint;
  /** Simulated time, the judgment included. */
  readonly minutes: number;
  /** Replaces the faults that the seed draws. */
  readonly faults?: readonly Fault[];
};

export type RunOptions = WorldJob & {
  readonly swaps?: Swaps;
  /** Receives every line of the trace, including the bot's debug log. Such a run has another digest. */
  readonly onLine?: (line: string) => void;
};

export type RunEnd = {
  readonly seed: bigint;
  readonly violation: Violation | null;
  readonly faults: readonly Fault[];
  /** Equal for equal runs. */
  readonly digest: string;
  readonly events: number;
  /** Whole, so that the sum of many does not depend on their order. */
  readonly simulatedMs: number;
  readonly fills: number;
  /** While faults may strike. */
  readonly uptime: Uptime;
  readonly coverage: Coverage;
  readonly lines: readonly string[];
};

/** Time after the last fault, ms. */
const PEACE_MS = 90_000;
const LOOK_MS = 250;
const LINES = 60;
/** How often a lasting fault counts the states of our orders, ms; not in step with blocks. */
const COUNT_MS = 517;

export async function runWorld(options: RunOptions): Promise<RunEnd> {
  const { seed, minutes, swaps = {}, onLine } = options;
  const prng = createPrng(seed);
  // The labels of random streams are part of their seeds: another label would give another world.
  const drawn = await drawWorldConfig(prng.fork("scenery"));
  const peaceMs = Math.max(30_000, minutes * 60_000 - PEACE_MS);
  const faults = options.faults ?? drawAll(prng, peaceMs, drawn);
  const worldConfig = withReadLag(drawn, longestLagMs(faults, drawn.devnet.blockTimeMs), prng.fork("read lag"));
  const world = new World({ seed, worldConfig, swaps, ...(onLine && { onLine }) });
  const uptime = new QuoteUptime(world);
  try {
    await live(world, uptime, faults, peaceMs);
    if (world.inspector.violation === null) await judge(world, faults);
  } catch (error) {
    world.inspector.accuse("X", messageOf(error));
  }
  world.daemon.kill();
  world.watchdog?.kill();
  await world.exchange.close();
  const { violation } = world.inspector;
  return {
    seed,
    violation,
    faults,
    digest: world.trace.digest(),
    events: world.trace.count,
    simulatedMs: Math.round(world.clock.elapsedMs()),
    fills: world.inspector.books.fillCount,
    uptime: uptime.sums,
    coverage: world.coverage,
    lines: violation === null ? [] : world.trace.newest(LINES),
  };
}

function drawAll(prng: Prng, peaceMs: number, worldConfig: WorldConfig): readonly Fault[] {
  const common = drawFaults(prng.fork("faults"), peaceMs);
  const drawn = [...common, ...drawRiders(prng.fork("riders"), peaceMs, worldConfig, common.length)];
  return [...drawn, ...drawForeignWords(prng.fork("foreign words"), drawn.length)];
}

/** Largest lag of account reads, ms: a node that is some blocks behind shows the end of a block, not its middle. */
function longestLagMs(faults: readonly Fault[], blockTimeMs: number): number {
  const behind = faults.flatMap(({ kind, how, amount }) =>
    kind === "node" && isLag(how) ? Math.round(amount) + 1 : [],
  );
  return Math.max(0, ...behind) * blockTimeMs;
}

async function live(world: World, uptime: QuoteUptime, faults: readonly Fault[], peaceMs: number): Promise<void> {
  for (const fault of faults) world.clock.after(fault.atMs, () => strike(world, fault));
  world.watchdog?.boot();
  world.clock.after(3000, () => world.daemon.boot());
  const looking = world.clock.every(LOOK_MS, () => uptime.look());
  await until(world, peaceMs);
  looking.cancel();
  world.setClock();
}

function strike(world: World, fault: Fault): void {
  const { clock, trace, coverage, watch, inspector } = world;
  const count = (): void => cover(coverage, fault.kind, watch.states(inspector.resting.orders()));
  trace.note("fault", faultLine(fault));
  count();
  begin(fault, world);
  inspector.struck(fault.forMs > 0);
  if (fault.forMs === 0) return;
  const counting = clock.every(COUNT_MS, count);
  clock.after(fault.forMs, () => {
    counting.cancel();
    inspector.healed();
    trace.note("fault", `#${fault.id} is over`);
    end(fault, world);
  });
}

/** Advances time in small steps and judges after each; ends early if a law is broken. */
async function until(world: World, elapsedMs: number): Promise<void> {
  while (world.inspector.violation === null && world.clock.elapsedMs() < elapsedMs) {
    await world.clock.advance(Math.min(LOOK_MS, elapsedMs - world.clock.elapsedMs()));
    await macrotask(); // Lets the real process handle its signals and messages.
    world.inspector.look();
  }
}

const after = (world: World, ms: number): Promise<void> => until(world, world.clock.elapsedMs() + ms);

/** Time limits, ms: quotes are back; a mass cancel and two rounds of reads; a halt leaves no orders; the ledger is right. */
const BACK_MS = 45_000;
const RESYNC_MS = 10_000;
const HALT_MS = 5000;
const BOOKS_MS = 15_000;
const STOP_MS = 15_000;
/** Longest time between a fill that takes the last order, or adverse fills that pause adding (10 s in every world), and the next quote. */
const BARE_MS_MAX = 15_000;
/** A print or a book may still move for this long after all faults. */
const MOVING_MS_MAX = 240_000;

async function judge(world: World, faults: readonly Fault[]): Promise<void> {
  const { inspector, daemon, config, clock } = world;
  const { accuse } = inspector;
  await awake(world);
  await quoted(world);
  inspector.judgeHalts(faults);
  if (!daemon.isRunning) accuse("L4", "the bot is not up");
  for (const why of missing(world)) accuse("L4", why);
  for (const why of unresolved(world)) accuse("L6", why);
  world.halt("end of the world");
  await after(world, HALT_MS);
  const left = inspector.resting.surelyOwn().length;
  if (daemon.isRunning && left > 0) accuse("L1", `${left} orders rest ${HALT_MS} ms after a halt`);
  const quietMs = BOOKS_MS + config.venue.readLagMaxMs;
  const untilMs = clock.elapsedMs() + MOVING_MS_MAX;
  while (inspector.violation === null && clock.elapsedMs() < untilMs) {
    if (clock.elapsedMs() - Math.max(inspector.books.changedMs, untilMs - MOVING_MS_MAX) > quietMs) break;
    await after(world, LOOK_MS);
  }
  const [ledger, whole] = [world.disk.rows.open().read, world.disk.rows.whole()];
  inspector.books.judge({ ledger, whole }, world.markets, accuse);
  await stop(world);
}

/** Waits for the machine to wake if a fault put it to sleep just before peace. */
async function awake(world: World): Promise<void> {
  while (world.inspector.violation === null && world.daemon.processRun.isStalled) await after(world, LOOK_MS);
}

/**
 * Waits for quotes to return, and as long again after a market last moved so far that it may not be quoted. If another's order rests,
 * nothing is fenced: unanswered transactions end only with the landing bound.
 */
async function quoted(world: World): Promise<void> {
  const { inspector, clock, config, markets } = world;
  const { resting } = inspector;
  const { readLagMaxMs, landingBoundMs } = config.venue;
  const isFenced = resting.orders().length === resting.own().length;
  const backMs = BACK_MS + readLagMaxMs + RESYNC_MS;
  const startMs = clock.elapsedMs();
  let untilMs = startMs + backMs + (isFenced ? 0 : landingBoundMs);
  while (inspector.violation === null && clock.elapsedMs() < untilMs) {
    await after(world, LOOK_MS);
    if (clock.elapsedMs() > startMs + backMs && missing(world).length === 0 && unresolved(world).length === 0) return;
    for (const marketId of markets) {
      const movedMs = movingUntilMs(world, marketId) + backMs;
      untilMs = Math.max(untilMs, Math.min(movedMs, startMs + MOVING_MS_MAX));
    }
  }
}

/** The bot's collar around the print is 60 bps or more, and its quotes are within 15 bps of the book's mid. */
const COLLAR_BPS = 45n;

/**
 * From when a moving market may be quoted: from now if the crowd has moved its book away from the print; after a jump, from the next print.
 */
function movingUntilMs({ exchange, inspector, clock }: World, marketId: MarketId): number {
  const { bestBid = null, bestAsk = null, oraclePrice = 0n } = exchange.chain.reads.market(marketId) ?? {};
  const leaptUntilMs = inspector.leaptUntilMs.get(marketId) ?? Number.NEGATIVE_INFINITY;
  if (bestBid === null || bestAsk === null) return leaptUntilMs;
  const [twiceMid, twicePrint] = [bestBid + bestAsk, 2n * oraclePrice];
  const apart = twiceMid > twicePrint ? twiceMid - twicePrint : twicePrint - twiceMid;
  return apart * BPS > twicePrint * COLLAR_BPS ? clock.elapsedMs() : leaptUntilMs;
}

/** Markets that the bot neither quotes nor halts. */
function missing({ inspector, daemon, markets, clock }: World): readonly string[] {
  const reasons = daemon.bot?.status().reasons.join("; ") ?? "";
  if (inspector.isHalted) return reasons === "" ? ["the bot is halted, and does not say so"] : [];
  return markets.flatMap((marketId) =>
    clock.elapsedMs() - inspector.resting.lastMs(marketId) <= BARE_MS_MAX
      ? []
      : [`nothing rests in market ${marketId}; the bot says: ${reasons}`],
  );
}

function unresolved({ daemon }: World): readonly string[] {
  const markets = daemon.bot?.status().accounts.flatMap((account) => account.markets) ?? [];
  const unknown = markets.reduce((sum, { unknownOrders }) => sum + unknownOrders, 0);
  return unknown === 0 ? [] : [`${unknown} orders are still unresolved`];
}

async function stop(world: World): Promise<void> {
  const { inspector, daemon } = world;
  if (inspector.violation !== null) return;
  let remaining: readonly string[] | null | undefined;
  void daemon.terminate().then((named) => {
    remaining = named;
  });
  await after(world, STOP_MS);
  if (remaining === undefined) inspector.accuse("L2", `a stop has not ended after ${STOP_MS} ms`);
  else if (remaining !== null) {
    inspector.stopped(remaining);
    if (remaining.length > 0) inspector.accuse("L2", `in peace, a stop left ${remaining.join("; ")}`);
  }
}
