// Checks all laws in one world: observes what is sent, delivered, executed and logged, and stops the world at the first violation.

import { foldLatch, type Latches } from "../../bot/risk/latches.ts";
import type { HttpEnd, HttpRequest } from "../../bot/venue/remote/http.ts";
import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { MarketId, OrderId } from "../../domain/units.ts";
import { type OpenedEnvelope, openEnvelope } from "../../wire/envelope.ts";
import type { Fault } from "../faults/fault.ts";
import type { HttpWitness } from "../network/http-link.ts";
import type { StreamWitness } from "../network/stream-link.ts";
import type { ProcessRun } from "../process-run.ts";
import type { Scene } from "../sim-scene.ts";
import { printEveryMs } from "../world-config.ts";
import { Books } from "./books.ts";
import { Delivered, type Moment } from "./delivered.ts";
import { isGrounded } from "./halts.ts";
import type { Accuse, Violation } from "./law.ts";
import { ownEventLine } from "./own-event-line.ts";
import { OwnersOrders } from "./owners-orders.ts";
import { orderIdsIn, Resting } from "./resting.ts";
import { isLeap, SecondOpinion } from "./second-opinion.ts";
import { Sending } from "./sending.ts";
import { Watching } from "./watching.ts";

/** Limit of timers in one process run: a few for each request, order and fact. */
const TIMERS_MAX = 2000;
const UNDER_WAY_MAX = 100;
/** Half of the longest round trip of an accepted pong, plus rounding, ms. */
const PONG_SLACK_MS = 1100;

export class Inspector {
  readonly delivered: Delivered;
  readonly resting: Resting;
  readonly books: Books;
  readonly watching: Watching;
  readonly secondOpinion: SecondOpinion;
  readonly ownersOrders: OwnersOrders;
  readonly #sending: Sending;
  readonly #world: Scene;
  violation: Violation | null = null;
  /** When the next print is due, which confirms or refutes a jump of the previous one, ms. */
  readonly leaptUntilMs = new Map<MarketId, number>();
  #operatorHaltMs: number | null = null;
  /** When a check found a halt in the ledger that the previous check did not. */
  #latchedMs: number | null = null;
  #keyDisabledMs: number | null = null;
  /** Records were lost with a disk: orders of earlier runs that execute later belong to no one. */
  #hasLostRecords = false;
  #faultsInForce = 0;
  #faultMs = 0;

