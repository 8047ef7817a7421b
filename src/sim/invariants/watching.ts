// Laws on the watchdog: it cancels after a daemon that is silent or cannot act, leaves any other alone, and a daemon whose orders it
// canceled halts, unless it knew that it could not act.

import type { HttpEnd } from "../../bot/venue/remote/http.ts";
import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { Execution } from "../../domain/fill.ts";
import type { LatchEvent } from "../../domain/latch.ts";
import type { AccountId, MarketId, OrderId, Price } from "../../domain/units.ts";
import { type OpenedEnvelope, openEnvelope } from "../../wire/envelope.ts";
import type { HttpCall } from "../exchange.ts";
import type { Life } from "../life.ts";
import type { Scene } from "../sim-scene.ts";
import { Able } from "./able.ts";
import { CancelAlls } from "./cancel-alls.ts";
import type { Accuse } from "./law.ts";
import { type Names, orderIdsIn } from "./names.ts";
import type { Resting } from "./resting.ts";

/** Beyond the watchdog's timeout: a poll that nobody answers, and a mass cancel in a faultless network. */
const MASS_CANCEL_MS = 5000;
/** A daemon that turns again is heard, and a mass cancel that was under way has ended. */
const HEARD_MS = 4000;
/** A poll, a heartbeat's way, a turn, a look. */
const EARLY_MS = 1000;
/** So long after its return the daemon may take a cancel for the watchdog's. */
const EXCUSED_MS = 30_000;
/** By then a daemon that turns again has read its account and acted. */
const HALTS_MS = 20_000;
/** After this time no modify of the daemon is still in flight. */
const MODIFY_MS = 11_000;

const CANCEL_FRAME = '{"type":"orderCanceled"';

export type TrippedLatch = Extract<LatchEvent, { readonly kind: "tripped" }>["latch"];

type Placed = {
  readonly atMs: number;
  readonly life: Life;
  readonly marketId: MarketId;
};

/** An order that the watchdog canceled, of a daemon that may not take it for anybody else's doing. */
type Taken = Placed & {
  readonly orderId: OrderId;
  /** As the daemon knew it then: another one clears the book. */
  readonly tickSize: Price | undefined;
  /** From when on the daemon can know whose doing it was; null: it cannot yet. */
  readonly shownMs: number | null;
  /** When it heard that its own cancel of the order was refused; minus infinity: it did not. */
  readonly refusedMs: number;
  /** Since when the daemon had not turned at the time: it halts without a frame that says so. Null: it turned. */
  readonly awaySinceMs: number | null;
};

export type WatchingModules = {
  readonly resting: Resting;
  readonly names: Names;
  /** Since the start of the world, whoever lifted it. */
  readonly hasHalted: () => boolean;
  /** Whether the daemon was shown no trade of a fill since then: it sees that something was filled, and not what. */
  readonly missedFillSince: (sinceMs: number) => boolean;
  readonly keyDisabledMs: () => number | null;
  /** As last told to the daemon; undefined: it was not. */
  readonly knownTickSize: (marketId: MarketId) => Price | undefined;
  readonly accuse: Accuse;
};

export class Watching {
  readonly #world: Scene;
  readonly #modules: WatchingModules;
  readonly able: Able;
  readonly #placed = new Map<OrderId, Placed>();
  /** Orders whose end the daemon may take for somebody else's doing. */
  readonly #canceled = new Set<OrderId>();
  /** Orders that the exchange took for a reason of its own, which no frame has told the process. */
  readonly #unheard = new Set<OrderId>();
  /** Every order that the watchdog canceled, with or without a reason to halt. */
  readonly #tookAway = new Set<OrderId>();
  /** Orders whose cancel a frame has told the process of. */
  readonly #told = new Set<OrderId>();
  /** When the daemon last asked to modify an order; infinity: to cancel it. */
  readonly #touchedMs = new Map<OrderId, number>();
  readonly #cancelAlls: CancelAlls;
  /** What the daemon sent, as it stands in its requests. */
  readonly #envelopes = new WeakMap<HttpCall, OpenedEnvelope>();
  #taken: Taken[] = [];
  /** When the owner last traded a market that the daemon does not: it sees that something was traded, and not what. */
  #besideMs = Number.NEGATIVE_INFINITY;
  /** Since when the daemon does not turn; null: it does. */
  #deadSinceMs: number | null = 0;
  /** When it was last seen to stand still. */
  #stoodStillMs = Number.NEGATIVE_INFINITY;
  /** Since when it turns; null: it does not. */
  #turnsSinceMs: number | null = null;
  /** Since when it turns, nothing strikes its requests, and its key may not act; null: it is otherwise. */
  #keylessSinceMs: number | null = null;
  /** Since when it turns, is heard and can act; null: it is not so. */
  #wellSinceMs: number | null = null;
  /** Since when the watchdog may take it for silent; null: it may not. */
  #silentSinceMs: number | null = 0;
  /** When a heartbeat could last reach the watchdog. */
  #beatMs = Number.NEGATIVE_INFINITY;
  /** The last heartbeat that could reach it was of a daemon that was stopping. */
  #mayStandDown = false;
  /** Since when the watchdog watches and reaches the exchange; null: it does not. */
  #reachesSinceMs: number | null = null;

