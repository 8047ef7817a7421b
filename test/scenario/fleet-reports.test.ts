// `quoin trades` and `quoin pnl` of a fleet: on the machine of a node the ledgers that lie there, with `--fleet` what the database has of
// every account, whichever node has it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/bot/fleet/database.ts";
import { openOutbox } from "../../src/bot/fleet/outbox-file.ts";
import { Replica } from "../../src/bot/fleet/replica.ts";
import { initFleet } from "../../src/bot/fleet/schema.ts";
import { nameShards, register, takeShard } from "../../src/bot/fleet/shards.ts";
import { nextAudit } from "../../src/bot/ledger/audit-chain.ts";
import { openSqlite } from "../../src/bot/ledger/sqlite/sqlite.ts";
import { accountId, price } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { jsonLines } from "../support/json-lines.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { quoinDone } from "../support/quoin.ts";
import { withPostgres } from "../support/with-postgres.ts";
import { filled } from "../unit/bot/accounting/books.ts";
import { CHAIN_ID } from "./daemon.ts";

const SELF = { node: "a", instance: "a-1", leaseMs: 60_000 };
const DAY_MS = 86_400_000;
const halt = { call: "POST /halt", caller: "10.0.0.9", isAuthorized: true, reason: null, body: null, status: 200 };
const PRICE = 21_500_000_000n;
const CONTRACT = 10_000_000n;

type Row = Readonly<Record<string, string | number>>;

withPostgres("the reports of a fleet", () => {
  const folder = mkdtempSync(join(tmpdir(), "quoin-fleet-reports-"));
  const config = join(folder, "bot.yaml");
  let postgres: Postgres;
  let database: Database;

  /** As a node with the account writes: two fills, and the marks of their day, each account a day after the one before. */
  async function trade(account: number, ledger: string): Promise<void> {
    const taken = await takeShard(database.ask, SELF, [`${account}`], true);
    const outbox = openOutbox(ledger, taken?.epoch ?? 0);
    const replica = new Replica(
      { account: `${account}`, epoch: taken?.epoch ?? 0 },
      { database, outbox, clock: systemClock },
    );
    const engine = replica.behind(openSqlite({ file: ledger }));
    const id = accountId(BigInt(account));
    const day = 20_000 + account;
    engine.begin();
    for (const [at, side] of (["buy", "sell"] as const).entries()) {
      const event = filled({
        key: `${account} ${at}`,
        side,
        price: PRICE + BigInt(at) * 1_000_000_000n,
        size: CONTRACT,
      });
      const timestampMs = day * DAY_MS + at * 1000;
      engine.apply({
        kind: "fill",
        event: { ...event, referencePrice: price(PRICE), fill: { ...event.fill, accountId: id, timestampMs } },
        receivedMs: timestampMs,
      });
    }
    let head = "";
    for (const atMs of [1, 2]) {
      const entry = nextAudit(head, { ...halt, atMs });
      head = entry.hash ?? "";
      engine.apply({ kind: "audit", entry });
    }
    engine.commit();
    await replica.flush();
    replica.close();
    engine.close();
  }

  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.database("fleet");
    database = openDatabase(url, 5000, systemClock);
    await initFleet(database, { chainId: CHAIN_ID, config: "c0" });
    await register(database.ask, SELF, "1");
    await nameShards(database.ask, ["12", "13", "14"]);
    writeFileSync(join(folder, "database.url"), `${url}\n`, { mode: 0o600 });
    writeFileSync(config, botYaml);
    await trade(12, join(folder, "quoin.12.sqlite"));
    await trade(13, join(folder, "quoin.13.sqlite"));
    await trade(14, join(folder, "on-another-machine.sqlite"));
  });
  afterAll(async () => {
    await database?.close();
    await postgres?.end();
    rmSync(folder, { recursive: true });
  });

  async function rowsOf(command: string, ...more: readonly string[]): Promise<readonly Row[]> {
    const { code, stdout } = await quoinDone([command, "--config", config, "--json", ...more]);
    expect(code).toBe(0);
    return jsonLines(stdout);
  }

  it("the audit is chained in the database as on a node, and a row that was changed there is found", async () => {
    const verify = () => quoinDone(["ledger", "verify", "--config", config]);
    const whole = await verify();
    expect([whole.code, whole.stdout]).toEqual([
      0,
      expect.stringMatching(/^account 12: audit: 2 rows, chained, head [0-9a-f]{64}$/m),
    ]);
    const change = (from: string, to: string) =>
      database.ask("update quoin.records set record = replace(record, $1, $2) where account = '13'", [from, to]);
    await change("10.0.0.9", "10.0.0.8");
    const changed = await verify();
    await change("10.0.0.8", "10.0.0.9");
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/^account 13: audit: 2 rows, BROKEN; fault: the audit is broken at its row 1/m);
    expect((await verify()).code).toBe(0);
  });

  it.each(["trades", "pnl"])(
    "%s with --fleet shows every account, and of those that lie here the same to the unit",
    async (command) => {
      const [here, all] = [await rowsOf(command), await rowsOf(command, "--fleet")];
      expect([...new Set(all.map((row) => row.accountId))]).toEqual(["12", "13", "14"]);
      expect([...new Set(here.map((row) => row.accountId))]).toEqual(["12", "13"]);
      expect(all.filter((row) => row.accountId !== "14")).toEqual(here);
    },
  );

  it("a node's own says whose ledgers it reads, and that the fleet has more", async () => {
    const { stderr } = await quoinDone(["trades", "--config", config, "--json"]);
    expect(stderr).toBe("quoin: 2 of 3 accounts, each up to when this node last held it; --fleet shows all\n");
  });

  it.each([
    [
      "a market that nobody knows",
      ["--fleet", "--market", "9"],
      2,
      "neither the configuration nor the ledger knows market 9",
    ],
    ["a file that a node needs", ["--fleet", "--out", join(folder, "quoin.13.sqlite")], 2, "is not overwritten"],
  ])("%s is refused", async (_, args, exit, says) => {
    const { code, stderr } = await quoinDone(["trades", "--config", config, ...args]);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(says)]);
  });

  it("a machine that has held no account says where the figures are, and one without a fleet that it has none", async () => {
    writeFileSync(join(folder, "other.yaml"), botYaml.replace("quoin.sqlite", "other.sqlite"));
    const none = await quoinDone(["pnl", "--config", join(folder, "other.yaml")]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("--fleet reads the fleet's database")]);
    expect((await quoinDone(["pnl", "--fleet", "--config", join(folder, "other.yaml")])).code).toBe(0);
    writeFileSync(join(folder, "alone.yaml"), botYaml.replace(/fleet:.*/, ""));
    const alone = await quoinDone(["pnl", "--fleet", "--config", join(folder, "alone.yaml")]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("has no fleet")]);
  });
});

const botYaml = `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "http://127.0.0.1:1" }
accounts:
${["12", "13", "14"]
  .map(
    (account) => `  - accountId: ${account}
    agentKeyFile: "{node}-${account}.key"
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.2 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }`,
  )
  .join("\n")}
ledger: { file: quoin.sqlite }
fleet: { databaseUrlFile: database.url, node: a }
`;
