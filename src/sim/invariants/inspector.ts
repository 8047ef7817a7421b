// All laws over one world: hears what is sent, delivered, executed and logged, and stops the world at the first that is broken.

import { foldLatch, type Latches } from "../../bot/risk/latches.ts";
import type { HttpEnd, HttpRequest } from "../../bot/venue/remote/http.ts";
import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { Intent } from "../../domain/intent.ts";
import type { Life } from "../life.ts";
import type { HttpWitness } from "../network/http-link.ts";
import type { StreamWitness } from "../network/stream-link.ts";
import type { Scene } from "../sim-scene.ts";
import { printEveryMs } from "../world-config.ts";
import { Books } from "./books.ts";
import { Drains } from "./drains.ts";
import { ForgottenFills } from "./forgotten-fills.ts";
import { Knowledge } from "./knowledge.ts";
import type { Accuse, Violation } from "./law.ts";
import { Liveness } from "./liveness.ts";
import { Names, orderIdsIn } from "./names.ts";
import { ownEventLine } from "./own-event-line.ts";
import { OwnersOrders } from "./owners-orders.ts";
import { Resting } from "./resting.ts";
import { isLeap, SecondOpinion } from "./second-opinion.ts";
import { type Moment, Sending } from "./sending.ts";
import { Stalls } from "./stalls.ts";
import { type TrippedLatch, Watching } from "./watching.ts";
import { WrongPongs } from "./wrong-pongs.ts";

/** Timers of one life: some for each request, order and fact. */
const TIMERS_MAX = 2000;
const UNDER_WAY_MAX = 100;
/** A cancel that was lost on the way is given up after 5 s and tried again within another. */
const RECOVERY_MS = 7000;
/** Quotes are back within this time of the print that lets them. */
const BACK_MS = 45_000;
/** Half of the longest round trip that a pong is believed with, and rounding. */
const PONG_SLACK_MS = 1100;

export class Inspector {
  readonly knowledge: Knowledge;
  readonly resting: Resting;
  readonly books: Books;
  readonly names: Names;
  readonly watching: Watching;
  readonly secondOpinion: SecondOpinion;
  readonly ownersOrders: OwnersOrders;
  readonly wrongPongs = new WrongPongs();
  readonly stalls = new Stalls();
  readonly #forgottenFills: ForgottenFills;
  readonly #drains: Drains;
  readonly #sending: Sending;
  readonly #liveness: Liveness;
  readonly #world: Scene;
  /** Somebody else has traded the account: a halt is right, and so is what follows from it. */
  isForeign = false;
  violation: Violation | null = null;
  /** When quotes have had the time to come back since a print last moved so far that it may be in doubt: the next one tells. */
  settledMs = Number.NEGATIVE_INFINITY;
  #haltedMs: number | null = null;
  #wasSetBack = false;
  /** Orders whose names went with the power look foreign to the next life: it may halt. */
  #hasLostRecords = false;
  #keyDisabledMs: number | null = null;
  #struckMs = Number.NEGATIVE_INFINITY;

