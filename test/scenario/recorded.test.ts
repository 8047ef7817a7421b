// What a recorded session teaches, as a user asks for it: how honest the queue models are, what another configuration would have done, and
// the parameters that it shows. The session is the demo's, in virtual time.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { recordSession } from "../../bench/recorded-session.ts";
import { ablations } from "../../src/backtest/recorded/ablate.ts";
import type { ReconcileLine } from "../../src/backtest/recorded/reconcile.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import { parseDecimal } from "../../src/kernel/decimal.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { PROJECT, quoin } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const DEMO = join(PROJECT, "config/demo.yaml");
let folder = "";
let session = "";

async function run(...args: readonly string[]) {
  const command = quoin(args);
  const exit = await command.exit;
  return { exit, stdout: command.stdout(), stderr: command.stderr() };
}

const objects = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  folder = scratchFolder("recorded");
  session = join(folder, "session");
  const { bot, devnet } = await loadConfiguration(DEMO, systemFiles);
  if (devnet === null) throw new Error("the demo embeds a devnet");
  await recordSession(devnet, { bot, hours: 0.1, seed: 1n, folder: session });
});

test("reconcile: an object a model, the better one's volume within 5 % of the real one, and PnL that adds up", async () => {
  const { exit, stdout } = await run("reconcile", session, "--json");
  expect(exit).toBe(0);
  const lines: readonly ReconcileLine[] = objects(stdout);
  expect(lines.map(({ kind, model }) => [kind, model])).toEqual([
    ["reconcile", "riskAverse"],
    ["reconcile", "optimistic"],
    ["reconcile", "fitted"],
  ]);
  for (const { realFills, pnlReal, pnlPredicted, pnlDifference, latencyMs } of lines) {
    expect(realFills).toBeGreaterThan(10);
    const usdc = (text: string) => parseDecimal(text, 6);
    const { total, ...sources } = pnlDifference;
    expect(usdc(total)).toBe(usdc(pnlPredicted) - usdc(pnlReal));
    expect(Object.values(sources).reduce((sum, source) => sum + usdc(source), 0n)).toBe(usdc(total));
    expect(latencyMs).toEqual({ model: 0, median: 80, p99: 80 });
  }
  const off = lines.map(({ volumePredicted, volumeReal }) =>
    Math.abs(Number(volumePredicted) / Number(volumeReal) - 1),
  );
  expect(Math.min(...off)).toBeLessThan(0.05);
  expect(await run("reconcile", session)).toMatchObject({ exit: 0, stdout: expect.stringContaining("risk-averse") });
});

test("ablate: an object a part and a gate, what changes nothing is 0 to the base unit, and the model's bias is beside", async () => {
  const { exit, stdout, stderr } = await run("ablate", session, "--json");
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  const lines = objects(stdout);
  const named = new Map(lines.map((line) => [line.what, line]));
  expect(lines.map(({ what }) => what)).toEqual(ablations);
  const nothing = { pnl: "0", ci95: [0, 0], fills: 0, commands: 0 };
  // The demo has no `print-aware`, and no gate closed in these minutes.
  for (const what of ["printGuard", "gate.halted", "gate.book"])
    expect(named.get(what), what).toMatchObject({ kind: "ablated", ...nothing });
  const { commands, bias, ci95Over } = named.get("latency");
  expect(commands).not.toBe(0);
  const [whole] = objects((await run("backtest", "--config", DEMO, "--recording", session, "--json")).stdout);
  expect(ci95Over, "the blocks of a backtest there").toEqual({ pieces: "blocks", count: whole.blocks.length });
  // Six minutes have fewer fills than a fit takes.
  expect(bias).toEqual({
    ...{ model: "riskAverse", bias: expect.any(String), biasPercent: expect.any(Number) },
    tooFewFills: expect.any(Number),
  });
});

