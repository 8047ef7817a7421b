// A world from its first block to its judgment: faults for most of its time, then peace, in which everything has to come right again;
// then a halt and a stop, and the books.

import { BPS, type MarketId } from "../domain/units.ts";
import { macrotask } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { createPrng, type Prng } from "../kernel/prng.ts";
import { type Coverage, cover } from "./coverage.ts";
import { drawFaults, drawRiders } from "./faults/draw.ts";
import { type Fault, faultLine } from "./faults/fault.ts";
import { begin, end } from "./faults/strike.ts";
import type { Violation } from "./invariants/law.ts";
import { isLag } from "./past-reads.ts";
import { type Swaps, World } from "./world.ts";
import { drawWorldConfig, type WorldConfig, withReadLag } from "./world-config.ts";

/** Plain data: it may go to another thread or machine. */
export type WorldJob = {
  readonly seed: bigint;
  /** Simulated time, the judgment included. */
  readonly minutes: number;
  /** Instead of those that the seed draws. */
  readonly faults?: readonly Fault[];
};

export type RunOptions = WorldJob & {
  readonly swaps?: Swaps;
  /** Receives every line of the trace, the bot's debug log included. Such a run has another digest. */
  readonly onLine?: (line: string) => void;
};

export type RunEnd = {
  readonly seed: bigint;
  readonly violation: Violation | null;
  readonly faults: readonly Fault[];
  /** Equal for equal runs. */
  readonly digest: string;
  readonly events: number;
  /** Whole, so that a sum of many does not depend on their order. */
  readonly simulatedMs: number;
  readonly fills: number;
  readonly coverage: Coverage;
  readonly lines: readonly string[];
};

/** From the last fault on: all is well. */
const PEACE_MS = 90_000;
const LOOK_MS = 250;
const LINES = 60;
/** How often a lasting fault counts the states of our orders; not in step with blocks. */
const COUNT_MS = 517;

export async function runWorld(options: RunOptions): Promise<RunEnd> {
  const { seed, minutes, swaps = {}, onLine } = options;
  const prng = createPrng(seed);
  // The labels of random streams name their seeds: another label would be another world.
  const drawn = await drawWorldConfig(prng.fork("scenery"));
  const peaceMs = Math.max(30_000, minutes * 60_000 - PEACE_MS);
  const faults = options.faults ?? drawAll(prng, peaceMs, drawn);
  const worldConfig = withReadLag(drawn, longestLagMs(faults, drawn.devnet.blockTimeMs), prng.fork("read lag"));
  const world = new World({ seed, worldConfig, swaps, ...(onLine && { onLine }) });
  try {
    await live(world, faults, peaceMs);
    if (world.inspector.violation === null) await judge(world);
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
    coverage: world.coverage,
    lines: violation === null ? [] : world.trace.newest(LINES),
  };
}

function drawAll(prng: Prng, peaceMs: number, worldConfig: WorldConfig): readonly Fault[] {
  const common = drawFaults(prng.fork("faults"), peaceMs);
  return [...common, ...drawRiders(prng.fork("riders"), peaceMs, worldConfig, common.length)];
}

/** By how much the reads of an account lag at most, ms: a node that is behind by some blocks shows the end of a block, not its middle. */
function longestLagMs(faults: readonly Fault[], blockTimeMs: number): number {
  const behind = faults.flatMap(({ kind, how, amount }) =>
    kind === "node" && isLag(how) ? Math.round(amount) + 1 : [],
  );
  return Math.max(0, ...behind) * blockTimeMs;
}

async function live(world: World, faults: readonly Fault[], peaceMs: number): Promise<void> {
  for (const fault of faults) world.clock.after(fault.atMs, () => strike(world, fault));
  world.watchdog?.boot();
  world.clock.after(3000, () => world.daemon.boot());
  await until(world, peaceMs);
  world.setClock();
}

