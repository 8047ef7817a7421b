// One seeded world of a fleet: nodes with clocks that drift, each with its way to one database, and faults; then peace, in which every account
// has to be quoted again and no fill may be missing.

import type { Database } from "../../../src/bot/fleet/database.ts";
import { FleetNode } from "../../../src/bot/fleet/node.ts";
import type { Leftover, OutboxFile } from "../../../src/bot/fleet/outbox-file.ts";
import { sendLeftover } from "../../../src/bot/fleet/replica.ts";
import { order } from "../../../src/bot/fleet/shards.ts";
import { type Clock, microtasks } from "../../../src/kernel/clock.ts";
import { createPrng, type Prng } from "../../../src/kernel/prng.ts";
import { createVirtualClock, type SkewedClock, type VirtualClock } from "../../../src/kernel/virtual-clock.ts";
import { ProcessRun } from "../../../src/sim/process-run.ts";
import { type LinkState, linkedDatabase, type ServerState } from "./database-link.ts";
import { DatabaseModel } from "./database-model.ts";
import { ExchangeModel } from "./exchange-model.ts";
import { startTrader, type Trader } from "./trader.ts";

/** Known bugs put back in. */
export type Mutation = {
  readonly database?: (database: Database, model: DatabaseModel) => Database;
  readonly clock?: (clock: Clock) => Clock;
  readonly hasNoLastLook?: boolean;
};

export type FleetRun = {
  readonly seed: bigint;
  readonly minutes: number;
  readonly mutation?: Mutation;
  /** A failover may lose what was acknowledged shortly before. */
  readonly isAsynchronous?: boolean;
  readonly onLine?: (line: string) => void;
};

export type FleetEnd = {
  readonly violation: string | null;
  /** Takeovers of an account whose holder had not given it up. */
  readonly failovers: number;
  readonly fills: number;
  readonly digest: string;
};

/** How the statement begins that takes back the row of a node. */
const FAREWELL = "update quoin.nodes set seen_until = now() where";
const START_MS = 1_790_000_000_000;
const LEASE_MS = 5000;
const STATEMENT_MS = LEASE_MS * 0.3;
const ACCOUNTS = ["12", "13", "14", "15"] as const;
const NODES = ["a", "b", "c"] as const;
/** A process that died is started again. */
const RESTART_MS = [500, 12_000] as const;
/** From the last fault until everything is well. */
const PEACE_MS = 30_000;
/** A node that hears the database carries out a halt within so long; one that does not, halts when its lease ends. */
const HALT_MS = LEASE_MS;

type Node = {
  readonly name: string;
  readonly view: SkewedClock;
  readonly link: LinkState;
  /** What lies on its disk, by account and epoch. */
  readonly outboxes: Map<string, string[]>;
  processRun: ProcessRun;
  node: FleetNode | null;
};

export class FleetWorld {
  readonly world: VirtualClock = createVirtualClock({ startMs: START_MS, settle: microtasks });
  readonly #run: FleetRun;
  readonly #prng: Prng;
  readonly #model: DatabaseModel;
  readonly #exchange: ExchangeModel;
  readonly #server: ServerState = { isAway: false, commitMs: 0 };
  readonly #nodes: readonly Node[];
  readonly #traders = new Map<string, Trader>();
  #violation: string | null = null;
  #failovers = 0;
  #terms = 0;
  #processRuns = 0;
  #digest = 0;
  #haltedMs: number | null = null;