test("backtest --recording: the same bytes each time, PnL without a rest, and fills", async () => {
  const [one, other] = [
    await run("backtest", "--config", DEMO, "--recording", session, "--json"),
    await run("backtest", "--config", DEMO, "--recording", session, "--json", "--workers", "1"),
  ];
  expect(one).toMatchObject({ exit: 0, stderr: "" });
  const lines = (text: string) => text.trimEnd().split("\n");
  expect(lines(one.stdout).slice(0, -1)).toEqual(lines(other.stdout).slice(0, -1));
  const [line, summary] = objects(one.stdout);
  const world = { isDrawn: false, orderMs: 80, queueModel: "riskAverse", tooFewFills: expect.any(Number) };
  expect(line).toMatchObject({ kind: "run", residual: "0", world });
  expect(line.days).toBeCloseTo(0.1 / 24, 4);
  expect(line.markets[0].fills).toBeGreaterThan(10);
  expect(summary).toMatchObject({ kind: "summary", runs: 1 });
});

test("calibrate: each estimate with its interval, and a fragment that check accepts as it stands", async () => {
  const { exit, stdout } = await run("calibrate", session, "--json");
  expect(exit).toBe(0);
  const markets = objects(stdout);
  expect(markets.map(({ kind, marketId }) => [kind, marketId])).toEqual([
    ["calibration", 1],
    ["calibration", 2],
  ]);
  const { volatilityBps, intensityA, unidentified } = markets[0];
  expect(volatilityBps.low).toBeLessThanOrEqual(volatilityBps.value);
  expect(volatilityBps.high).toBeGreaterThanOrEqual(volatilityBps.value);
  // Six minutes do not tell the fill model.
  expect([intensityA, unidentified]).toEqual([null, expect.any(String)]);
  const items = markets.map(({ yaml }: { readonly yaml: string }) => yaml.replaceAll(/^/gm, "      ")).join("");
  const config = join(folder, "fitted.yaml");
  const venue = `venue: { chainId: "c", validatorUrl: "https://exchange.example" }`;
  writeFileSync(config, `${venue}\naccounts:\n  - accountId: 99\n    paper: true\n    markets:\n${items}\n`);
  expect(await run("check", "--config", config)).toMatchObject({ exit: 0, stderr: "" });
});

