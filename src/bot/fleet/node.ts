// A node of the fleet. It takes free accounts, one at a time, and renews their leases. It ends an account as soon as its lease is
// unconfirmed, carries out the fleet's halts, and releases every account in an orderly way when it stops.

import { type Clock, type Instant, instantOf, sleep, type Timer } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { fleetTiming } from "../timing.ts";
import { type Database, FleetError } from "./database.ts";
import { isElsewhere, type Lease, leaseAfter } from "./lease.ts";
import {
  type FleetOrders,
  giveUp,
  type News,
  nameShards,
  register,
  renew,
  type Self,
  type ShardState,
  setState,
  type Taken,
  takeShard,
  unregister,
  yieldable,
} from "./shards.ts";

/** An account that runs on this node. */
export type Shard = {
  readonly state: () => Extract<ShardState, "quoting" | "halted">;
  readonly obey: (verb: "halt" | "resume", reason: string) => Promise<void>;
  /**
   * Stops adding exposure, cancels, confirms, and sends what the database lacks. True: no order of ours rests, nothing is unanswered, and
   * the database has everything.
   */
  readonly end: () => Promise<boolean>;
  /** The database may lack recently confirmed records: sends them again. */
  readonly resend: () => void;
  /** Resolves when the account must be restarted, here or elsewhere. */
  readonly over: Promise<void>;
};

export type Start = {
  readonly taken: Taken;
  /** Why it must start halted; undefined: it need not. */
  readonly halt: string | undefined;
  /** Why new exposure may no longer be added, checked now; undefined: it may. */
  readonly lost: () => string | undefined;
  /** Whether another node may have the account by now. */
  readonly isElsewhere: () => boolean;
};

export type NodeModules = {
  readonly database: Database;
  readonly clock: Clock;
  /** Starts the account. Throws, with nothing left open, if it cannot. */
  readonly start: (start: Start) => Promise<Shard>;
  /** Before the first account is taken: claims this node's keys, and sends records left by an earlier run. Throws FleetError. */
  readonly recover: () => Promise<void>;
  /** Why this node could not quote now; null: it could. */
  readonly lack: () => string | null;
  readonly report: (event: NodeEvent) => void;
};

export type NodeEvent =
  | { readonly kind: "taken" | "quoting" | "yielded" | "released"; readonly taken: Taken }
  | { readonly kind: "lost" | "failed"; readonly taken: Taken; readonly why: string }
  | Trouble;

/** A problem that keeps a node from working; reported once until it has ended. */
type Trouble = { readonly kind: "unreachable" | "otherConfiguration" | "unable"; readonly why: string };

export type NodeOptions = {
  readonly self: Self;
  readonly program: string;
  /** The configuration of accounts and the accounts, as this node knows them. */
  readonly config: string;
  readonly accounts: readonly string[];
};

type Held = {
  readonly taken: Taken;
  lease: Lease;
  shard: Shard | null;
  ordersDone: number;
  shown: string;
  ending: Promise<void> | null;
};

/** Renewals within the length of a lease: several may fail before the lease is unconfirmed. */
const ROUNDS = 12;

export class FleetNode {
  readonly #options: NodeOptions;
  readonly #modules: NodeModules;
  readonly #held = new Map<string, Held>();
  readonly #notBeforeMs = new Map<string, number>();
  #timers: Timer[] = [];
  #round: Promise<void> | null = null;
  #again = false;
  #isStopping = false;
  /** The node holds no account and starts no further round. */
  #isOver = false;
  #leaving: Promise<void> | null = null;
  /** The database's server, as last reported. */
  #server: string | null = null;
  readonly #troubles = new Map<Trouble["kind"], string>();
  /** Since when this node could not quote, monotonic ms; null: it could. */
  #unableMs: number | null = null;
  readonly #replaced = Promise.withResolvers<void>();

  constructor(options: NodeOptions, modules: NodeModules) {
    this.#options = options;
    this.#modules = modules;
  }

  /** Resolves when another process uses this node's name: this one must end. */
  get replaced(): Promise<void> {
    return this.#replaced.promise;
  }

