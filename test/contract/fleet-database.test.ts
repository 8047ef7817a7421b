// What the fleet needs of its database, on a real PostgreSQL: one holder an account, nothing written by an older one, one schema, and a
// ledger that comes back as it was.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { forgetAllowance, registerAllowance } from "../../src/bot/fleet/allowances.ts";
import { type Database, openDatabase } from "../../src/bot/fleet/database.ts";
import { claimKeys } from "../../src/bot/fleet/keys.ts";
import { leftovers, openOutbox } from "../../src/bot/fleet/outbox-file.ts";
import { recordText } from "../../src/bot/fleet/record-text.ts";
import { fillLedger, Replica, sendLeftover } from "../../src/bot/fleet/replica.ts";
import { checkSchema, initFleet } from "../../src/bot/fleet/schema.ts";
import {
  drain,
  giveUp,
  nameShards,
  register,
  renew,
  type Self,
  setState,
  takeShard,
  unableNodes,
  yieldable,
} from "../../src/bot/fleet/shards.ts";
import { Ledger } from "../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../src/bot/ledger/memory/memory.ts";
import { bookOf } from "../../src/bot/ledger/rebuild.ts";
import type { LedgerRecord } from "../../src/bot/ledger/store.ts";
import type { StoredOrder } from "../../src/domain/order.ts";
import { accountId, nonce, orderId, price, size, usdc } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { ask, type Postgres, startPostgres } from "../support/postgres.ts";
import { withPostgres } from "../support/with-postgres.ts";
import { transferOf } from "../unit/bot/accounting/books.ts";
import { historyOfBook } from "../unit/bot/accounting/histories.ts";
import { figuresOf, inOrder, keep } from "../unit/bot/ledger/kept-books.ts";

const CHAIN = "venue-v4:devnet:chain-2";
const TIMEOUT_MS = 5000;
const self = (node: string, leaseMs = 60_000): Self => ({ node, instance: `${node}-1`, leaseMs });
const account = accountId(12n);