function strike(world: World, fault: Fault): void {
  const { clock, trace, coverage, watch, inspector } = world;
  const count = (): void => cover(coverage, fault.kind, watch.states(inspector.resting.orders()));
  trace.note("fault", faultLine(fault));
  count();
  begin(fault, world);
  if (fault.forMs === 0) return;
  const counting = clock.every(COUNT_MS, count);
  clock.after(fault.forMs, () => {
    counting.cancel();
    trace.note("fault", `#${fault.id} is over`);
    end(fault, world);
  });
}

/** Advances time in small steps, judging after each; ends early when a law is broken. */
async function until(world: World, elapsedMs: number): Promise<void> {
  while (world.inspector.violation === null && world.clock.elapsedMs() < elapsedMs) {
    await world.clock.advance(Math.min(LOOK_MS, elapsedMs - world.clock.elapsedMs()));
    await macrotask(); // The process around it hears its signals and messages.
    world.inspector.look();
  }
}

const after = (world: World, ms: number): Promise<void> => until(world, world.clock.elapsedMs() + ms);

/** Time limits: quotes are back, a halt leaves nothing, the books are right, a stop has ended. */
const BACK_MS = 45_000;
const HALT_MS = 5000;
const BOOKS_MS = 15_000;
const QUIET_MS_MAX = 60_000;
const CALM_MS_MAX = 240_000;
/** Between a fill that takes the last order, or adverse fills that pause what adds (10 s in every world), and the next quote. */
const BARE_MS_MAX = 15_000;
const STOP_MS = 15_000;

async function judge(world: World): Promise<void> {
  const { inspector, daemon } = world;
  await awake(world);
  const wasBarred = isFenceBarred(world);
  await after(world, BACK_MS);
  // Nobody can fence what a former key signed and a crash left unresolved, nor prove how an order ended of which the ledger that was set
  // back does not know when it was placed: wait until that can no longer land.
  await until(world, Math.max(world.rotatedMs, world.restoredMs) + world.config.venue.landingBoundMs + BACK_MS);
  if (wasBarred || isFenceBarred(world)) await after(world, world.config.venue.landingBoundMs);
  await recounted(world);
  await calm(world);
  inspector.judgeHalts();
  judgeQuotes(world);
  world.halt("end of the world");
  await after(world, HALT_MS);
  const left = inspector.resting.surelyOwn().length;
  if (daemon.isRunning && left > 0) inspector.accuse("L1", `${left} orders rest ${HALT_MS} ms after a halt`);
  await quiet(world);
  judgeBooks(world);
  await stop(world);
}

/** Until the machine has woken that a fault put to sleep just before peace. */
async function awake(world: World): Promise<void> {
  while (world.inspector.violation === null && world.daemon.life.isStalled) await after(world, LOOK_MS);
}

/**
 * A fence cancels what rests in its market. Where an order of somebody else's does, or one of ours that the ledger forgot when power was
 * lost or it was set back, only the landing bound may end what nobody answered, and only then an account that does not move proves its
 * reads to be newer than the last cancel.
 */
function isFenceBarred({ inspector: { resting, names }, restoredMs }: World): boolean {
  const isForgotten = resting.orders().some(({ orderId }) => names.isLost(orderId));
  const isAnyForeign = resting.orders().length > resting.own().length;
  return isAnyForeign || isForgotten || Number.isFinite(restoredMs);
}

/**
 * What may be left of orders that have ended counts, whichever life placed them. Where that uses up the limit on both sides, no new order
 * can prove that a read is newer: only the landing bound ends it.
 */
async function recounted(world: World): Promise<void> {
  const { inspector, config, clock, markets } = world;
  const untilMs = clock.elapsedMs() + config.venue.landingBoundMs + BARE_MS_MAX;
  const isAnyFull = (): boolean => markets.some((marketId) => isFull(world, marketId));
  if (!isAnyFull()) return;
  while (inspector.violation === null && clock.elapsedMs() < untilMs && isAnyFull()) await after(world, LOOK_MS);
  await after(world, BARE_MS_MAX);
}

