// PostgreSQL as the fleet's code relies on it, under virtual time: the rows, each statement whole or not at all, row locks until a commit,
// `now()` by its own clock. test/contract/fleet-model.test.ts holds it to the real one. A statement that it does not know is an error.

import type { QueryResultRow } from "pg";
import type { Database } from "../../../src/bot/fleet/database.ts";
import { fleetTiming } from "../../../src/bot/timing.ts";
import type { VirtualClock } from "../../../src/kernel/virtual-clock.ts";

type Shard = {
  node: string | null;
  instance: string | null;
  epoch: number;
  expiresMs: number;
  state: string;
  sinceMs: number;
  isClean: boolean;
  ordersDone: number;
  yieldedMs: number;
};
type Fleet = {
  readonly config: string;
  readonly haltReason: string | null;
  readonly reason: string;
  readonly orders: number;
  /** Which server the rows were last seen on, and since when. */
  readonly serverStarted: number;
  readonly serverSinceMs: number;
  readonly floor: number;
};
type Numbered = { readonly epoch: number; readonly number: number; readonly record: string };
type Rows = readonly QueryResultRow[];

/** One connection's open transaction: what it changed, and which accounts it keeps others from writing. */
export class Transaction {
  /** Whose connection it is. */
  readonly owner: object;
  readonly undo: (() => void)[] = [];
  readonly locks = new Set<string>();
  readonly ended = Promise.withResolvers<void>();

  constructor(owner: object) {
    this.owner = owner;
  }
}

const DAY_MS = 86_400_000;
/** What a standby may lack, and no older. */
const REMEMBERED_MS = 5000;