  constructor(world: Scene, modules: WatchingModules) {
    this.#world = world;
    this.#modules = modules;
    this.#cancelAlls = new CancelAlls(world.worldConfig.bot.venue.landingBoundMs);
    const { resting, keyDisabledMs } = modules;
    const rests = (orderId: OrderId): boolean => resting.orders().some((order) => order.orderId === orderId);
    this.able = new Able({ nowMs: world.clock.elapsedMs, keyDisabledMs, rests });
  }

  /** Whether the daemon halted for what the watchdog did, or the exchange while the daemon stood still. */
  explains({ numbers }: TrippedLatch): boolean {
    return typeof numbers.orderId === "bigint" && this.#canceled.has(numbers.orderId as OrderId);
  }

  /** Whether the watchdog canceled the order, and no frame has told the daemon: reads that lack it may be older than it is. */
  isUntold(orderId: OrderId): boolean {
    return this.#tookAway.has(orderId) && !this.#told.has(orderId);
  }

  observe({ events }: EventBatch): void {
    const { account, daemon, clock, worldConfig } = this.#world;
    for (const event of events) {
      if (event.type === "Fill" && event.execution.marketId === worldConfig.beside && isOf(event.execution, account))
        this.#besideMs = clock.elapsedMs();
      if (event.type === "OrderCanceled" && event.accountId === account && event.reason !== "UserCanceled")
        this.#unheard.add(event.orderId);
      if (event.type !== "OrderPlaced" && event.type !== "OrderModified") continue;
      const { orderId, accountId, marketId } = event.order;
      const atMs = clock.elapsedMs();
      // A later life that finds an order cannot say when it went: the read that listed it may have been old.
      const life = this.#placed.get(orderId)?.life ?? daemon.life;
      if (accountId === account) this.#placed.set(orderId, { atMs, life, marketId });
    }
    // A process that stood still before it heard the reason cannot tell a market that closed from a watchdog that canceled.
    if (daemon.life.isStalled || this.able.accountReadMs < this.#stoodStillMs)
      for (const orderId of this.#unheard) this.#canceled.add(orderId);
  }

  daemonSent(call: HttpCall, envelope: OpenedEnvelope): void {
    const { transaction } = envelope;
    const nowMs = this.#world.clock.elapsedMs();
    this.#envelopes.set(call, envelope);
    this.able.sent(envelope);
    this.#cancelAlls.sent(envelope, nowMs);
    if (transaction.type === "CancelAllOrders") this.#taken = [];
    if (transaction.type === "CancelOrder") this.#touchedMs.set(transaction.orderId, Number.POSITIVE_INFINITY);
    if (transaction.type === "ModifyOrder") this.#touchedMs.set(transaction.orderId, nowMs);
  }

  /** Returns the orders that the exchange placed or modified for it. */
  daemonExecuted(call: HttpCall, text: string): readonly OrderId[] {
    const envelope = this.#envelopes.get(call);
    if (envelope === undefined) return [];
    const { transaction } = envelope;
    const placed = this.#cancelAlls.executed(envelope, text);
    return transaction.type === "ModifyOrder" && text.includes('"success"') ? [transaction.orderId] : placed;
  }

  /**
   * Where both canceled an order, only the refusal of its own cancel shows the daemon that it was not itself. Filled or canceled: a read of
   * the account tells, once a newer order in it proves the read to be newer. An answer that does not name its order leaves the daemon
   * to infer which one it is, and what it inferred proves nothing.
   */
  daemonHeard(call: HttpCall, end: HttpEnd): void {
    // A cancel that could not even leave has failed like one that nobody answers.
    if (end.kind === "notSent" && call.method === "POST") this.able.sent(openEnvelope(Buffer.from(call.body ?? "")));
    const envelope = this.#envelopes.get(call);
    this.able.heard(call, end, envelope);
    if (envelope === undefined) return;
    const { transaction } = envelope;
    this.#cancelAlls.heard(envelope, end, this.#world.clock.elapsedMs());
    const body = end.kind === "answered" && end.httpStatus === 200 ? end.body : "";
    if (transaction.type === "PlaceOrder") this.#showTaken(orderIdsIn(body));
    if (transaction.type !== "CancelOrder") return;
    const refusedMs = this.#world.clock.elapsedMs();
    this.#taken = this.#taken.flatMap((taken) => {
      if (taken.orderId !== transaction.orderId) return [taken];
      return body.includes('"failed"') ? [{ ...taken, shownMs: null, refusedMs }] : [];
    });
  }