  constructor(run: FleetRun) {
    this.#run = run;
    this.#prng = createPrng(run.seed);
    this.#model = new DatabaseModel(this.world);
    this.#exchange = new ExchangeModel(this.world, this.#prng.fork("exchange"), (law, why) => this.#accuse(law, why));
    this.#exchange.onPlace = (account) => this.#placed(account);
    const clocks = this.#prng.fork("clocks");
    this.#nodes = NODES.map((name) => {
      const view = this.world.viewOf({
        skewMs: clocks.gaussian() * 2000,
        driftPpm: Math.round(clocks.gaussian() * 200),
      });
      const processRun = new ProcessRun({ world: this.world, view });
      processRun.end();
      return { name, view, link: { isCut: false }, outboxes: new Map(), processRun, node: null };
    });
  }

  async live(): Promise<FleetEnd> {
    const untilMs = this.#run.minutes * 60_000;
    for (const node of this.#nodes) this.#boot(node);
    await this.world.advance(5000);
    this.#drawFault(untilMs);
    await this.world.advance(untilMs - 5000);
    await this.#peace();
    return {
      violation: this.#violation,
      failovers: this.#failovers,
      fills: ACCOUNTS.reduce((sum, account) => sum + this.#exchange.account(account).fills.length, 0),
      digest: this.#digest.toString(16),
    };
  }

  async #peace(): Promise<void> {
    this.#note("peace");
    this.#exchange.landing = { meanMs: 20, lostShare: 0 };
    Object.assign(this.#server, { isAway: false, commitMs: 0 });
    for (const node of this.#nodes) {
      node.link.isCut = false;
      if (node.processRun.isDead) this.#boot(node);
    }
    void this.#operate("resume");
    await this.world.advance(PEACE_MS);
    for (const account of ACCOUNTS) {
      const { state, node } = this.#model.shard(account) ?? { state: "none", node: null };
      if (state !== "quoting") this.#accuse("quoted again", `account ${account} is ${state} on ${node}`);
      const all = this.#exchange.account(account).fills.map(({ number }) => number);
      const kept = this.#traders.get(account)?.fills() ?? [];
      const missing = all.slice(0, -3).filter((number) => !kept.includes(number));
      if (missing.length > 0) this.#accuse("no fill lost", `account ${account} lacks fills ${missing.join(", ")}`);
      if (new Set(kept).size < kept.length) this.#accuse("no fill doubled", `account ${account}`);
    }
  }

  #boot(node: Node): void {
    this.#processRuns += 1;
    const prng = this.#prng.fork(`life ${this.#processRuns}`);
    const processRun = new ProcessRun({ world: this.world, view: node.view });
    node.processRun = processRun;
    const { mutation = {} } = this.#run;
    const link = { world: this.world, processRun, model: this.#model, link: node.link, server: this.#server, prng };
    const linked = linkedDatabase({ ...link, timeoutMs: STATEMENT_MS });
    const database = this.#untilFarewell(node, mutation.database?.(linked, this.#model) ?? linked);
    const clock = mutation.clock?.(processRun.clock) ?? processRun.clock;
    const self = { node: node.name, instance: `${node.name}${this.#processRuns}`, leaseMs: LEASE_MS };
    const fleet = new FleetNode(
      { self, program: "simulated", config: "c0", accounts: ACCOUNTS },
      {
        database,
        clock,
        recover: async () => {
          for (const account of ACCOUNTS)
            for (const leftover of leftoversOf(node, account)) {
              await sendLeftover(database, account, leftover);
              leftover.remove();
            }
        },
        start: async (start) => {
          const { account, epoch } = start.taken;
          this.#terms += 1;
          const term = { number: this.#terms, account };
          const outbox = outboxOf(node, account, epoch);
          const looked = mutation.hasNoLastLook === true ? { ...start, lost: () => undefined } : start;
          const trader = await startTrader(looked, {
            processRun,
            database,
            exchange: this.#exchange,
            outbox,
            prng,
            term,
          });
          this.#traders.set(account, trader);
          return trader;
        },
        lack: () => null,
        report: (event) => {
          this.#note(
            `${node.name} ${event.kind} ${"taken" in event ? `${event.taken.account}/${event.taken.epoch}` : event.why}`,
          );
          if (event.kind === "taken" && !event.taken.isClean) this.#failovers += 1;
        },
      },
    );
    node.node = fleet;
    this.#note(`${node.name} boots`);
    void fleet.replaced.then(() => this.#kill(node, 1000));
    processRun.enter(() => {
      fleet.start().catch((error: unknown) => {
        this.#note(`${node.name} did not start: ${error}`);
        this.#kill(node, 1000);
      });
    });
  }

  /** After its farewell a node has nothing to say: it would count as alive again. */
  #untilFarewell({ name }: Node, database: Database): Database {
    let hasLeft = false;
    return {
      ...database,
      ask: (text, values) => {
        if (hasLeft) this.#accuse("a farewell is final", `${name} goes on: ${text}`);
        hasLeft ||= text.startsWith(FAREWELL);
        return database.ask(text, values);
      },
    };
  }

  #kill(node: Node, downMs: number): void {
    if (node.processRun.isDead) return;
    this.#note(`${node.name} dies`);
    const { processRun } = node;
    processRun.end();
    this.world.after(node.link.isCut ? 2 * STATEMENT_MS : 5, () => this.#model.hangUp(processRun));
    this.world.after(downMs, () => {
      if (node.processRun.isDead) this.#boot(node);
    });
  }

  /** Each fault draws the next; none begins in the last seconds. */
  #drawFault(untilMs: number): void {
    const prng = this.#prng.fork(`fault ${this.world.elapsedMs()}`);
    if (this.world.elapsedMs() > untilMs - 1000) return;
    const node = prng.pick(this.#nodes);
    const forMs = prng.exponential(4000);
    const kind = prng.pick([
      "kill",
      "kill",
      "cut",
      "stall",
      "suspend",
      "clock",
      "away",
      "slow",
      "failOver",
      "late",
      "halt",
      "stop",
    ] as const);
    this.#note(`fault ${kind} ${node.name} ${Math.round(forMs)}`);
    const during = (begin: () => void, end: () => void): void => {
      begin();
      this.world.after(forMs, end);
    };
    if (kind === "kill") this.#kill(node, RESTART_MS[0] + prng.float() * RESTART_MS[1]);
    else if (kind === "cut")
      during(
        () => (node.link.isCut = true),
        () => (node.link.isCut = false),
      );
    else if (kind === "stall") node.processRun.stall(forMs);
    else if (kind === "suspend") node.processRun.suspend(forMs);
    else if (kind === "clock") node.processRun.stepWall(prng.gaussian() * 3000);
    else if (kind === "away")
      during(
        () => (this.#server.isAway = true),
        () => (this.#server.isAway = false),
      );
    else if (kind === "slow")
      during(
        () => (this.#server.commitMs = prng.float() * 1000),
        () => (this.#server.commitMs = 0),
      );
    else if (kind === "failOver") this.#failOver(prng);
    else if (kind === "late")
      during(
        () => (this.#exchange.landing = { meanMs: 500, lostShare: 0.3 }),
        () => (this.#exchange.landing = { meanMs: 20, lostShare: 0 }),
      );
    else if (kind === "halt") {
      void this.#operate("halt");
      this.world.after(forMs + HALT_MS, () => void this.#operate("resume"));
    } else if (node.node !== null && !node.processRun.isDead) {
      const { processRun } = node;
      processRun.enter(() => {
        void node.node?.stop().then(() => {
          if (node.processRun === processRun) this.#kill(node, 1000);
        });
      });
    }
    this.world.after(prng.exponential(5000), () => this.#drawFault(untilMs));
  }

  #failOver(prng: Prng): void {
    this.#server.isAway = true;
    this.world.after(500 + prng.exponential(1500), () => {
      this.#model.failOver(this.#run.isAsynchronous === true ? prng.exponential(200) : 0, prng.gaussian() * 100);
      this.#server.isAway = false;
      if (this.#model.haltReason === null) this.#haltedMs = null;
    });
  }

  async #operate(verb: "halt" | "resume"): Promise<void> {
    // An operator's own connection; he tries until it is done.
    const processRun = new ProcessRun({ world: this.world, view: this.world.viewOf({ skewMs: 0, driftPpm: 0 }) });
    const prng = this.#prng.fork(`operator ${this.world.elapsedMs()}`);
    const link = {
      world: this.world,
      processRun,
      model: this.#model,
      link: { isCut: false },
      server: this.#server,
      prng,
    };
    const database = linkedDatabase({ ...link, timeoutMs: STATEMENT_MS });
    for (;;) {
      if (verb === "resume") this.#haltedMs = null;
      try {
        await order(database, verb === "halt" ? "a test" : null, "a test");
        this.#note(verb);
        this.#haltedMs = verb === "halt" ? this.world.elapsedMs() : null;
        return;
      } catch {
        this.#note(`${verb} failed`);
      }
    }
  }

  #placed(account: string): void {
    const sinceMs = this.#haltedMs === null ? 0 : this.world.elapsedMs() - this.#haltedMs;
    if (sinceMs > HALT_MS)
      this.#accuse("a halt holds", `account ${account} adds exposure ${Math.round(sinceMs)} ms after a halt`);
  }

  #accuse(law: string, why: string): void {
    this.#note(`VIOLATION ${law}: ${why}`);
    this.#violation ??= `${law}: ${why}`;
  }

  #note(text: string): void {
    const line = `${this.world.elapsedMs().toFixed(3)} ${text}`;
    for (let at = 0; at < line.length; at += 1)
      this.#digest = (Math.imul(this.#digest, 31) + line.charCodeAt(at)) >>> 0;
    this.#run.onLine?.(line);
  }
}

const keyOf = (account: string, epoch: number): string => `${account} ${epoch}`;

function outboxOf({ outboxes }: Node, account: string, epoch: number): OutboxFile {
  const key = keyOf(account, epoch);
  return {
    append: (lines) => void outboxes.set(key, [...(outboxes.get(key) ?? []), ...lines]),
    empty: () => void outboxes.set(key, []),
    close: (isEmpty) => {
      if (isEmpty) outboxes.delete(key);
    },
  };
}

const leftoversOf = ({ outboxes }: Node, account: string): readonly Leftover[] =>
  [...outboxes].flatMap(([key, lines]) => {
    const [of, epoch] = key.split(" ");
    return of === account ? [{ epoch: Number(epoch), lines, remove: () => void outboxes.delete(key) }] : [];
  });