export class DatabaseModel {
  readonly #world: VirtualClock;
  #fleet: Fleet = {
    config: "c0",
    haltReason: null,
    reason: "",
    orders: 0,
    serverStarted: 1,
    serverSinceMs: Number.NEGATIVE_INFINITY,
    floor: 0,
  };
  /** Which machine it runs on, counted. */
  #server = 1;
  readonly #nodes = new Map<
    string,
    { instance: string; isDraining: boolean; unable: string | null; seenUntilMs: number }
  >();
  readonly #shards = new Map<string, Shard>();
  readonly #records = new Map<string, Map<string, Numbered>>();
  readonly #newest = new Map<string, Map<string, Numbered>>();
  /** What was committed, newest last, and how to take it back: what an asynchronous standby may lack. */
  #committed: { readonly atMs: number; readonly undo: readonly (() => void)[] }[] = [];
  readonly #open = new Set<Transaction>();
  readonly #listeners = new Set<() => void>();
  /** How far the clock of the machine that it runs on is off. */
  skewMs = 0;
  statements = 0;

  constructor(world: VirtualClock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.elapsedMs() + DAY_MS + this.skewMs;
  }

  get haltReason(): string | null {
    return this.#fleet.haltReason;
  }

  get orders(): number {
    return this.#fleet.orders;
  }

  shard(account: string): Readonly<Shard> | undefined {
    return this.#shards.get(account);
  }

  /** Calls back at each announcement that is committed; returns how to stop. */
  listen(onNote: () => void): () => void {
    this.#listeners.add(onNote);
    return () => this.#listeners.delete(onNote);
  }

  begin(owner: object): Transaction {
    const transaction = new Transaction(owner);
    this.#open.add(transaction);
    return transaction;
  }

  commit(transaction: Transaction): void {
    if (!this.#open.delete(transaction)) throw new Error("the transaction is over");
    const atMs = this.#world.elapsedMs();
    this.#committed.push({ atMs, undo: transaction.undo });
    this.#committed = this.#committed.filter((one) => one.atMs > atMs - REMEMBERED_MS);
    transaction.ended.resolve();
  }

  rollback(transaction: Transaction): void {
    if (!this.#open.delete(transaction)) return;
    for (const undo of transaction.undo.toReversed()) undo();
    transaction.ended.resolve();
  }

  /** The server has noticed that the connections of a process are closed. */
  hangUp(owner: object): void {
    for (const transaction of [...this.#open]) if (transaction.owner === owner) this.rollback(transaction);
  }

  /** Another machine takes over. It lacks what was committed within `lostMs`; 0: it had confirmed everything. */
  failOver(lostMs: number, skewMs: number): void {
    for (const transaction of [...this.#open]) this.rollback(transaction);
    const fromMs = this.#world.elapsedMs() - lostMs;
    while (this.#committed.length > 0 && (this.#committed.at(-1)?.atMs ?? 0) > fromMs)
      for (const undo of this.#committed.pop()?.undo.toReversed() ?? []) undo();
    this.skewMs = skewMs;
    this.#server += 1;
  }

  /** One statement in a transaction of its own or in `transaction`. Waits for rows that another has locked. Throws for what it does not know. */
  async ask(text: string, values: readonly unknown[], transaction?: Transaction): Promise<Rows> {
    this.statements += 1;
    const own = transaction ?? this.begin(this);
    for (;;) {
      if (!this.#open.has(own)) throw new Error("terminating connection: the server goes away");
      const other = this.#lockedBy(text, values, own);
      if (other === undefined) break;
      await other.ended.promise;
    }
    const rows = this.#run(text.replaceAll(/\s+/g, " ").trim(), values, own);
    if (transaction === undefined) this.commit(own);
    return rows;
  }

  #lockedBy(text: string, values: readonly unknown[], own: Transaction): Transaction | undefined {
    const written = /^\s*with turned/.test(text)
      ? (values[3] as readonly string[])
      : /^\s*(update quoin\.shards|with answered as)/.test(text)
        ? [String(values[0])]
        : [];
    return [...this.#open].find((other) => other !== own && written.some((account) => other.locks.has(account)));
  }

  #run(text: string, values: readonly unknown[], own: Transaction): Rows {
    const found = Object.entries(this.#statements).find(([begin]) => text.startsWith(begin));
    if (found === undefined) throw new Error(`the model does not know: ${text}`);
    return found[1](values, own);
  }

  /** By how they begin. */
  readonly #statements: Readonly<Record<string, (values: readonly unknown[], own: Transaction) => Rows>> = {
    "insert into quoin.nodes": ([leaseMs, node, instance], own) => {
      const before = this.#nodes.get(String(node));
      if (before !== undefined && before.seenUntilMs >= this.now() && before.instance !== instance) return [];
      const seenUntilMs = this.now() + Number(leaseMs);
      this.#put(own, this.#nodes, String(node), {
        instance: String(instance),
        isDraining: false,
        unable: "it has not said",
        seenUntilMs,
      });
      return [{ node }];
    },
    "update quoin.nodes set seen_until = now()": ([node, instance], own) => {
      const row = this.#nodes.get(String(node));
      if (row?.instance === instance && row !== undefined)
        this.#put(own, this.#nodes, String(node), { ...row, seenUntilMs: this.now() });
      return [];
    },
    "insert into quoin.shards": ([accounts], own) => {
      const { haltReason, orders } = this.#fleet;
      for (const account of accounts as readonly string[])
        if (!this.#shards.has(account))
          this.#put(own, this.#shards, account, {
            ...freeShard(this.now()),
            ordersDone: haltReason === null ? orders : 0,
          });
      return [];
    },
    "with free as": ([leaseMs, node, instance, accounts, isAble], own) => {
      const self = this.#nodes.get(String(node));
      if (self?.instance !== instance || self === undefined || self.isDraining) return [];
      if (isAble !== true && this.#isOtherAble(String(node))) return [];
      const { serverStarted, serverSinceMs, floor } = this.#fleet;
      if (serverStarted !== this.#server || serverSinceMs >= this.now() - Number(leaseMs)) return [];
      const locked = new Set([...this.#open].filter((other) => other !== own).flatMap(({ locks }) => [...locks]));
      const free = (accounts as readonly string[])
        .flatMap((account) => {
          const shard = this.#shards.get(account);
          return shard === undefined || locked.has(account) ? [] : [{ account, shard }];
        })
        .filter(({ shard }) => shard.node === null || shard.expiresMs < this.now())
        .sort((one, other) => one.shard.sinceMs - other.shard.sinceMs)[0];
      if (free === undefined) return [];
      const { account, shard } = free;
      const next: Shard = {
        ...shard,
        node: String(node),
        instance: String(instance),
        epoch: Math.max(shard.epoch + 1, floor),
        expiresMs: this.now() + Number(leaseMs),
        state: "taking",
        sinceMs: this.now(),
        isClean: false,
      };
      this.#put(own, this.#shards, account, next);
      const isClean = shard.node === null && shard.isClean;
      return [{ account, epoch: next.epoch, is_clean: isClean, orders_done: shard.ordersDone }];
    },
    "with chosen as": ([everyMs, node, accounts, epochs], own) => {
      if (!this.#isOtherAble(String(node))) return [];
      const chosen = (accounts as readonly string[]).flatMap((account, at) => {
        const shard = this.#shards.get(account);
        const isHeld = shard?.node === node && shard?.epoch === (epochs as readonly number[])[at];
        return shard !== undefined && isHeld && shard.yieldedMs < this.now() - Number(everyMs)
          ? [{ account, shard }]
          : [];
      });
      const longest = chosen
        .sort((one, other) => one.shard.sinceMs - other.shard.sinceMs)
        .slice(0, fleetTiming.yieldsMax);
      for (const { account, shard } of longest)
        this.#put(own, this.#shards, account, { ...shard, yieldedMs: this.now() });
      return longest.map(({ account }) => ({ account }));
    },
    "with turned as": ([leaseMs, node, instance, accounts, epochs, unable], own) => {
      if (this.#fleet.serverStarted !== this.#server)
        this.#putFleet(own, {
          serverStarted: this.#server,
          serverSinceMs: this.now(),
          floor: Math.floor(this.now() / 1000),
        });
      const self = this.#nodes.get(String(node));
      const isOurs = self !== undefined && self.instance === instance;
      const untilMs = this.now() + Number(leaseMs);
      if (isOurs)
        this.#put(own, this.#nodes, String(node), { ...self, unable: unable as string | null, seenUntilMs: untilMs });
      const kept = (accounts as readonly string[]).filter((account, at) => {
        const shard = this.#shards.get(account);
        if (shard?.epoch !== (epochs as readonly number[])[at] || shard === undefined) return false;
        if (shard.expiresMs <= this.now()) return false;
        this.#put(own, this.#shards, account, { ...shard, expiresMs: untilMs });
        return true;
      });
      const { config, haltReason, reason, orders } = this.#fleet;
      const isDraining = isOurs ? self.isDraining : null;
      return [
        {
          is_draining: isDraining,
          kept,
          config,
          halt_reason: haltReason,
          order_reason: reason,
          orders,
          server: `${this.#server}`,
        },
      ];
    },
    "select from quoin.shards where account = $1 and epoch = $2": ([account, epoch], own) => {
      if (this.#shards.get(String(account))?.epoch !== epoch) return [];
      own.locks.add(String(account));
      return [{}];
    },
    "update quoin.shards set since = case": ([account, epoch, state, ordersDone], own) => {
      const shard = this.#shards.get(String(account));
      if (shard?.epoch !== epoch || shard === undefined) return [];
      const sinceMs = shard.state === state ? shard.sinceMs : this.now();
      const done = Math.max(shard.ordersDone, Number(ordersDone));
      this.#put(own, this.#shards, String(account), { ...shard, state: String(state), sinceMs, ordersDone: done });
      return [{ account }];
    },
    "with answered as": ([account, epoch, isClean], own) => {
      const shard = this.#shards.get(String(account));
      if (shard?.epoch === epoch && shard !== undefined)
        this.#put(own, this.#shards, String(account), {
          ...freeShard(this.now()),
          epoch: shard.epoch,
          ordersDone: shard.ordersDone,
          yieldedMs: shard.yieldedMs,
          isClean: isClean === true,
        });
      return [];
    },
    "update quoin.fleet set halt_reason": ([haltReason, reason], own) => {
      const { orders, floor } = this.#fleet;
      this.#putFleet(own, {
        haltReason: haltReason === null ? null : String(haltReason),
        reason: String(reason),
        orders: Math.max(orders + 1, floor),
      });
      return [];
    },
    "notify ": (_, own) => {
      void own.ended.promise.then(() => {
        for (const onNote of this.#listeners) onNote();
      });
      return [];
    },
    "insert into quoin.records": ([account, epoch, numbers, texts], own) => {
      const rows = tableOf(this.#records, String(account));
      for (const [at, number] of (numbers as readonly number[]).entries()) {
        const key = `${epoch} ${number}`;
        const record = String((texts as readonly string[])[at]);
        if (!rows.has(key)) this.#put(own, rows, key, { epoch: Number(epoch), number, record });
      }
      return [];
    },
    "insert into quoin.newest": ([account, epoch, slots, numbers, texts], own) => {
      const rows = tableOf(this.#newest, String(account));
      for (const [at, slot] of (slots as readonly string[]).entries()) {
        const number = Number((numbers as readonly number[])[at]);
        const next = { epoch: Number(epoch), number, record: String((texts as readonly string[])[at]) };
        const before = rows.get(slot);
        if (before === undefined || inOrder(before, next) < 0) this.#put(own, rows, slot, next);
      }
      return [];
    },
    "select epoch, number, record from (": ([account, epoch, number]) => {
      const after = { epoch: Number(epoch), number: Number(number) };
      const written = [this.#records, this.#newest].flatMap((table) => [...tableOf(table, String(account)).values()]);
      return written
        .sort(inOrder)
        .filter((row) => inOrder(row, after) > 0)
        .slice(0, 2000);
    },
  };

  #isOtherAble(node: string): boolean {
    return [...this.#nodes].some(
      ([name, { unable, isDraining, seenUntilMs }]) =>
        name !== node && unable === null && !isDraining && seenUntilMs > this.now(),
    );
  }

  #putFleet(own: Transaction, changed: Partial<Fleet>): void {
    const before = this.#fleet;
    this.#fleet = { ...before, ...changed };
    own.undo.push(() => {
      this.#fleet = before;
    });
  }

  #put<T>(own: Transaction, table: Map<string, T>, key: string, value: T): void {
    const before = table.get(key);
    own.undo.push(() => {
      if (before === undefined) table.delete(key);
      else table.set(key, before);
    });
    table.set(key, value);
  }
}

/** A client beside the server, which nothing delays. */
export const databaseOver = (model: DatabaseModel): Database => ({
  ask: (text, values = []) => model.ask(text, values),
  async inTransaction(run) {
    const own = model.begin(model);
    try {
      const result = await run((text, values = []) => model.ask(text, values, own));
      model.commit(own);
      return result;
    } catch (error) {
      model.rollback(own);
      throw error;
    }
  },
  listen: () => {},
  close: async () => {},
});

const freeShard = (nowMs: number): Shard => ({
  node: null,
  instance: null,
  epoch: 0,
  expiresMs: 0,
  state: "free",
  sinceMs: nowMs,
  isClean: true,
  ordersDone: 0,
  yieldedMs: Number.NEGATIVE_INFINITY,
});

const inOrder = (one: Pick<Numbered, "epoch" | "number">, other: Pick<Numbered, "epoch" | "number">): number =>
  one.epoch - other.epoch || one.number - other.number;

function tableOf(tables: Map<string, Map<string, Numbered>>, account: string): Map<string, Numbered> {
  const table = tables.get(account) ?? new Map<string, Numbered>();
  tables.set(account, table);
  return table;
}