  /** The daemon heard that these orders of its own were placed. */
  #showTaken(orderIds: readonly OrderId[]): void {
    const placedMs = Math.max(...orderIds.map((orderId) => this.#placed.get(orderId)?.atMs ?? 0));
    const nowMs = this.#world.clock.elapsedMs();
    this.#taken = this.#taken.map((taken) =>
      taken.shownMs === null && placedMs > taken.refusedMs ? { ...taken, shownMs: nowMs } : taken,
    );
  }

  /** A frame has reached the process. */
  frame(text: string): void {
    for (const orderId of text.startsWith(CANCEL_FRAME) ? orderIdsIn(text) : []) {
      this.#told.add(orderId);
      this.#unheard.delete(orderId);
    }
  }

  /** A cancel has left the watchdog. */
  sent({ body }: HttpCall): void {
    const { clock, trace, worldConfig } = this.#world;
    trace.note("watchdog", `send ${openEnvelope(Buffer.from(body ?? "")).transactionText}`);
    this.look();
    const nowMs = clock.elapsedMs();
    const silentMs = this.#silentSinceMs === null ? 0 : nowMs - this.#silentSinceMs;
    if (silentMs < worldConfig.bot.watchdog.silenceMs - EARLY_MS)
      this.#modules.accuse("S14", `it cancels after ${silentMs.toFixed(0)} ms of silence`);
  }

  /** The exchange executed it, and answered with `text`. */
  executed({ body }: HttpCall, text: string): void {
    const { transaction } = openEnvelope(Buffer.from(body ?? ""));
    const gone = transaction.type === "CancelOrder" ? [transaction.orderId] : orderIdsIn(text);
    for (const orderId of gone) {
      this.#tookAway.add(orderId);
      if (this.#isExcused()) continue;
      this.#canceled.add(orderId);
      const placed = this.#placed.get(orderId);
      if (placed !== undefined && this.#isOnlyIts(orderId) && !this.#mayBeExcused())
        this.#taken.push({
          ...placed,
          orderId,
          tickSize: this.#modules.knownTickSize(placed.marketId),
          shownMs: placed.atMs,
          refusedMs: -Infinity,
          awaySinceMs: this.#deadSinceMs,
        });
    }
  }

  /** The daemon turned and knew for the whole silence that it could not act: nothing is to halt for. */
  #isExcused(): boolean {
    const { clock, worldConfig } = this.#world;
    const sinceMs = this.able.surelyLackedSinceMs;
    if (sinceMs === null || this.#turnsSinceMs === null) return false;
    return clock.elapsedMs() - Math.max(sinceMs, this.#turnsSinceMs) >= worldConfig.bot.watchdog.silenceMs - EARLY_MS;
  }

  /** It could not act a moment ago: whether it knew is its own affair. */
  #mayBeExcused(): boolean {
    return this.#world.clock.elapsedMs() - this.able.lastLackedMs < EXCUSED_MS;
  }

