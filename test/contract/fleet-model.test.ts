// The simulation's model of the database answers as PostgreSQL does: the same calls on both, in any order, with leases that run or have ended.

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/bot/fleet/database.ts";
import { lineOf } from "../../src/bot/fleet/record-text.ts";
import { fillLedger, sendLeftover } from "../../src/bot/fleet/replica.ts";
import { initFleet } from "../../src/bot/fleet/schema.ts";
import {
  giveUp,
  nameShards,
  order,
  register,
  renew,
  setState,
  takeShard,
  unregister,
  yieldable,
} from "../../src/bot/fleet/shards.ts";
import { MemoryDisk } from "../../src/bot/ledger/memory/memory.ts";
import { microtasks, systemClock } from "../../src/kernel/clock.ts";
import { createVirtualClock } from "../../src/kernel/virtual-clock.ts";
import { DatabaseModel, databaseOver } from "../simulation/fleet/database-model.ts";
import { ask, type Postgres, startPostgres } from "../support/postgres.ts";
import { withPostgres } from "../support/with-postgres.ts";

const ACCOUNTS = ["12", "13"];
const CHAIN = "venue-v4:devnet:chain-2";

/** One call: what it does, and what of its answer counts. */
type Call = (database: Database) => Promise<unknown>;

const account = fc.constantFrom(...ACCOUNTS);
const epoch = fc.integer({ min: 1, max: 4 });
const self = fc.record({
  node: fc.constantFrom("a", "b"),
  instance: fc.constantFrom("1", "2"),
  // A lease below zero has ended when it begins.
  leaseMs: fc.constantFrom(600_000, -1000),
});
const record = fc
  .record({ number: fc.integer({ min: 1, max: 5 }), slot: fc.constantFrom(null, "equity"), atMs: fc.nat(9) })
  .map(({ number, slot, atMs }) => lineOf({ number, slot, text: auditText(atMs) }));

const call: fc.Arbitrary<Call> = fc.oneof(
  self.map(
    (of): Call =>
      ({ ask }) =>
        register(ask, of, "1"),
  ),
  self.map(
    (of): Call =>
      ({ ask }) =>
        unregister(ask, of),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(self, fc.boolean()).map(
      ([of, isAble]): Call =>
        ({ ask }) =>
          takeShard(ask, of, ACCOUNTS, isAble),
    ),
  },
  fc.tuple(self, account, epoch).map(
    ([of, name, at]): Call =>
      async ({ ask }) => [...(await yieldable(ask, of, new Map([[name, at]])))],
  ),
  fc.tuple(self, account, epoch, fc.constantFrom(null, "why")).map(
    ([of, name, at, unable]): Call =>
      async ({ ask }) => {
        const { renewed, server: _, ...news } = await renew(ask, of, new Map([[name, at]]), unable);
        return { ...news, renewed: [...renewed] };
      },
  ),
  fc.tuple(account, epoch, fc.nat(5)).map(
    ([name, at, ordersDone]): Call =>
      ({ ask }) =>
        setState(ask, { account: name, epoch: at }, { state: "quoting", ordersDone }),
  ),
  fc.tuple(account, epoch, fc.boolean()).map(
    ([name, at, isClean]): Call =>
      async ({ ask }) => {
        await giveUp(ask, { account: name, epoch: at }, isClean);
      },
  ),
  fc.constantFrom(null, "why").map(
    (reason): Call =>
      (database) =>
        order(database, reason, "why"),
  ),
  fc.tuple(account, epoch, fc.array(record, { minLength: 1, maxLength: 4 })).map(
    ([name, at, lines]): Call =>
      (database) =>
        sendLeftover(database, name, { epoch: at, lines, remove: () => {} }),
  ),
  account.map(
    (name): Call =>
      (database) =>
        fillLedger(database, name, new MemoryDisk().open()),
  ),
);

withPostgres("the model of the database", () => {
  let postgres: Postgres;
  let url: string;
  let real: Database;

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.database("model");
    real = openDatabase(url, 5000, systemClock);
    await initFleet(real, { chainId: CHAIN, config: "c0" });
  });
  afterAll(async () => {
    await real?.close();
    await postgres?.end();
  });

  it("answers as PostgreSQL does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
        await ask(url, "truncate quoin.nodes, quoin.shards, quoin.records, quoin.newest, quoin.takeovers");
        await ask(url, "update quoin.fleet set halt_reason = null, order_reason = '', orders = 0");
        const world = createVirtualClock({ startMs: 0, settle: microtasks });
        const model = databaseOver(new DatabaseModel(world));
        for (const one of [
          ({ ask }) => nameShards(ask, ["12"]),
          ({ ask }) => nameShards(ask, ["13"]),
          ...calls,
        ] as Call[]) {
          const answers = [real, model].map((database) => one(database).catch((error: Error) => error.message));
          const [wanted, given] = await Promise.all(answers);
          expect(given).toEqual(wanted);
          await world.advance(1);
        }
      }),
      { numRuns: 40 },
    );
  });
});

const auditText = (atMs: number): string =>
  JSON.stringify({
    kind: "audit",
    entry: { atMs, call: "", caller: "", isAuthorized: true, reason: null, body: null, status: 200 },
  });