withPostgres("the fleet's database", () => {
  const folder = mkdtempSync(join(tmpdir(), "quoin-outbox-"));
  let postgres: Postgres;
  let url: string;
  let database: Database;
  let number = 0;

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await database?.close();
    await postgres?.end();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await database?.close();
    number += 1;
    url = await postgres.database(`fleet_${number}`);
    database = openDatabase(url, TIMEOUT_MS, systemClock);
  });

  async function ready(...nodes: readonly Self[]): Promise<void> {
    await initFleet(database, { chainId: CHAIN, config: "c0" });
    for (const node of nodes) await register(database.ask, node, "1");
    await nameShards(database.ask, ["12"]);
  }

  it("init twice, and by two at once, is the same as once", async () => {
    const made = await Promise.all([1, 2].map(() => initFleet(database, { chainId: CHAIN, config: "c0" })));
    expect(made.map(({ from }) => from).toSorted()).toEqual([0, made[0]?.to]);
    await checkSchema(database.ask, CHAIN);
  });

  it("a schema that is missing, newer, or of another chain's fleet is refused", async () => {
    await expect(checkSchema(database.ask, CHAIN)).rejects.toThrow("run npx quoin fleet init --config FILE first");
    await initFleet(database, { chainId: CHAIN, config: "c0" });
    await expect(checkSchema(database.ask, "other")).rejects.toThrow(
      `a fleet on ${CHAIN}, the configuration says other`,
    );
    await ask(url, "update quoin.fleet set version = 99");
    await expect(checkSchema(database.ask, CHAIN)).rejects.toThrow("the schema has version 99");
    await expect(initFleet(database, { chainId: CHAIN, config: "c0" })).rejects.toThrow("use a newer program");
  });

  it("a schema of an older program gets what it lacks, and keeps what it has", async () => {
    await ready(self("a"));
    await ask(url, "alter table quoin.nodes drop unable; alter table quoin.shards drop yielded_at");
    await ask(url, "drop table quoin.keys; update quoin.fleet set version = 4");
    await expect(checkSchema(database.ask, CHAIN)).rejects.toThrow("run npx quoin fleet init --config FILE first");
    expect(await initFleet(database, { chainId: CHAIN, config: "c1" })).toEqual({ from: 4, to: 6 });
    await checkSchema(database.ask, CHAIN);
    expect(await ask(url, "select node, signer from quoin.nodes left join quoin.keys using (node)")).toEqual([
      { node: "a", signer: null },
    ]);
  });

  it("a key is one node's, on whichever account, until that node no longer counts as alive or has another", async () => {
    const key = (signer: string, on = "12") => new Map([[on, signer]]);
    await ready(self("a"), self("b"));
    await claimKeys(database, "a", key("aa"));
    await claimKeys(database, "a", key("aa"));
    await expect(claimKeys(database, "b", key("aa"))).rejects.toThrow("node a signs with the key of account 12; make");
    await expect(claimKeys(database, "b", key("aa", "13"))).rejects.toThrow(
      "node a signs with the key of account 13, for account 12; make",
    );
    await claimKeys(database, "b", key("bb"));
    await claimKeys(database, "a", key("cc"));
    await claimKeys(database, "b", key("aa"));
    await ask(url, "update quoin.nodes set seen_until = now() - interval '1 s' where node = 'b'");
    await claimKeys(database, "a", key("aa"));
  });

  it("of nodes that start at once with one key, one gets it", async () => {
    const names = ["a", "b", "c"];
    await ready(...names.map((node) => self(node)));
    const claims = await Promise.allSettled(names.map((node) => claimKeys(database, node, new Map([["12", "aa"]]))));
    expect(claims.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("a node whose key was claimed while it did not count as alive works with it no more", async () => {
    const a = self("a");
    await ready(a, self("b"));
    await claimKeys(database, "a", new Map([["12", "aa"]]));
    await ask(url, "update quoin.nodes set seen_until = now() - interval '1 s' where node = 'a'");
    await claimKeys(database, "b", new Map([["12", "aa"]]));
    await renew(database.ask, a, new Map(), null);
    const taken = (await takeShard(database.ask, a, ["12"], true))!;
    const registered = registerAllowance(database, taken, { signer: "aa", allowances: new Map() }, 60_000);
    await expect(registered).rejects.toThrow("the key of account 12 is that of node b by now");
  });

  it("of nodes that race for an account one gets it", async () => {
    const nodes = ["a", "b", "c", "d"].map((node) => self(node));
    await ready(...nodes);
    const taken = await Promise.all(nodes.map((node) => takeShard(database.ask, node, ["12"], true)));
    expect(taken.filter((one) => one !== undefined)).toEqual([
      { account: "12", epoch: 1, isClean: true, ordersDone: 0 },
    ]);
  });

  it("a node that could not quote takes nothing, and gives up what it holds, only where another says that it could", async () => {
    const [a, b] = [self("a"), self("b")];
    await ready(a, b);
    const why = "its clock is 600.0 s ahead of the chain's";
    const says = (unable: string | null) => renew(database.ask, b, new Map(), unable);
    const yields = async (held: number) => [...(await yieldable(database.ask, a, new Map([["12", held]])))];
    await renew(database.ask, a, new Map(), why);
    expect(await unableNodes(database.ask)).toEqual([
      { node: "a", why },
      { node: "b", why: "it has not said" },
    ]);
    expect(await takeShard(database.ask, a, ["12"], false), "b has not said that it could").toMatchObject({ epoch: 1 });
    expect(await yields(1)).toEqual([]);
    await says("the same");
    expect(await yields(1)).toEqual([]);
    await says(null);
    expect(await yields(2), "an older holder").toEqual([]);
    expect(await yields(1)).toEqual(["12"]);
    expect(await yields(1), "twice in a minute").toEqual([]);
    await giveUp(database.ask, { account: "12", epoch: 1 }, true);
    expect(await takeShard(database.ask, a, ["12"], false)).toBeUndefined();
    expect(await takeShard(database.ask, b, ["12"], true)).toMatchObject({ epoch: 2 });
    await giveUp(database.ask, { account: "12", epoch: 2 }, true);
    await drain(database, "b");
    expect(await takeShard(database.ask, a, ["12"], false), "b is draining").toMatchObject({ epoch: 3 });
    await ask(url, "update quoin.nodes set is_draining = false, seen_until = now() - interval '1 s' where node = 'b'");
    await ask(url, "update quoin.shards set yielded_at = now() - interval '61 s'");
    expect(await yields(3), "b no longer counts as alive").toEqual([]);
    await says(null);
    expect(await yields(3)).toEqual(["12"]);
  });

  it("an ended lease goes to another with a higher epoch, and the older one can write, renew and free nothing", async () => {
    const [a, b] = [self("a", 50), self("b")];
    await ready(a, b);
    const first = await takeShard(database.ask, a, ["12"], true);
    expect(first).toBeDefined();
    await ask(url, "select pg_sleep(0.06)");
    const second = await takeShard(database.ask, b, ["12"], true);
    expect(second).toMatchObject({ epoch: 2, isClean: false });
    const old = { account: "12", epoch: 1 };
    expect((await renew(database.ask, a, new Map([["12", 1]]), null)).renewed.size).toBe(0);
    await expect(setState(database.ask, old, { state: "quoting", ordersDone: 0 })).rejects.toThrow("is not the newest");
    await giveUp(database.ask, old, true);
    expect((await renew(database.ask, b, new Map([["12", 2]]), null)).renewed).toEqual(new Set(["12"]));
  });

  it("a lease that has ended is not renewed, even where nobody has taken it", async () => {
    const a = self("a", 50);
    await ready(a);
    await takeShard(database.ask, a, ["12"], true);
    await ask(url, "select pg_sleep(0.06)");
    expect((await renew(database.ask, a, new Map([["12", 1]]), null)).renewed.size).toBe(0);
  });

  it("what a holder may have on the way is known to those after it, until it gave the account up or none of it can land", async () => {
    await ready(self("a", 1));
    const boundMs = 60_000;
    await claimKeys(database, "a", new Map([["12", "aa"]]));
    const own = { signer: "aa", allowances: new Map([[1, { orders: 16, contracts: size(5_000_000n) }]]) };
    const next = async () => {
      await ask(url, "update quoin.shards set expires_at = now() - interval '1 s'");
      const taken = (await takeShard(database.ask, self("a", 1), ["12"], true))!;
      return { taken, before: await registerAllowance(database, taken, own, boundMs) };
    };
    const epochs = ({ before }: Awaited<ReturnType<typeof next>>) => before.map(({ epoch }) => epoch);
    const first = await next();
    expect(first.before).toEqual([]);
    const second = await next();
    expect(second.before).toMatchObject([{ epoch: 1, ...own }]);
    expect(second.before[0]?.agoMs).toBeLessThan(1000);
    await expect(registerAllowance(database, first.taken, own, boundMs)).rejects.toThrow("is not the newest");
    expect(epochs(await next())).toEqual([1, 2]);
    await forgetAllowance(database.ask, second.taken);
    const fourth = await next();
    expect(epochs(fourth)).toEqual([1, 3]);
    await giveUp(database.ask, fourth.taken, true);
    expect(epochs(await next())).toEqual([1, 3]);
    await ask(url, "update quoin.allowances set ended_at = ended_at - interval '61 s' where epoch = 1");
    const sixth = await next();
    expect(epochs(sixth)).toEqual([3, 5]);
    await giveUp(database.ask, sixth.taken, false);
    expect(epochs(await next()), "what it sent may still land").toEqual([3, 5, 6]);
  });

  it("after a failover nobody takes an account for a lease, and epochs are above all that may have been given out", async () => {
    const a = self("a", 300);
    await ready(a);
    expect(await takeShard(database.ask, a, ["12"], true)).toMatchObject({ epoch: 1 });
    await giveUp(database.ask, { account: "12", epoch: 1 }, true);
    await ask(url, "update quoin.fleet set server_started = now() - interval '1 day'");
    expect(await takeShard(database.ask, a, ["12"], true)).toBeUndefined();
    const { server } = await renew(database.ask, a, new Map(), null);
    expect(await takeShard(database.ask, a, ["12"], true)).toBeUndefined();
    expect((await renew(database.ask, a, new Map(), null)).server).toBe(server);
    await ask(url, "update quoin.fleet set server_since = server_since - interval '0.4 s'");
    const [now] = await ask(url, "select extract(epoch from now()) as secs");
    const taken = await takeShard(database.ask, a, ["12"], true);
    expect(Math.abs((taken?.epoch ?? 0) - Number(now?.secs))).toBeLessThan(60);
  });

  it("what was confirmed lately is sent again, and is the same", async () => {
    const a = self("a");
    await ready(a);
    await takeShard(database.ask, a, ["12"], true);
    const outbox = openOutbox(join(folder, "again"), 1);
    const replica = new Replica({ account: "12", epoch: 1 }, { database, outbox, clock: systemClock });
    write(replica.behind(new MemoryDisk().open()), records);
    await replica.flush();
    await ask(url, "delete from quoin.records; delete from quoin.newest");
    replica.resend();
    await replica.flush();
    expect(await fillLedger(database, "12", new MemoryDisk().open())).toBe(7);
    replica.close();
  });

  it("a name is one process's, and a drained node takes nothing", async () => {
    await ready(self("a"));
    expect(await register(database.ask, { ...self("a"), instance: "another" }, "1")).toBe(false);
    expect(await drain(database, "a")).toBe(true);
    expect(await drain(database, "nobody")).toBe(false);
    expect(await takeShard(database.ask, self("a"), ["12"], true)).toBeUndefined();
  });

  it("what it throws holds neither the URL nor the password", async () => {
    const wrong = openDatabase("postgres://quoin:hunter22@localhost:1/x", 500, systemClock);
    await expect(wrong.ask("select 1")).rejects.toThrow(/^(?!.*hunter22).*$/);
    await wrong.close();
  });

  const bought: StoredOrder = {
    accountId: account,
    marketId: 1,
    orderId: orderId(18_446_744_073_709_551_614n),
    side: "buy",
    price: price(20_000_000_000n),
    size: size(1_000_000n),
    isOver: false,
  };
  const records: readonly LedgerRecord[] = [
    { kind: "transfer", accountId: account, event: transferOf("deposit", 5n), atMs: 7 },
    { kind: "reservation", signer: "0123456789abcdef", until: nonce(9n) },
    { kind: "reservation", signer: "0123456789abcdef", until: nonce(1_790_000_000_000n) },
    { kind: "order", order: bought },
    { kind: "order", order: { ...bought, orderId: orderId(5n) } },
    { kind: "foreignOrder", accountId: account, orderId: orderId(5n) },
    { kind: "dialect", learned: { accountId: account, key: "modifySize", word: "total", atMs: 7 } },
    { kind: "dialect", learned: { accountId: account, key: "cancel", word: "list", atMs: 7 } },
    { kind: "dialect", learned: { accountId: account, key: "modifySize", word: "none", atMs: 8 } },
    {
      kind: "latch",
      atMs: 8,
      event: {
        kind: "tripped",
        latch: {
          kind: "loss",
          accountId: account,
          marketId: null,
          holds: "halted",
          reason: "why",
          numbers: { lost: 5n },
        },
      },
    },
  ];

  const write = (engine: ReturnType<MemoryDisk["open"]>, some: readonly LedgerRecord[]): void => {
    engine.begin();
    for (const record of some) engine.apply(record);
    engine.commit();
  };

  it("a ledger made from it knows what the one before knew: money, halts, orders, the newest reservation and words", async () => {
    const a = self("a");
    await ready(a);
    await takeShard(database.ask, a, ["12"], true);
    const lease = { account: "12", epoch: 1 };
    const outbox = openOutbox(join(folder, "ledger"), 1);
    const replica = new Replica(lease, { database, outbox, clock: systemClock });
    const engine = replica.behind(new MemoryDisk().open());
    write(engine, records);
    await engine.sync();
    replica.close();
    expect(leftovers(join(folder, "ledger"))).toEqual([]);
    const next = new MemoryDisk().open();
    expect(await fillLedger(database, "12", next)).toBe(7);
    expect([...next.read.transfers(account)]).toEqual([...engine.read.transfers(account)]);
    expect(next.read.latchEvents()).toEqual(engine.read.latchEvents());
    expect(next.read.knownOrders(account, 9)).toEqual(engine.read.knownOrders(account, 9));
    expect(next.read.reservation("0123456789abcdef")).toBe(1_790_000_000_000n);
    expect(next.read.dialect(account)).toEqual({ modifySize: "none", cancel: "list" });
  });

  it("a chain that began again has on the next machine too what came since: what the old one left is archived there", async () => {
    const a = self("a");
    await ready(a);
    await takeShard(database.ask, a, ["12"], true);
    const outbox = openOutbox(join(folder, "began"), 1);
    const replica = new Replica({ account: "12", epoch: 1 }, { database, outbox, clock: systemClock });
    const engine = replica.behind(new MemoryDisk().open());
    const mark = { createdAtMs: 7, lifetimeVolume: usdc(0n) };
    const known = records.flatMap((record) => (record.kind === "order" ? record : []))[0];
    if (known === undefined) throw new Error("no order among the records");
    const order = { ...known.order, orderId: orderId(known.order.orderId + 1n) };
    write(engine, [
      ...records,
      { kind: "chain", accountId: account, mark: { ...mark, createdAtMs: 5 }, atMs: 1 },
      { kind: "chainBegan", accountId: account, mark, atMs: 2 },
      { kind: "order", order },
    ]);
    await engine.sync();
    replica.close();
    const next = new MemoryDisk().open();
    await fillLedger(database, "12", next);
    expect(next.read.chain(account)).toEqual({ number: 2, ...mark });
    expect([...next.read.transfers(account)]).toEqual([]);
    expect(next.read.knownOrders(account, 9)).toEqual([order]);
    expect([...next.read.chainRows("transfers", 1)]).toEqual([...engine.read.chainRows("transfers", 1)]);
    expect([...next.read.chainRows("orders", 1)]).toHaveLength(1);
    expect(next.read.reservation("0123456789abcdef")).toBe(1_790_000_000_000n);
  });

  it("law: the account book is the same on whatever machines its events were heard, and however often it moved", async () => {
    await ready(self("a"));
    await fc.assert(
      fc.asyncProperty(historyOfBook, fc.uniqueArray(fc.nat(40), { maxLength: 3 }), async (history, moves) => {
        await ask(url, "truncate quoin.records, quoin.newest");
        const single = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
        let node = await nextNode();
        for (const [at, event] of inOrder(history).entries()) {
          for (const ledger of [single, node.ledger]) {
            keep(ledger, event);
            ledger.commit();
          }
          if (!moves.includes(at)) continue;
          await node.end();
          node = await nextNode();
        }
        await node.end();
        const last = await nextNode();
        expect(figuresOf(bookOf(last.ledger.read, account))).toEqual(figuresOf(bookOf(single.read, account)));
        await last.end();
      }),
      { numRuns: 25 },
    );
  });

  it("a ledger of more rows than come at once is whole", async () => {
    await ready(self("a"));
    const event = { kind: "funding", marketId: 1, atSec: 0, amount: usdc(5n) } as const;
    const text = recordText({ kind: "funding", accountId: account, event });
    const each = `replace('${text}', '"atSec":0', '"atSec":' || n)`;
    await ask(url, `insert into quoin.records select '12', n % 3, n, ${each} from generate_series(1, 4001) n`);
    const engine = new MemoryDisk().open();
    expect(await fillLedger(database, "12", engine)).toBe(4001);
    expect([...engine.read.fundings(account)]).toHaveLength(4001);
  });

  /** The account on a machine that has never seen it, under a new epoch. */
  async function nextNode() {
    const [taken] = await ask(url, "update quoin.shards set epoch = epoch + 1 returning epoch");
    const lease = { account: "12", epoch: Number(taken?.epoch) };
    const disk = new MemoryDisk().open();
    await fillLedger(database, lease.account, disk);
    const outbox = openOutbox(join(folder, "moving"), lease.epoch);
    const replica = new Replica(lease, { database, outbox, clock: systemClock });
    return {
      ledger: new Ledger({}, { engine: replica.behind(disk), clock: systemClock }),
      async end() {
        await replica.flush();
        replica.close();
      },
    };
  }

  it("what was not sent before a death is sent by the next run, once, unless another node has the account", async () => {
    const [a, b] = [self("a", 50), self("b")];
    await ready(a, b);
    await takeShard(database.ask, a, ["12"], true);
    const file = join(folder, "dead");
    const silent = openDatabase("postgres://quoin@localhost:1/x", 100, systemClock);
    const replica = new Replica(
      { account: "12", epoch: 1 },
      { database: silent, outbox: openOutbox(file, 1), clock: systemClock },
    );
    write(replica.behind(new MemoryDisk().open()), records);
    replica.close();
    await silent.close();
    const [leftover] = leftovers(file);
    if (leftover === undefined) throw new Error("nothing was kept");
    expect(await sendLeftover(database, "12", leftover)).toBe(true);
    expect(await sendLeftover(database, "12", leftover)).toBe(true);
    expect(await fillLedger(database, "12", new MemoryDisk().open())).toBe(7);
    await ask(url, "select pg_sleep(0.06)");
    await takeShard(database.ask, b, ["12"], true);
    expect(await sendLeftover(database, "12", leftover)).toBe(false);
  });

  it("a sync waits for the database, and fails when the lease ends: nonces count as reserved only when it has them", async () => {
    const silent = openDatabase("postgres://quoin@localhost:1/x", 100, systemClock);
    const outbox = openOutbox(join(folder, "silent"), 1);
    const replica = new Replica({ account: "12", epoch: 1 }, { database: silent, outbox, clock: systemClock });
    const engine = replica.behind(new MemoryDisk().open());
    write(engine, records);
    const sync = engine.sync();
    replica.close();
    await expect(sync).rejects.toThrow("the lease has ended");
    await silent.close();
  });
});