  /** It turned again and knew that it could not act before it read what had become of its orders: it may take that for the reason. */
  #cameBackUnable(): boolean {
    const { lastLackedMs, accountReadMs } = this.able;
    const turnsSinceMs = this.#turnsSinceMs;
    return turnsSinceMs !== null && accountReadMs < turnsSinceMs && lastLackedMs >= turnsSinceMs;
  }

  /** Whether nothing but the watchdog can have canceled it, as the daemon sees it. */
  #isOnlyIts(orderId: OrderId): boolean {
    const { names, resting } = this.#modules;
    const nowMs = this.#world.clock.elapsedMs();
    const touchedMs = this.#touchedMs.get(orderId) ?? Number.NEGATIVE_INFINITY;
    // A process that stands still hears of it later, and cannot tell when it was.
    const sinceMs = this.#deadSinceMs === null ? nowMs : this.#deadSinceMs - EARLY_MS;
    if (nowMs - touchedMs < MODIFY_MS || this.#cancelAlls.mayExplain(orderId, sinceMs)) return false;
    return names.has(orderId) && !resting.isShared;
  }

  look(): void {
    const { watchdog, daemon, networkFaults } = this.#world;
    const nowMs = this.#world.clock.elapsedMs();
    if (daemon.life.isStalled) this.#stoodStillMs = nowMs;
    if (watchdog === null) return;
    const { isTurning } = daemon;
    this.able.look(this.#turnsSinceMs);
    if (this.#cameBackUnable()) this.#taken = this.#taken.filter(({ awaySinceMs }) => awaySinceMs === null);
    const lackedSinceMs = this.able.lackedSinceMs;
    this.#deadSinceMs = isTurning ? null : (this.#deadSinceMs ?? nowMs);
    this.#turnsSinceMs = isTurning ? (this.#turnsSinceMs ?? nowMs) : null;
    const tradedBeside = this.#besideMs >= (this.#deadSinceMs ?? nowMs);
    this.#taken = this.#taken.filter(
      ({ awaySinceMs }) => awaySinceMs === null || !(tradedBeside || this.#modules.missedFillSince(awaySinceMs)),
    );
    if (!watchdog.isDeaf) this.#noteBeat(nowMs);
    const isKeyless = isTurning && !networkFaults.strikesRequests && this.#modules.keyDisabledMs() !== null;
    this.#keylessSinceMs = isKeyless ? (this.#keylessSinceMs ?? nowMs) : null;
    const isWell = isTurning && !watchdog.isDeaf && lackedSinceMs === null;
    this.#wellSinceMs = isWell ? (this.#wellSinceMs ?? nowMs) : null;
    // The last heartbeat of one that died may be from before its last answers.
    const beatMs = isTurning ? nowMs : nowMs - EARLY_MS;
    const unheardSinceMs = Math.min(this.able.lastAbleMs ?? nowMs, this.able.answeredBefore(beatMs));
    if (this.#wellSinceMs === null) this.#silentSinceMs = Math.min(this.#silentSinceMs ?? nowMs, unheardSinceMs);
    else if (nowMs - this.#wellSinceMs > HEARD_MS) this.#silentSinceMs = null;
    const reaches = watchdog.isWatching && !watchdog.networkFaults.strikesRequests;
    this.#reachesSinceMs = reaches ? (this.#reachesSinceMs ?? nowMs) : null;
    this.#judgeResting(nowMs);
    this.#judgeTaken(nowMs);
  }

  /** What the watchdog may hear now. */
  #noteBeat(nowMs: number): void {
    const { isTurning, isStopping } = this.#world.daemon;
    if (isTurning) this.#beatMs = nowMs;
    if (isTurning || isStopping) this.#mayStandDown = isStopping;
  }

  /** L7 */
  #judgeResting(nowMs: number): void {
    const { resting, accuse } = this.#modules;
    if (this.#reachesSinceMs === null) return;
    const graceMs = this.#world.worldConfig.bot.watchdog.silenceMs + MASS_CANCEL_MS;
    const keylessMs = this.#keylessSinceMs === null ? nowMs : this.#keylessSinceMs + this.able.keyKnownAfterMs;
    const silentSinceMs = Math.min(this.#deadSinceMs ?? nowMs, this.able.answeredMs, keylessMs);
    const sinceMs = Math.max(silentSinceMs, this.#reachesSinceMs);
    if (nowMs - sinceMs <= graceMs) return;
    for (const { orderId } of resting.own()) {
      const placedMs = this.#placed.get(orderId)?.atMs ?? 0;
      const restsMs = nowMs - placedMs;
      // The watchdog cannot know of it: no heartbeat named it, and reads are too old to list it, or it has stood down after a stop.
      const isUnknown = this.able.readsLateMs > 0 || this.#mayStandDown;
      if (isUnknown && placedMs > this.#beatMs - EARLY_MS) continue;
      if (restsMs > graceMs) accuse("L7", `order ${orderId} rests, the daemon silent for ${nowMs - sinceMs} ms`);
    }
  }

  /**
   * L8: judges the life that placed the order, once it has turned for a while. A daemon that turned all the while and lost the frame sees
   * an order that is gone: it cannot tell who took it.
   */
  #judgeTaken(nowMs: number): void {
    const { hasHalted, accuse } = this.#modules;
    const { daemon, exchange } = this.#world;
    const { life } = daemon;
    const keepsTick = ({ marketId, tickSize }: Taken): boolean =>
      tickSize === exchange.chain.reads.market(marketId)?.tickSize;
    this.#taken = this.#taken.filter((taken) => taken.life === life && !life.isDead && keepsTick(taken));
    const wellSinceMs = this.#wellSinceMs;
    if (wellSinceMs === null) return;
    const canKnow = ({ orderId, awaySinceMs }: Taken): boolean => awaySinceMs !== null || this.#told.has(orderId);
    const knowsFor = ({ shownMs }: Taken): number => (shownMs === null ? 0 : nowMs - Math.max(shownMs, wellSinceMs));
    const haltsMs = HALTS_MS + this.able.readsLateMs;
    const first = this.#taken.find((taken) => canKnow(taken) && knowsFor(taken) > haltsMs);
    if (first === undefined) return;
    if (hasHalted()) this.#taken = [];
    else accuse("L8", `the watchdog canceled order ${first.orderId}`);
  }
}

const isOf = ({ makerAccountId, takerAccountId }: Execution, account: AccountId): boolean =>
  makerAccountId === account || takerAccountId === account;