  constructor(world: Scene) {
    this.#world = world;
    const { account, exchange, clock, worldConfig } = world;
    const { accuse } = this;
    const { reads } = exchange.chain;
    this.secondOpinion = new SecondOpinion({
      chainMs: exchange.chain.timeMs,
      printEveryMs: (marketId) => printEveryMs(worldConfig, marketId),
    });
    this.delivered = new Delivered({
      nowMs: clock.elapsedMs,
      onPrint: (marketId, print) => this.secondOpinion.delivered(marketId, print),
    });
    this.resting = new Resting(account, {
      reads,
      nowMs: clock.elapsedMs,
      maxPosition: (marketId) => world.maxPosition(marketId),
      accuse,
    });
    this.books = new Books(account, () => reads.account(account));
    this.ownersOrders = new OwnersOrders({ nowMs: clock.elapsedMs, accuse });
    this.watching = new Watching(world, {
      resting: this.resting,
      calmSinceMs: () => (this.#faultsInForce === 0 ? this.#faultMs : null),
      keyDisabledMs: () => this.#keyDisabledMs,
      accuse,
    });
    this.#sending = new Sending({
      delivered: this.delivered,
      secondOpinion: this.secondOpinion,
      moment: () => this.#moment(),
      haltedSinceMs: () => this.#operatorHaltMs ?? (this.#isLatched() ? this.#latchedMs : null),
      orderOf: (orderId) => this.resting.placed.get(orderId),
      accuse,
    });
  }

  readonly accuse: Accuse = (law, text) => {
    if (this.violation !== null) return;
    this.violation = { law, atMs: this.#world.clock.elapsedMs(), text };
    this.#world.trace.note("law", `${law} broken: ${text}`);
  };

  get isHalted(): boolean {
    return this.#operatorHaltMs !== null || latchesIn(this.#world).length > 0;
  }

  /** A halt without a reason in the world is a violation: the bot stopped for nothing. */
  judgeHalts(faults: readonly Fault[]): void {
    const { disk, watchdog } = this.#world;
    for (const event of disk.rows.open().read.latchEvents())
      if (event.kind === "tripped" && !isGrounded(event.latch.kind, faults, watchdog !== null))
        this.accuse("L4", `halted for no reason: ${event.latch.kind}, ${event.latch.reason}`);
  }

  witnessOf(processRun: ProcessRun): HttpWitness & StreamWitness {
    const alive = (run: () => void): void => {
      if (!processRun.isDead) run();
    };
    return {
      onSent: (request) => this.#sent(request),
      onExecuted: (request, { text }) => {
        if (request.method === "GET") return;
        const envelope = openEnvelope(Buffer.from(request.body ?? ""));
        this.ownersOrders.executed(request, envelope, text);
        if (!(processRun.isDead && this.#hasLostRecords)) this.resting.claim(placedBy(envelope, text));
      },
      onEnd: (request, end) => this.#ended(request, end),
      onOpen: () => alive(() => this.delivered.opened()),
      onFrame: (text) =>
        alive(() => {
          this.delivered.frame(text);
          this.ownersOrders.heard(text);
        }),
      onClose: () => alive(() => this.delivered.closed()),
    };
  }

  events(batch: EventBatch): void {
    for (const event of batch.events) {
      const line = ownEventLine(event, this.#world.account);
      if (line !== undefined) this.#world.trace.note("exchange", line);
      if (event.type === "OracleUpdated" && isLeap(event.previousPrice, event.price)) {
        const { clock, worldConfig } = this.#world;
        this.leaptUntilMs.set(event.marketId, clock.elapsedMs() + printEveryMs(worldConfig, event.marketId));
      }
    }
    this.books.observe(batch, this.#world.clock.elapsedMs());
    this.resting.observe(batch);
  }

  /** A fault strikes; a lasting one ends with `healed`. */
  struck(lasts: boolean): void {
    this.#faultMs = this.#world.clock.elapsedMs();
    if (lasts) this.#faultsInForce += 1;
  }

  healed(): void {
    this.#faultMs = this.#world.clock.elapsedMs();
    this.#faultsInForce -= 1;
  }

  booted(): void {
    this.delivered.forget();
    this.#sending.forget();
    this.ownersOrders.forget();
    this.#world.watch.forget();
  }

  /** Records of the daemon were lost with its disk, except those of these orders. */
  lostRecords(known: readonly OrderId[]): void {
    this.#hasLostRecords = true;
    this.resting.keepOnly(known);
    this.secondOpinion.lost();
  }

  /** The disk was restored, or fails as the process dies: the next run cannot know a halt that is not in its ledger. */
  loseUnwrittenHalt(): void {
    if (!latchesIn(this.#world).some(({ kind }) => kind === "operator")) this.#operatorHaltMs = null;
  }

  /** An operator halts the bot. */
  halted(): void {
    this.#operatorHaltMs ??= this.#world.clock.elapsedMs();
  }

  keyDisabled(): void {
    this.#keyDisabledMs = this.#world.clock.elapsedMs();
  }

  keyEnabled(): void {
    this.#keyDisabledMs = null;
  }

  logged(line: string): void {
    this.books.logged(line, this.#world.clock.elapsedMs());
    if (this.#world.showsSecret(line)) this.accuse("S10", `a log line shows a key: ${line.slice(0, 80)}`);
  }

  /** A stop ended and named these remaining orders. */
  stopped(remaining: readonly string[]): void {
    const left = this.resting.surelyOwn();
    if (remaining.length === 0 && left.length > 0)
      this.accuse("L2", `a stop said that nothing rests, and ${left.length} orders do`);
  }

  /** Checks the laws about time; called a few times per second. */
  look(): void {
    const { daemon, watch, clock } = this.#world;
    if (daemon.processRun.timers > TIMERS_MAX) this.accuse("S11", `${daemon.processRun.timers} timers wait`);
    if (watch.underWay > UNDER_WAY_MAX) this.accuse("S11", `${watch.underWay} transactions are under way`);
    this.#latchedMs = this.#isLatched() ? (this.#latchedMs ?? clock.elapsedMs()) : null;
    this.resting.look();
    this.watching.look();
  }

  #sent(request: HttpRequest): void {
    const { trace, watch } = this.#world;
    if (request.method === "GET") {
      this.delivered.asked(request);
      return;
    }
    const envelope = this.#sending.sent(request.body ?? "");
    watch.sent(request, envelope);
    this.ownersOrders.sent(request, envelope);
    trace.note("send", `${envelope.transactionText} nonce ${envelope.nonce}`);
  }

  #ended(request: HttpRequest, end: HttpEnd): void {
    const { trace, watch } = this.#world;
    this.delivered.answered(request, end);
    if (end.kind === "answered") this.ownersOrders.heard(end.body);
    if (request.method === "GET") return;
    if (end.kind === "answered") this.resting.named(orderIdsIn(end.body));
    watch.ended(request, end);
    this.#sending.ended(request, end);
    trace.note(
      "answer",
      end.kind === "answered" ? `${end.httpStatus} ${end.body.slice(0, 120)}` : `${end.kind} ${end.why}`,
    );
  }

  /** Whether the whole account is halted now. */
  #isLatched(): boolean {
    return latchesIn(this.#world).some(({ marketId, holds }) => marketId === null && holds === "halted");
  }

  #moment(): Moment {
    const { clock, exchange, machine, worldConfig, disk } = this.#world;
    return {
      nowMs: clock.elapsedMs(),
      trueChainMs: Math.max(exchange.chain.timeMs(), clock.wallMs()),
      botWallMs: machine.wallMs(),
      clockSlackMs: worldConfig.devnet.blockTimeMs + PONG_SLACK_MS,
      isDiskFailing: disk.failure !== null || disk.isShort(clock.elapsedMs()),
      areAgentEndsHidden: exchange.speech.hidesAgentEnds,
    };
  }
}

const latchesIn = ({ disk }: Scene): Latches => disk.rows.open().read.latchEvents().reduce<Latches>(foldLatch, []);

/** The orders that the exchange placed or modified for this transaction. */
function placedBy({ transaction }: OpenedEnvelope, text: string) {
  if (transaction.type === "PlaceOrder") return orderIdsIn(text);
  return transaction.type === "ModifyOrder" && text.includes('"success"') ? [transaction.orderId] : [];
}