test("a day of LOBSTER imports as a recording, on which backtest and calibrate work", async () => {
  const [messages, books] = [join(folder, "AAPL_2012-06-21_0_0_message_1.csv"), join(folder, "book.csv")];
  const rows = Array.from({ length: 400 }, (_, row) => {
    const cents = 58_500 + Math.round(20 * Math.sin(row / 20));
    const [bid, ask, isBuy] = [(cents - 2) * 100, (cents + 2) * 100, row % 2 === 0];
    const trade = row % 5 === 0;
    return {
      message: `${34_200 + row},${trade ? 4 : 1},${row + 1},30,${isBuy ? ask : bid},${isBuy ? -1 : 1}`,
      book: `${ask},100,${bid},100,${ask + 100},300,${bid - 100},300`,
    };
  });
  writeFileSync(messages, rows.map(({ message }) => message).join("\n"));
  writeFileSync(books, rows.map(({ book }) => book).join("\n"));
  const out = join(folder, "aapl");
  expect(await run("import", messages, books, "--out", out)).toMatchObject({ exit: 0, stderr: "" });
  expect(readdirSync(out)).toHaveLength(1);
  expect(await run("import", messages, books, "--out", out)).toMatchObject({
    exit: 1,
    stderr: `quoin: ${out} cannot be written: a file of that name is there already; name another folder\n`,
  });
  const config = join(folder, "lobster.yaml");
  const params = "{ halfSpreadBps: 0.2, size: 10 }";
  const limits = "{ maxPosition: 100, maxOrderSize: 20, maxOpenOrders: 10, maxLoss: 1000 }";
  const market = `{ marketId: 1, strategy: fixed-spread, params: ${params}, limits: ${limits} }`;
  const venue = `venue: { chainId: "c", validatorUrl: "https://exchange.example" }`;
  writeFileSync(config, `${venue}\naccounts:\n  - accountId: 99\n    paper: true\n    markets: [${market}]\n`);
  const { exit, stdout } = await run("backtest", "--config", config, "--recording", out, "--json");
  expect(exit).toBe(0);
  const [line] = objects(stdout);
  expect(line.residual).toBe("0");
  expect(line.markets[0].fills).toBeGreaterThan(0);
  const calibrated = await run("calibrate", out, "--json");
  expect(objects(calibrated.stdout)[0]).toMatchObject({ market: "AAPL", volatilityBps: { value: expect.any(Number) } });
  expect(await run("reconcile", out)).toMatchObject({ exit: 1, stderr: expect.stringContaining("nothing to compare") });
  expect(await run("ablate", out)).toMatchObject({ exit: 2, stderr: expect.stringContaining("no account of a bot") });

  writeFileSync(messages, "34200.1,9,1,18,5853300,1");
  const empty = join(folder, "nothing");
  const refused = await run("import", messages, books, "--out", empty);
  expect(refused).toMatchObject({ exit: 2, stderr: `quoin: ${messages}:1: type is 9; allowed: 1 to 7\n` });
  expect(() => readdirSync(empty)).toThrow();

  const days = [...rows, ...rows];
  writeFileSync(messages, days.map(({ message }) => message).join("\n"));
  writeFileSync(books, days.map(({ book }) => book).join("\n"));
  expect(await run("import", messages, books, "--out", empty)).toMatchObject({
    exit: 2,
    stderr: `quoin: ${messages}:401: time goes back from 34599 to 34200; needed: one day, in the order of time\n`,
  });
  expect(() => readdirSync(empty)).toThrow();
});

test("what is no recording is refused by one line, by each of the four", async () => {
  const bad = (name: string, text: string | Uint8Array) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const [file = ""] = readdirSync(session);
  const whole = readFileSync(join(session, file));
  mkdirSync(join(folder, "hollow"));
  const cases: readonly (readonly [string, string])[] = [
    [join(folder, "no-such.qrec"), "cannot be read"],
    [join(folder, "hollow"), "holds no recording"],
    [bad("text.qrec", "accounts: []\n"), "is no recording"],
    [bad("empty.qrec", ""), "not one event can be read"],
    [bad("cut.qrec", whole.subarray(0, 200)), "not one event can be read"],
    ["/dev/zero", "is no regular file"],
    [bad("later.qrec", "quoin recording, format 999, written by 9.9.9\n"), "9.9.9"],
  ];
  for (const [path, why] of cases)
    for (const args of [
      ["reconcile", path],
      ["ablate", path],
      ["calibrate", path],
      ["backtest", "--config", DEMO, "--recording", path],
    ]) {
      const { exit, stdout, stderr } = await run(...args);
      expect({ exit, stdout, lines: stderr.split("\n").length, args, stderr }).toMatchObject({
        exit: 2,
        stdout: "",
        lines: 2,
      });
      expect(stderr).toContain(why);
      expect(stderr).toContain(path);
    }
});

test("a market that was not recorded, and options that do not go together, are refused", async () => {
  const other = join(folder, "other.yaml");
  const text = readFileSync(DEMO, "utf8").replace("embedded: devnet.yaml", "validatorUrl: https://exchange.example");
  writeFileSync(
    other,
    text.replace("accountId: 12", "accountId: 99\n    paper: true").replace("marketId: 2", "marketId: 7"),
  );
  expect(await run("backtest", "--config", other, "--recording", session)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("market 7"),
  });
  expect(await run("backtest", "--config", DEMO)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("--days N"),
  });
  const both = await run("backtest", "--config", DEMO, "--recording", session, "--days", "1");
  expect(both).toMatchObject({ exit: 2, stderr: expect.stringContaining("cannot be used with option '--days") });
});
