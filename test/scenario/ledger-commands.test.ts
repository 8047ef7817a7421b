// The ledger from outside and over lives: verified and exported beside a running daemon, older and damaged files, results that no
// restart escapes, and orders that a start finds and the ledger does not know.

import { execFile } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../src/bot/ledger/sqlite/schema.ts";
import { parseDecimal } from "../../src/kernel/decimal.ts";
import { jsonLines } from "../support/json-lines.ts";
import { operate } from "../support/operate.ts";
import { PROJECT, quoinDone, type Running, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyKey, counterpartyRow, rest, take } from "./counterparty.ts";
import {
  endScenes,
  HISTORY_KEY,
  openOrdersOf,
  processOf,
  type Scene,
  startDaemon,
  startDaemonProcess,
  startScene,
} from "./daemon.ts";
import { configBeside, operator, post, resting, stateOf, statusOf } from "./operator.ts";

let scene: Scene;
let daemon: Running | RunningProcess;
let url: string;

const prepare = async () => {
  scene = await startScene({
    params: "{ halfSpreadBps: 10, size: 1, levels: 2, stepBps: 5 }",
    limits: "maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 10, maxPrintMoveBps: 100000",
    accounts: counterpartyRow,
  });
};
const begin = async () => {
  await prepare();
  await restart();
  await resting(scene, 4);
};
const restart = async () => {
  ({ process: daemon, url } = await startDaemon(scene));
};
/** As a process, which is killed later. */
const restartApart = async () => {
  ({ process: daemon, url } = await startDaemonProcess(scene));
};
const kill = async () => {
  await processOf(daemon).end("SIGKILL");
};

const ledgerFile = () => join(scene.folder, "var/quoin.sqlite");
const ledger = (...args: readonly string[]) => quoinDone(["ledger", ...args, "--config", scene.botConfig]);
const report = (...args: readonly string[]) => quoinDone([...args, "--config", scene.botConfig]);
type PnlRow = Record<"period" | "valuation" | "spread" | "inventory" | "jump" | "funding" | "fees" | "total", string>;
/** A decimal as whole numbers of its scale. */
const raw = (decimal: string | number | undefined, scale: number) => parseDecimal(`${decimal}`, scale);
const bytesOf = async (...args: readonly string[]): Promise<Buffer> => {
  const all = [join(PROJECT, "src/start.js"), "ledger", "export", ...args, "--config", scene.botConfig];
  return (await promisify(execFile)(process.execPath, all, { encoding: "buffer" })).stdout;
};
const market = async () => (await statusOf(url)).accounts[0]?.markets[0];
const latches = async () => (await statusOf(url)).accounts[0]?.latches ?? [];
const sellToIt = (contracts: number) => take(scene.validatorUrl, { side: "sell", contracts });
/** One print after the other, each too near the one before to be unconfirmed: the next comes when the daemon has this one. */
const print = async (...prices: readonly string[]) => {
  for (const price of prices) {
    await operate(scene, "PATCH", "/oracle/1", { price });
    await until(`the print at ${price}`, async () => (await market())?.oraclePrice === Number(price));
  }
};