  /** Problems as sentences; empty if database, fleet configuration and this node's ability to quote are all fine. */
  get troubles(): readonly string[] {
    return [...this.#troubles.values()];
  }

  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** Throws FleetError `refused` if a node of this name is alive, or another node has one of its keys. */
  async start(): Promise<void> {
    const { database, clock, recover } = this.#modules;
    const { self, program, accounts } = this.#options;
    const sinceMs = clock.monotonicMs();
    // A dead node stops counting as alive when its time is over.
    while (!(await register(database.ask, self, program))) {
      if (clock.monotonicMs() - sinceMs > 1.5 * self.leaseMs)
        throw new FleetError("refused", `another node with the name ${self.node} runs; nothing was sent`);
      await sleep(clock, fleetTiming.roundMaxMs / 2);
    }
    try {
      await nameShards(database.ask, accounts);
      await recover();
    } catch (error) {
      await unregister(database.ask, self).catch(() => {});
      throw error;
    }
    const roundMs = Math.min(fleetTiming.roundMaxMs, self.leaseMs / ROUNDS);
    this.#timers = [clock.every(fleetTiming.lookMs, () => this.#look()), clock.every(roundMs, () => this.#wake())];
    database.listen(() => this.#wake());
    this.#wake();
  }

  /** Releases every account, each canceled and confirmed first. Resolves true if all were released. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    await this.#round;
    this.#leaving ??= this.#leave();
    await this.#leaving;
    for (const timer of this.#timers) timer.cancel();
    // A later round would renew the row that `unregister` ends.
    this.#isOver = true;
    await this.#round;
    await unregister(this.#modules.database.ask, this.#options.self).catch(() => {});
    return this.#held.size === 0;
  }

  /** After an uncaught error: takes no account and renews no lease. */
  freeze(): void {
    this.#isStopping = true;
    this.#isOver = true;
    for (const timer of this.#timers) timer.cancel();
  }

  /**
   * Ends one account after the other, at the pace at which others take them, so that none is without quotes for longer than its own start
   * takes.
   */
  async #leave(): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const held of [...this.#held.values()]) {
      ends.push(this.#end(held, "draining"));
      await sleep(this.#modules.clock, fleetTiming.leaveMs);
    }
    await Promise.all(ends);
  }

  #now(): Instant {
    return instantOf(this.#modules.clock);
  }

  #look(): void {
    for (const held of this.#held.values()) {
      if (this.#lost(held) !== undefined) void this.#end(held, "lost");
    }
  }

  #lost(held: Held): string | undefined {
    held.lease = leaseAfter(held.lease, { kind: "looked" }, this.#now());
    return held.lease.kind === "lost"
      ? `the lease on account ${held.taken.account} is gone: ${held.lease.why}`
      : undefined;
  }

  /** One round at a time; a notification during a round triggers another. */
  #wake(): void {
    if (this.#isOver) return;
    if (this.#round !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#round = this.#goRound().finally(() => {
      this.#round = null;
      if (this.#again) this.#wake();
    });
  }

  async #goRound(): Promise<void> {
    const { database } = this.#modules;
    const { self } = this.#options;
    const askedAt = this.#now();
    const held = new Map([...this.#held.values()].map(({ taken }) => [taken.account, taken.epoch]));
    try {
      const unable = this.#lookAtAbility();
      const news = await renew(database.ask, self, held, unable);
      this.#troubles.delete("unreachable");
      if (news.isReplaced) this.#replaced.resolve();
      for (const account of held.keys()) this.#renewed(account, news, askedAt);
      if (this.#server !== null && this.#server !== news.server) this.#tellAgain();
      this.#server = news.server;
      await Promise.all([...this.#held.values()].map((one) => this.#follow(one, news)));
      if (news.isReplaced || this.#isStopping) return;
      if (news.isDraining) this.#leaving ??= this.#leave();
      else {
        await this.#yield();
        await this.#take(news, unable === null);
      }
    } catch (error) {
      this.#say({ kind: "unreachable", why: messageOf(error) });
    }
  }

  #renewed(account: string, { renewed }: News, askedAt: Instant): void {
    const held = this.#held.get(account);
    if (held === undefined) return;
    const event = renewed.has(account) ? { kind: "renewed" as const, askedAt } : { kind: "refused" as const };
    held.lease = leaseAfter(held.lease, event, this.#now());
    this.#look();
  }

  #tellAgain(): void {
    for (const held of this.#held.values()) {
      held.shard?.resend();
      held.shown = "";
    }
  }

  /** Carries out the fleet's last order once per account, and reports the account's state. */
  async #follow(held: Held, { orders }: News): Promise<void> {
    const { shard, taken } = held;
    if (shard === null || held.ending !== null) return;
    if (orders.count > held.ordersDone) await this.#obey(held, shard, orders);
    const state = shard.state();
    const shown = `${state} ${held.ordersDone}`;
    if (shown === held.shown) return;
    await setState(this.#modules.database.ask, taken, { state, ordersDone: held.ordersDone });
    held.shown = shown;
  }

  async #obey(held: Held, shard: Shard, { count, haltReason, reason }: FleetOrders): Promise<void> {
    await shard.obey(haltReason === null ? "resume" : "halt", reason);
    held.ordersDone = count;
  }

  /** Why this node could not quote; null: it could. */
  #lookAtAbility(): string | null {
    const why = this.#modules.lack();
    if (why === null) {
      this.#unableMs = null;
      this.#troubles.delete("unable");
    } else this.#unableMs ??= this.#modules.clock.monotonicMs();
    if (why !== null && this.#isUnable()) this.#say({ kind: "unable", why: `this node cannot quote: ${why}` });
    return this.#troubles.get("otherConfiguration") ?? why;
  }

  #isUnable(): boolean {
    return this.#unableMs !== null && this.#modules.clock.monotonicMs() - this.#unableMs >= fleetTiming.unableMs;
  }

  /** Releases accounts that should be quoted, but cannot be here, so that an able node takes them. */
  async #yield(): Promise<void> {
    if (!this.#isUnable()) return;
    const idle = [...this.#held.values()].filter(
      ({ ending, shard }) => ending === null && shard?.state() === "quoting",
    );
    if (idle.length === 0) return;
    const epochs = new Map(idle.map(({ taken }) => [taken.account, taken.epoch]));
    const given = await yieldable(this.#modules.database.ask, this.#options.self, epochs);
    for (const held of idle.filter(({ taken }) => given.has(taken.account))) {
      this.#modules.report({ kind: "yielded", taken: held.taken });
      void this.#end(held, "draining");
    }
  }

  async #take({ config, orders }: News, isAble: boolean): Promise<void> {
    const { database, clock, report } = this.#modules;
    const { self, accounts } = this.#options;
    if (config !== this.#options.config) {
      const why = `the fleet runs configuration ${config}, this node's accounts are ${this.#options.config}: it takes nothing; run fleet init with the file that all nodes must have`;
      this.#say({ kind: "otherConfiguration", why });
      return;
    }
    this.#troubles.delete("otherConfiguration");
    const nowMs = clock.monotonicMs();
    const wanted = accounts.filter(
      (account) => !this.#held.has(account) && nowMs >= (this.#notBeforeMs.get(account) ?? 0),
    );
    if (wanted.length === 0) return;
    const askedAt = this.#now();
    const taken = await takeShard(database.ask, self, wanted, isAble);
    if (taken === undefined) return;
    const lease: Lease = { kind: "held", askedAt, leaseMs: self.leaseMs };
    const halted = orders.haltReason;
    const ordersDone = halted === null ? taken.ordersDone : orders.count;
    const held: Held = { taken, lease, shard: null, ordersDone, shown: "", ending: null };
    this.#held.set(taken.account, held);
    report({ kind: "taken", taken });
    clock.after(fleetTiming.takeMs, () => this.#isStopping || this.#wake());
    void this.#begin(held, halted ?? undefined);
  }

  async #begin(held: Held, halt: string | undefined): Promise<void> {
    const { clock, report, start } = this.#modules;
    const { taken } = held;
    try {
      held.shard = await start({
        taken,
        halt,
        lost: () => this.#lost(held),
        isElsewhere: () => isElsewhere(held.lease, this.#now()),
      });
      void held.shard.over.then(() => this.#end(held, "draining"));
      if (held.ending === null) report({ kind: "quoting", taken });
    } catch (error) {
      report({ kind: "failed", taken, why: messageOf(error) });
      this.#notBeforeMs.set(taken.account, clock.monotonicMs() + fleetTiming.failedMs);
      // Nothing new was sent, so the next holder finds what the previous one left.
      await this.#release(taken, taken.isClean);
    }
  }

  /** Joins an end that is already in progress. The lease continues until the exchange has confirmed. */
  #end(held: Held, why: "draining" | "lost"): Promise<void> {
    held.ending ??= this.#endNow(held, why);
    return held.ending;
  }

  async #endNow(held: Held, why: "draining" | "lost"): Promise<void> {
    const { database, clock, report } = this.#modules;
    const { taken } = held;
    if (why === "lost") report({ kind: "lost", taken, why: this.#lost(held) ?? "" });
    else await setState(database.ask, taken, { state: "draining", ordersDone: held.ordersDone }).catch(() => {});
    // Waits for a start in progress, because it may have sent orders.
    while (held.shard === null && this.#held.has(taken.account)) await sleep(clock, fleetTiming.lookMs);
    if (held.shard === null) return;
    const isClean = await held.shard.end();
    if (isClean) await this.#release(taken, true);
    // If orders may rest, the lease is left to expire: the next holder then cancels first.
    else if (!this.#isStopping || why === "lost") this.#held.delete(taken.account);
  }

  async #release(taken: Taken, isClean: boolean): Promise<void> {
    try {
      await giveUp(this.#modules.database.ask, taken, isClean);
      this.#modules.report({ kind: "released", taken });
    } catch (error) {
      this.#say({ kind: "unreachable", why: messageOf(error) });
    }
    this.#held.delete(taken.account);
  }

  #say(trouble: Trouble): void {
    if (this.#troubles.has(trouble.kind)) return;
    this.#troubles.set(trouble.kind, trouble.why);
    this.#modules.report(trouble);
  }
}