  constructor(world: Scene) {
    this.#world = world;
    const { account, exchange, clock } = world;
    const { accuse } = this;
    const { reads } = exchange.chain;
    this.secondOpinion = new SecondOpinion({
      chainMs: exchange.chain.timeMs,
      printEveryMs: (marketId) => printEveryMs(world.worldConfig, marketId),
    });
    this.knowledge = new Knowledge({
      nowMs: clock.elapsedMs,
      onPrint: (marketId, print) => this.secondOpinion.delivered(marketId, print),
    });
    this.resting = new Resting(account, {
      reads,
      nowMs: clock.elapsedMs,
      maxPosition: (marketId) => world.maxPosition(marketId),
      landingBoundMs: world.worldConfig.bot.venue.landingBoundMs,
      knowsItsFills: () => this.#forgottenFills.areIn(this.knowledge.account?.value.lifetimeVolume ?? 0n),
      accuse,
    });
    const opening = reads.account(account)?.collateral;
    if (opening === undefined) throw new RangeError("the bot's account is there from the start");
    this.books = new Books(account, opening, world.worldConfig.beside);
    this.names = new Names(account);
    this.#forgottenFills = new ForgottenFills({
      account,
      lifetimeVolume: () => reads.account(account)?.lifetimeVolume ?? 0n,
      isLost: (orderId) => this.names.isLost(orderId),
      isHeard: () => !world.daemon.life.isDead && this.knowledge.isConnected,
    });
    this.ownersOrders = new OwnersOrders({ nowMs: clock.elapsedMs, resting: this.resting, accuse });
    this.watching = new Watching(world, {
      resting: this.resting,
      names: this.names,
      hasHalted: () => this.#haltedMs !== null || this.#tripped().length > 0,
      missedFillSince: (sinceMs) => this.books.missedFillSince(sinceMs),
      keyDisabledMs: () => this.#keyDisabledMs,
      knownTickSize: (marketId) => this.knowledge.market(marketId).market?.value.tickSize,
      accuse,
    });
    this.#drains = new Drains(world, { resting: this.resting, accuse });
    this.#sending = new Sending({
      knowledge: this.knowledge,
      secondOpinion: this.secondOpinion,
      moment: () => this.#moment(),
      orderOf: (orderId) => this.resting.placed.get(orderId),
      accuse,
    });
    this.#liveness = new Liveness(world, {
      resting: this.resting,
      forbids: (marketId) => this.#sending.forbids(marketId),
      isUntold: (orderId) => this.watching.isUntold(orderId),
      accuse,
    });
  }

  readonly accuse: Accuse = (law, text) => {
    if (this.violation !== null) return;
    this.violation = { law, atMs: this.#world.clock.elapsedMs(), text };
    this.#world.trace.note("law", `${law} broken: ${text}`);
  };

  get keyDisabledMs(): number | null {
    return this.#keyDisabledMs;
  }

  get isHalted(): boolean {
    const { read } = this.#world.disk.rows.open();
    return this.#haltedMs !== null || read.latchEvents().reduce<Latches>(foldLatch, []).length > 0;
  }

  /** Foreign activity or a difference where there is none: the bot stopped for no reason. */
  judgeHalts(): void {
    const isForeign = (latch: TrippedLatch): boolean =>
      this.#wasSetBack || this.#hasLostRecords || this.watching.explains(latch) || this.ownersOrders.explains(latch);
    const groundless = this.#tripped().filter(
      (latch) =>
        latch.kind === "mismatch" ||
        latch.kind === "fault" ||
        (latch.kind === "foreignActivity" && !isForeign(latch)) ||
        (latch.kind === "cannotAct" && !this.#liveness.mayHalt),
    );
    if (groundless.length > 0 && !this.isForeign)
      this.accuse(
        "L4",
        `halted for no reason: ${groundless.map(({ kind, reason }) => `${kind}, ${reason}`).join("; ")}`,
      );
  }

  witnessOf(life: Life): HttpWitness & StreamWitness {
    const alive = (run: () => void): void => {
      if (!life.isDead) run();
    };
    return {
      onSent: (request) => this.#sent(request),
      onExecuted: (request, reply) => {
        const changed = this.watching.daemonExecuted(request, reply.text);
        this.books.executed(request);
        this.ownersOrders.executed(request, reply.text);
        // What lands of a life whose records are gone is nobody's: the next one cannot know of it.
        if (!life.isDead || !(this.#wasSetBack || this.#hasLostRecords)) this.resting.claim(changed);
        if (life.isDead && this.#wasSetBack) for (const orderId of orderIdsIn(reply.text)) this.names.lose(orderId);
      },
      onEnd: (request, end) => this.#ended(request, end),
      onOpen: () => alive(() => this.knowledge.opened()),
      onFrame: (text) =>
        alive(() => {
          this.knowledge.frame(text);
          this.names.learn(text);
          this.ownersOrders.heard(text);
          this.watching.frame(text);
        }),
      onClose: () => alive(() => this.knowledge.closed()),
    };
  }

  events(batch: EventBatch): void {
    for (const event of batch.events) {
      const line = ownEventLine(event, this.#world.account);
      if (line !== undefined) this.#world.trace.note("exchange", line);
      if (event.type === "OracleUpdated" && isLeap(event.previousPrice, event.price)) {
        const { clock } = this.#world;
        this.settledMs = clock.elapsedMs() + printEveryMs(this.#world.worldConfig, event.marketId) + BACK_MS;
      }
    }
    this.#forgottenFills.observe(batch);
    this.books.observe(batch, this.#world.clock.elapsedMs());
    this.resting.observe(batch);
    this.watching.observe(batch);
  }

  booted(): void {
    this.stalls.forget();
    this.knowledge.forget();
    this.watching.able.forget();
    this.#sending.forget();
    this.ownersOrders.forget(!this.#wasSetBack && !this.#hasLostRecords);
    this.#world.watch.forget();
  }

  /**
   * Power was lost, and records with it that were not synced. An order is foreign to the next life if neither its name is left nor, among
   * `left`, what was sent for it.
   */
  lostRecords(left: readonly Intent[]): void {
    this.#hasLostRecords = true;
    this.names.loseUnnamed(this.resting.placed, left);
  }

  /** The disk was set back: orders after the snapshot look foreign. */
  setBack(): void {
    this.#wasSetBack = true;
    this.#forgottenFills.setBack();
    this.names.loseUnnamed(this.resting.placed, []);
  }

  halted(): void {
    this.#haltedMs ??= this.#world.clock.elapsedMs();
  }

  /** The disk was set back, or fails as the process dies: the next life cannot know of a halt that it lacks. */
  loseUnwrittenHalt(): void {
    if (!this.#tripped().some(({ kind }) => kind === "operator")) this.#haltedMs = null;
  }

  keyDisabled(): void {
    this.#keyDisabledMs = this.#world.clock.elapsedMs();
  }

  keyEnabled(): void {
    this.#keyDisabledMs = null;
  }

  logged(line: string): void {
    if (this.#world.showsSecret(line)) this.accuse("S10", `a log line shows a key: ${line.slice(0, 80)}`);
  }

  /** A stop ended and named these remaining orders. */
  stopped(remaining: readonly string[]): void {
    const left = this.resting.surelyOwn();
    if (remaining.length === 0 && left.length > 0) {
      this.accuse("L2", `a stop said that nothing rests, and ${left.length} orders do`);
    }
  }

  /** Looks at what goes wrong only by time; called a few times per second. */
  look(): void {
    const { daemon, watch, markets, clock, networkFaults } = this.#world;
    // Of a bot that is not up yet, too: what it asks while it starts may be lost. One that stands still recovers from when it turns again.
    if (networkFaults.strikesRequests || (daemon.life.isStalled && this.#isRecovering()))
      this.#struckMs = clock.elapsedMs();
    if (daemon.life.timers > TIMERS_MAX) this.accuse("S11", `${daemon.life.timers} timers wait`);
    if (watch.underWay > UNDER_WAY_MAX) this.accuse("S11", `${watch.underWay} transactions are under way`);
    this.resting.look();
    this.watching.look();
    this.#liveness.look();
    const { upSinceMs } = daemon;
    const graceMs = this.#graceMs();
    this.#drains.look(upSinceMs !== null && clock.elapsedMs() - upSinceMs > graceMs && this.#canCancel());
    for (const marketId of markets) {
      const isFree = upSinceMs !== null && clock.elapsedMs() - upSinceMs > graceMs && this.#canCancel();
      const [why] = isFree ? this.#sending.forbids(marketId) : [];
      this.resting.forbid(marketId, why, { graceMs, allowedMs: this.#sending.allowedMs(marketId) });
    }
  }

  #canCancel(): boolean {
    const { daemon, worldConfig } = this.#world;
    if (this.#isRecovering() || daemon.life.isStalled || this.#keyDisabledMs !== null) return false;
    return worldConfig.devnet.throttle.requestsPerSecond === 0;
  }

  #isRecovering(): boolean {
    return this.#world.clock.elapsedMs() - this.#struckMs < RECOVERY_MS;
  }

  /** A second, a block, and the way there and back. */
  #graceMs(): number {
    const { network, devnet } = this.#world.worldConfig;
    return 1000 + devnet.blockTimeMs + 2 * (network.baseMs + network.jitterMs) + 200;
  }

  #sent(request: HttpRequest): void {
    const { trace, watch } = this.#world;
    if (request.method === "GET") {
      this.knowledge.asked(request);
      return;
    }
    const envelope = this.#sending.sent(request.body ?? "");
    watch.sent(request, envelope);
    this.watching.daemonSent(request, envelope);
    this.ownersOrders.sent(request, envelope);
    trace.note("send", `${envelope.transactionText} nonce ${envelope.nonce}`);
  }

  #ended(request: HttpRequest, end: HttpEnd): void {
    const { trace, watch, exchange } = this.#world;
    this.knowledge.answered(request, end);
    this.watching.daemonHeard(request, end);
    if (end.kind === "answered") this.ownersOrders.heard(end.body);
    if (request.method === "GET") {
      if (end.kind === "answered" && end.httpStatus === 200 && !exchange.wasOld(request)) this.books.answered(request);
      return;
    }
    if (end.kind === "answered") {
      this.names.learn(end.body);
      this.resting.named(orderIdsIn(end.body));
    }
    watch.ended(request, end);
    this.#sending.ended(request, end);
    this.#liveness.heard(request, end);
    trace.note(
      "answer",
      end.kind === "answered" ? `${end.httpStatus} ${end.body.slice(0, 120)}` : `${end.kind} ${end.why}`,
    );
  }

  /** Halts that the ledger tells of, lifted or not. */
  #tripped(): readonly TrippedLatch[] {
    const { read } = this.#world.disk.rows.open();
    return read.latchEvents().flatMap((event) => (event.kind === "tripped" ? [event.latch] : []));
  }

  #moment(): Moment {
    const { clock, exchange, machine, worldConfig, disk } = this.#world;
    const nowMs = clock.elapsedMs();
    return {
      nowMs,
      trueChainMs: Math.max(exchange.chain.timeMs(), clock.wallMs()),
      botWallMs: machine.wallMs(),
      clockSlackMs:
        worldConfig.devnet.blockTimeMs +
        PONG_SLACK_MS +
        this.stalls.hiddenMs(nowMs) +
        this.wrongPongs.slackMs(nowMs, machine.wallMs() - clock.wallMs()),
      isDiskFailing: disk.failure !== null || disk.isShort(clock.elapsedMs()),
      lastLongStallMs: this.stalls.endedMs,
      haltedSinceMs: this.#haltedMs,
    };
  }
}