describe("quoin ledger", () => {
  beforeAll(begin);
  afterAll(endScenes);

  it("verify finds a live ledger whole, and its sums are what the exchange says", async () => {
    await sellToIt(1.5);
    await until("the fills", async () => (await market())?.fillCount === 2);
    const { code, stdout } = await ledger("verify");
    expect([code, stdout]).toEqual([0, expect.stringContaining("quoin.sqlite: whole, ")]);
    expect(await daemon.end()).toBe(0);
    const { stdout: json } = await ledger("verify", "--json");
    const verdict = JSON.parse(json) as {
      faults: string[];
      openIntents: number;
      accounts: { accountId: string; ok: boolean; expected: string; seen: { collateral: string } }[];
    };
    const account = await (await fetch(`${scene.validatorUrl}/v1/accounts/12`)).json();
    const collateral = String((account as { collateral: string | number }).collateral);
    expect(verdict).toMatchObject({ faults: [], openIntents: 0 });
    expect(verdict.accounts).toEqual([
      expect.objectContaining({
        accountId: "12",
        ok: true,
        expected: collateral,
        seen: expect.objectContaining({ collateral }),
      }),
    ]);
  });

  it("verify asks the exchange: a difference is told and fails, which the last read alone does not know of", async () => {
    await operate(scene, "POST", "/accounts/12/deposit", { usdc: "1500" });
    const { code, stdout } = await ledger("verify");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^account 12: collateral differs by 1500: the exchange has /m),
    ]);
    expect(stdout).not.toContain("OK");
    const offline = await ledger("verify", "--offline");
    expect([offline.code, offline.stdout]).toEqual([
      0,
      expect.stringMatching(/^account 12: OK by the last read, of 20\d\d-\S+Z: collateral /m),
    ]);
  });

  it("a daemon that starts books what came while it was away, and verify waits for one that runs", async () => {
    await restart();
    await resting(scene, 4);
    expect(daemon.stdout()).toMatch(/while the daemon was away the collateral changed by \+1500 USDC/);
    await operate(scene, "POST", "/accounts/12/deposit", { usdc: "500" });
    const { code, stdout } = await ledger("verify");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^account 12: OK: collateral 102\d{3}\./m)]);
    expect(daemon.stdout()).toMatch(
      /collateral changed by \+500 USDC, and no fill, fee or funding explains it: booked as a transfer \(a deposit\)/,
    );
    expect((await market())?.pnl.total).toBeLessThan(100);
    expect(await daemon.end()).toBe(0);
    const { stdout: rows } = await ledger("export", "--table", "transfers", "--json");
    const reasons = jsonLines<{ reason: string; amount: string }>(rows);
    expect(reasons.map(({ reason, amount }) => `${reason} ${amount}`)).toEqual([
      "opening 100000",
      "whileAway 1500",
      "transfer 500",
    ]);
    const { stdout: audit } = await ledger("export", "--table", "audit", "--json");
    expect(audit).toMatch(/"call":"changedAway"[\s\S]*"call":"transfer"/);
  });

  it("verify without an exchange says so, and fails", async () => {
    const beside = configBeside(scene, url, (yaml) => yaml.replace(scene.validatorUrl, "http://127.0.0.1:9"));
    const { code, stderr } = await quoinDone(["ledger", "verify", "--config", beside]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the exchange at http:\/\/127.0.0.1:9 cannot be read: /)]);
  });

  it("export tells every fill once, as CSV and as JSON", async () => {
    const csv = (await ledger("export")).stdout.trim().split("\r\n");
    expect(csv[0]).toMatch(/^account,key,market,order_id,side,liquidity,price,size,fee,/);
    expect(csv).toHaveLength(3);
    expect(jsonLines((await ledger("export", "--format", "json")).stdout)).toEqual([
      expect.objectContaining({ account: "12", side: "buy", size: "1", liquidity: "maker" }),
      expect.objectContaining({ account: "12", side: "buy", size: "0.5", liquidity: "maker" }),
    ]);
    const transfers = (await ledger("export", "--table", "transfers", "--json")).stdout;
    expect(JSON.parse(transfers.split("\n")[0] ?? "")).toMatchObject({ reason: "opening", amount: "100000" });
    expect((await ledger("export", "--table", "secrets")).code).toBe(2);
    const today = new Date().toISOString().slice(0, 10);
    expect((await ledger("export", "--from", today)).stdout.trim().split("\r\n")).toHaveLength(3);
    const [fills = ""] = csv;
    expect((await ledger("export", "--to", today)).stdout).toBe(`${fills}\r\n`);
    expect((await ledger("export", "--table", "orders", "--to", today)).code).toBe(2);
  });

  it("export as Parquet holds the same fills, in a file that another program reads", async () => {
    const columns = tableFromIPC(readParquet(await bytesOf("--format", "parquet")).intoIPCStream());
    expect([...(columns.getChild("account") ?? [])]).toEqual([12n, 12n]);
    expect([...(columns.getChild("size") ?? [])].map((words: Uint32Array) => words[0])).toEqual([1_000_000, 500_000]);
    const empty = tableFromIPC(
      readParquet(await bytesOf("--format", "parquet", "--table", "openings")).intoIPCStream(),
    );
    expect([empty.numRows, empty.schema.fields.map(({ name }) => name)]).toEqual([
      0,
      ["id", "account", "market", "state", "sha256", "accepted"],
    ]);
  });

  it("trades are the exchange's own history to the base unit, as JSON, CSV, table and Parquet", async () => {
    const { stdout } = await report("trades", "--json");
    const trades = jsonLines<Record<string, string | number>>(stdout);
    const answer = await fetch(`${scene.restUrl}/v1/accounts/12/trades`, { headers: { "x-api-key": HISTORY_KEY } });
    const history = (await answer.json()) as Record<string, string | number>[];
    const figures = trades.map(({ orderId, price, size, fee, realizedPnl, txHash, marketId }) => [
      [orderId, txHash, marketId],
      [raw(price, 8), raw(size, 6), raw(fee, 6), raw(realizedPnl, 6)],
    ]);
    expect(figures).toEqual(
      history
        .toReversed()
        .map((row) => [
          [`${row.maker_order_id}`, row.tx_hash, row.market_id],
          [row.price, row.size, row.fee, row.realized_pnl].map((amount) => BigInt(`${amount}`)),
        ]),
    );
    // The stream tells when a fill was told, the history when it was executed.
    const times = trades.map(({ at }, nth) => Date.parse(`${at}`) - Number(history.toReversed()[nth]?.timestamp));
    for (const apartMs of times) expect(Math.abs(apartMs)).toBeLessThan(5000);
    expect(trades[0]).toMatchObject({ accountId: "12", market: "USA-HPI", side: "buy", liquidity: "maker" });
    const csv = (await report("trades", "--format", "csv")).stdout.split("\r\n");
    expect([csv[0], csv.length]).toEqual([Object.keys(trades[0] ?? {}).join(","), trades.length + 2]);
    expect((await report("trades")).stdout.split("\n")[1]).toMatch(/12 +1 +USA-HPI +buy +maker/);
    const out = join(scene.folder, "trades.parquet");
    for (let time = 0; time < 2; time += 1)
      expect(await report("trades", "--format", "parquet", "--out", out)).toMatchObject({ code: 0, stdout: "" });
    const read = tableFromIPC(readParquet(readFileSync(out)).intoIPCStream());
    expect([...(read.getChild("orderId") ?? [])].map(String)).toEqual(trades.map(({ orderId }) => orderId));
  });

  it("pnl by day and by month adds up, at the print and at the mid, and to what the daemon showed", async () => {
    const rows = async (...args: readonly string[]) =>
      jsonLines<PnlRow>((await report("pnl", "--json", ...args)).stdout);
    const days = await rows();
    expect(days.map(({ valuation }) => valuation)).toEqual(["print", "mid"]);
    for (const { total, ...row } of days) {
      const sources = [row.spread, row.inventory, row.jump, row.funding, row.fees];
      expect(sources.reduce((sum, each) => sum + raw(each, 6), 0n)).toBe(raw(total, 6));
      expect(row).toMatchObject({ accountId: "12", marketId: 1, market: "USA-HPI", fills: 2, volume: "325.025" });
    }
    const today = new Date().toISOString().slice(0, 10);
    const months = await rows("--by", "month");
    expect(months).toEqual(days.map((row) => ({ ...row, period: row.period.slice(0, 7) })));
    expect(await rows("--from", today)).toEqual(days);
    expect((await report("pnl", "--to", "2020-01-01", "--json")).stdout).toBe("");
  });

  it.each([
    [["--from", "nonsense"], 2, "it is a date or a time of ISO 8601"],
    [["--from", "2026-02-30"], 2, "it is a date or a time of ISO 8601"],
    [["--from", "2026-11-26", "--to", "2026-11-26"], 2, "--from must be before --to"],
    [["--market", "99"], 2, "neither the configuration nor the ledger knows market 99; they know 1 (USA-HPI)"],
    [["--out", "var/quoin.sqlite-wal"], 2, "is not overwritten"],
    [["--out", "no/folder.csv"], 1, "cannot be written"],
  ] as const)("trades %j: exit %d and one line", async (args, code, words) => {
    const [option, value] = args;
    const placed = option === "--out" ? [option, join(scene.folder, value)] : args;
    const done = await report("trades", ...placed);
    expect(done).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(words) });
    expect(done.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("an older ledger is migrated after a copy, and its halts hold", async () => {
    const database = new DatabaseSync(ledgerFile());
    database.exec(`DROP TABLE trimmed; DROP TABLE hours; DROP TABLE dialect; DROP TABLE estimates; DROP TABLE marks; DROP TABLE chains; DROP TABLE audit; DROP TABLE openings; DROP INDEX fills_by_market; DROP TABLE prints; DROP TABLE results; ALTER TABLE equity DROP COLUMN unexplained;
      DROP TABLE positions; ALTER TABLE fills DROP COLUMN reference_price; ALTER TABLE fills DROP COLUMN reads_before;
      ALTER TABLE transfers DROP COLUMN market; ALTER TABLE orders DROP COLUMN price; ALTER TABLE orders DROP COLUMN size;
      ALTER TABLE orders DROP COLUMN over; CREATE TABLE totals (account TEXT PRIMARY KEY); PRAGMA user_version = 1;
      INSERT INTO latches (event, account, kind, holds, reason, numbers, at_ms)
      VALUES ('tripped', '12', 'operator', 'halted', 'of an older life', '{}', 1)`);
    database.close();
    const { code, stderr } = await ledger("verify");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/has version 1; the daemon's next start brings it to 13/),
    ]);
    await restartApart();
    expect(await latches()).toEqual(["operator: of an older life"]);
    expect(existsSync(`${ledgerFile()}.v1.bak`)).toBe(true);
    expect(migrations).toHaveLength(13);
    expect((await post(url, "/resume", { reason: "on" })).status).toBe(200);
    await resting(scene, 4);
    expect((await ledger("verify")).code).toBe(0);
  });

  it("a damaged one is set aside by name: the bot reduces only, from the exchange's state, until resumed", async () => {
    await resting(scene, 4);
    await kill();
    expect(await openOrdersOf(scene.validatorUrl)).not.toEqual([]);
    const database = new DatabaseSync(ledgerFile());
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const file = openSync(ledgerFile(), "r+");
    writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, 4096);
    closeSync(file);
    expect((await ledger("verify")).code).toBe(1);
    const halted = await operator("halt", scene.botConfig, "--reason", "now");
    expect([halted.code, halted.stderr]).toEqual([1, expect.stringMatching(/quoin\.sqlite is damaged/)]);
    await restart();
    await until("only what reduces", async () => {
      const orders = await openOrdersOf(scene.validatorUrl);
      return orders.length > 0 && orders.every(({ reduceOnly }) => reduceOnly);
    });
    expect(await stateOf(url)).toBe("reducing");
    expect(daemon.stdout()).toContain("nothing that the lost ledger knew of can still execute");
    expect(await latches()).toEqual([
      expect.stringMatching(/^operator, reducing: .*quoin\.sqlite is damaged: .*; moved to .*\.damaged-\d+; /),
    ]);
    expect((await market())?.position).toBe(1.5);
    expect(readdirSync(join(scene.folder, "var")).filter((name) => /\.damaged-\d+$/.test(name))).toHaveLength(1);
    expect((await post(url, "/resume", { reason: "looked at it" })).status).toBe(200);
    await resting(scene, 4);
    expect(await latches()).toEqual([]);
  });
});