/** Until quotes have had their time since the last leap of a print and the one after it, whether a fault or the index caused it. */
async function calm(world: World): Promise<void> {
  const { inspector, clock } = world;
  const untilMs = clock.elapsedMs() + CALM_MS_MAX;
  const isShaken = (): boolean => clock.elapsedMs() < Math.min(inspector.settledMs, untilMs);
  while (inspector.violation === null && isShaken()) await after(world, LOOK_MS);
}

/**
 * Until no fill and no payment has come for a while, so that everything in flight is booked. Where money came and went again, a read may
 * be from before both until the landing bound is over.
 */
async function quiet(world: World): Promise<void> {
  const { inspector, clock, config } = world;
  const { books } = inspector;
  const { landingBoundMs } = config.venue;
  const untilMs = clock.elapsedMs() + QUIET_MS_MAX + landingBoundMs;
  const isMoving = (nowMs: number): boolean =>
    nowMs - books.changedMs < BOOKS_MS || books.hasReturned(nowMs, landingBoundMs + BOOKS_MS);
  do await after(world, BOOKS_MS);
  while (inspector.violation === null && clock.elapsedMs() < untilMs && isMoving(clock.elapsedMs()));
}

/** The bot's collar around the print is 60 bps or more, and its quotes stand within 15 bps of the middle of the book. */
const COLLAR_BPS = 45n;

/** The crowd has moved the book to where no quote may follow. */
function isBeyondCollar({ exchange }: World, marketId: MarketId): boolean {
  const { bestBid = null, bestAsk = null, oraclePrice = 0n } = exchange.chain.reads.market(marketId) ?? {};
  if (bestBid === null || bestAsk === null) return false;
  const [twiceMid, twicePrint] = [bestBid + bestAsk, 2n * oraclePrice];
  const apart = twiceMid > twicePrint ? twiceMid - twicePrint : twicePrint - twiceMid;
  return apart * BPS > twicePrint * COLLAR_BPS;
}

/** True where orders that are foreign since the ledger was set back use up a limit that was lowered later. */
function isCrowdedOut(world: World, marketId: MarketId): boolean {
  const { resting } = world.inspector;
  return resting.orders(marketId).length > resting.own(marketId).length && isFull(world, marketId);
}

/** Whether the bot says that neither side has room left in its limit, for a new order or for what counts already. */
function isFull({ daemon }: World, marketId: MarketId): boolean {
  const markets = daemon.bot?.status().accounts.flatMap((account) => account.markets) ?? [];
  const market = markets.find((each) => each.marketId === marketId);
  return [market?.buy.reason, market?.sell.reason].every((why) => why === "worstPosition" || why === "exposure");
}

/** L3, L4 and L6: up, quoting unless halted, and nothing unresolved. */
function judgeQuotes(world: World): void {
  const { inspector, daemon, markets, clock } = world;
  const { resting, accuse } = inspector;
  if (!daemon.isRunning) accuse("L4", "the bot is not up");
  const reasons = daemon.bot?.status().reasons.join("; ") ?? "";
  for (const marketId of inspector.isHalted ? [] : markets) {
    if (clock.elapsedMs() - resting.lastMs(marketId) <= BARE_MS_MAX) continue;
    if (!isBeyondCollar(world, marketId) && !isCrowdedOut(world, marketId))
      accuse("L4", `nothing rests in market ${marketId}; the bot says: ${reasons}`);
  }
  const status = daemon.bot?.status();
  const unknown = status?.accounts
    .flatMap((account) => account.markets)
    .reduce((sum, { unknownOrders }) => sum + unknownOrders, 0);
  if (unknown !== 0) accuse("L6", `${unknown} orders are still unresolved`);
}

function judgeBooks({ inspector, disk, exchange, account }: World): void {
  const collateral = exchange.chain.reads.account(account)?.collateral;
  // Nobody can tell what foreign orders did to the account.
  if (collateral === undefined || inspector.isForeign) return;
  const { books, names, accuse } = inspector;
  const [ledger, whole] = [disk.rows.open().read, disk.rows.whole()];
  books.judge({ ledger, whole }, collateral, (order) => names.has(order), accuse);
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