describe("results outlive the process", () => {
  beforeAll(async () => {
    await prepare();
    await restartApart();
    await resting(scene, 4);
  });
  afterAll(endScenes);

  it("attribution goes on where a killed daemon was", async () => {
    await sellToIt(2);
    await until("the fills", async () => (await market())?.fillCount === 2);
    const before = await market();
    expect(before?.pnl.spread).toBeGreaterThan(0);
    await kill();
    await restartApart();
    await until("its position", async () => (await market())?.position === 2);
    expect(await market()).toMatchObject({ fillCount: 2, pnl: before?.pnl });
  });

  it("a loss of before counts: what halts does not wait for the next loss, and no restart escapes it", async () => {
    await print("214.50", "212.20");
    await until("the gate", async () => (await market())?.gates.some(({ gate, open }) => gate === "dailyPnl" && !open));
    await kill();
    await restartApart();
    await print("211.00");
    await until("the latch", async () => (await latches()).length > 0);
    expect(await latches()).toContainEqual(
      expect.stringMatching(/^loss \(market 1\): the day's loss of 1\d\.\d+ USDC/),
    );
    await kill();
    await restartApart();
    expect(await stateOf(url)).toBe("halted");
    await resting(scene, 0);
  });

  it("resumed, with a daemon or without, the day starts over and quotes return", async () => {
    await kill();
    const { code } = await operator("resume", scene.botConfig, "--reason", "accepted");
    expect(code).toBe(0);
    await restart();
    await resting(scene, 4);
    expect(await latches()).toEqual([]);
    await print("208.50", "206.00", "203.50");
    await until("the latch", async () => (await latches()).length > 0);
    expect((await post(url, "/resume", { reason: "accepted too" })).status).toBe(200);
    await resting(scene, 4);
    expect(await latches()).toEqual([]);
  });
});

describe("orders that a start finds and the ledger does not know", () => {
  beforeAll(async () => {
    await begin();
    const body = { pubkey: counterpartyKey, name: "by hand", expiresAt: 4_102_444_800 };
    await operate(scene, "POST", "/accounts/12/agents", body);
  });
  afterAll(endScenes);

  function foreignOrders(policy: string): void {
    const yaml = readFileSync(scene.botConfig, "utf8").replace(/\n {4}foreignOrders: \w+/, "");
    writeFileSync(scene.botConfig, yaml.replace("agent.key", `agent.key\n    foreignOrders: ${policy}`));
  }

  /** Somebody places an order while the daemon is away; it starts with the policy. */
  async function startOver(policy: string): Promise<void> {
    expect(await daemon.end()).toBe(0);
    await rest(scene.validatorUrl, { side: "buy", contracts: 0.5, usd: 210, account: 12n });
    foreignOrders(policy);
    await restart();
  }

  it("keep, the default: they stay, and quoting begins beside them; the watchdog is told, and a stop leaves them", async () => {
    await startOver("keep");
    await resting(scene, 5);
    expect(daemon.stdout()).toMatch(/orders unknown to the ledger stay: foreign orders are left alone: \d+/);
    expect(await latches()).toEqual([]);
    const { kept } = (await (await fetch(`${url}/heartbeat`)).json()) as { kept: readonly string[] };
    expect(kept).toEqual([expect.stringMatching(/^\d+$/)]);
    expect(await daemon.end()).toBe(0);
    await resting(scene, 1);
    expect(daemon.stdout()).toMatch(/"event":"massCancel.kept".*buy 0.5 at 210/);
    await restart();
    await resting(scene, 5);
  });

  it("cancel: they are canceled, and quoting begins", async () => {
    await startOver("cancel");
    await resting(scene, 4);
    expect(daemon.stdout()).toMatch(/orders unknown to the ledger were canceled: \d+, \d+/);
    expect(await latches()).toEqual([]);
  });

  it.each([
    ["keep", 1],
    ["cancel", 0],
  ])("%s: found while it runs they halt the account, and %d of them rests afterwards", async (policy, left) => {
    expect(await daemon.end()).toBe(0);
    foreignOrders(policy);
    await restart();
    await resting(scene, 4);
    await rest(scene.validatorUrl, { side: "buy", contracts: 0.5, usd: 210, account: 12n });
    await until("the latch", async () => (await latches()).length > 0);
    expect(await latches()).toEqual([
      expect.stringMatching(/^foreignActivity: an order that none of our transactions made/),
    ]);
    await resting(scene, left);
    await daemon.seen("the exchange's word", (text) => text.includes('"event":"massCancel.confirmed"'));
    expect((await operator("cancel-all", configBeside(scene, url))).code).toBe(0);
    await resting(scene, 0);
    expect((await post(url, "/resume", { reason: "it was mine" })).status).toBe(200);
    await resting(scene, 4);
  });

  it("a new ledger beside another key on the account: its orders stay, and orders and key are named", async () => {
    expect(await daemon.end()).toBe(0);
    foreignOrders("keep");
    await rest(scene.validatorUrl, { side: "buy", contracts: 0.5, usd: 210, account: 12n });
    const yaml = readFileSync(scene.botConfig, "utf8");
    writeFileSync(scene.botConfig, yaml.replace("var/quoin.sqlite", "var/new.sqlite"));
    await restart();
    await resting(scene, 5);
    expect(daemon.stdout()).toMatch(
      /orders unknown to the ledger stay: foreign orders are left alone: \d+; another key is approved on the account \(by hand [0-9a-f]{8}\): where a second daemon has it, stop one of the two/,
    );
    expect(await latches()).toEqual([]);
  });
});

it("another choice of foreignOrders is a fault with its place", async () => {
  const folder = await startScene();
  const config = configBeside(folder, "http://127.0.0.1:9", (yaml) =>
    yaml.replace("agent.key", "agent.key\n    foreignOrders: ignore"),
  );
  const { code, stderr } = await quoinDone(["check", "--config", config]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/foreignOrders: .*must be one of keep, cancel/)]);
  await endScenes();
});
