// A strategy beside the one that trades, as an operator has it: it is shown, filled on paper, changed, and made live; the exchange hears nothing
// of it before that. What fails is rolled back.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { ShadowLine } from "../../src/bot/dashboard/status.ts";
import { operate } from "../support/operate.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { metricsOf, openOrdersOf, startDaemon } from "./daemon.ts";
import { configBeside, NOBODY, post, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({ accounts: counterpartyRow });
let url: string;
let daemon: Awaited<ReturnType<typeof startDaemon>>["process"];

const SHADOW = `        shadow: # a candidate
          strategy: fixed-spread
          params: { halfSpreadBps: 3, size: 0.2, levels: 2, stepBps: 2 } # a little wider
`;

const strategy = (name: string, body: string): string => `import { defineStrategy } from "quoin/strategy";
import { z } from "zod";
export const strategy = defineStrategy({
  name: "${name}", summary: "A test's.", params: z.strictObject({}), start: () => ({ turns: 0 }),
  quote(view, params, memory) {
    ${body}
  },
});
`;

const edit = (change: (yaml: string) => string): void =>
  writeFileSync(scene.botConfig, change(readFileSync(scene.botConfig, "utf8")));
const withShadow = (shadow: string) => (yaml: string) =>
  yaml.replace(/ {8}shadow:[\s\S]*?(?= {8}limits)/, "").replace(/^ {8}limits/m, `${shadow}        limits`);

const marketNow = async () => (await statusOf(url)).accounts[0]?.markets[0];
const shadowIs = (what: string, is: (shadow: ShadowLine) => boolean): Promise<ShadowLine> =>
  until(what, async () => {
    const shadow = (await marketNow())?.shadow ?? null;
    return shadow !== null && is(shadow) ? shadow : undefined;
  });
const promote = (...more: readonly string[]) =>
  quoinDone(["promote", "--config", configBeside(scene, url), "--account", "12", "--market", "1", ...more]);

beforeAll(async () => {
  await rest(scene.validatorUrl, { side: "buy", contracts: 50, usd: 216.5 });
  await rest(scene.validatorUrl, { side: "sell", contracts: 50, usd: 217.5 });
  ({ process: daemon, url } = await startDaemon(scene));
  await until("four resting orders", async () => (await openOrdersOf(scene.validatorUrl)).length === 4);
});

test("without a shadow there is nothing to promote, and the line says what to write", async () => {
  const said = "quoin: market 1 of account 12 has no shadow to promote; give it one: shadow: { strategy, params }\n";
  expect(await promote()).toMatchObject({ code: 1, stdout: "", stderr: said });
  expect((await post(url, "/promote", { account: "12", market: 1 })).status).toBe(400);
});

test("a reload brings one: it is filled on paper where what trades is not in the book, and the exchange does not see it", async () => {
  edit(withShadow(SHADOW));
  await shadowIs("it quotes", ({ bids, asks }) => bids.length === 2 && asks.length === 2);
  await until("both are filled", async () => {
    await take(scene.validatorUrl, { side: "sell", contracts: 0.9 });
    const market = await marketNow();
    return (market?.fillCount ?? 0) > 0 && (market?.shadow?.fillCount ?? 0) > 0;
  });
  const shadow = await shadowIs("it holds what it bought", ({ position }) => position > 0);
  expect(shadow).toMatchObject({ strategy: "fixed-spread", reason: null });
  expect(shadow.position).toBeLessThanOrEqual((await marketNow())?.position ?? 0);
  expect((await openOrdersOf(scene.validatorUrl)).length).toBeLessThanOrEqual(4);
  const metrics = await metricsOf(url);
  const of = (component: string) =>
    metrics.get(`quoin_shadow_pnl_usdc{account="12",market="1",strategy="fixed-spread",component="${component}"}`) ??
    Number.NaN;
  const parts = ["spread", "inventory", "jump", "funding", "fees"].reduce((sum, name) => sum + of(name), 0);
  expect(parts).toBeCloseTo(of("total"), 5);
  expect(of("total")).not.toBe(0);
});

test("accounts and series of the shadow are nobody's but its own", async () => {
  const { accounts } = await statusOf(url);
  expect(accounts.map(({ accountId }) => accountId)).toEqual(["12"]);
  const names = [...(await metricsOf(url)).keys()].filter((name) => name.includes("account="));
  expect(new Set(names.map((name) => /account="([^"]*)"/.exec(name)?.[1]))).toEqual(new Set(["12"]));
});

test("what a shadow may be is said with file, line and key, and what runs stays", async () => {
  const file = join(scene.folder, "own.ts");
  writeFileSync(file, strategy("own", "return 1 +;"));
  const check = async (shadow: string) => {
    const checked = configBeside(scene, url, withShadow(shadow));
    const { code, stderr } = await quoinDone(["check", "--config", checked]);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await check("        shadow: { strategy: fixed-spred }\n")).toMatch(/:\d+:\d+.*shadow.*fixed-spread/);
  expect(await check("        shadow: { strategy: fixed-spread, params: { halfSpread: 3 } }\n")).toMatch(
    /shadow\.params.*halfSpreadBps/,
  );
  expect(await check("        shadow: { strategy: fixed-spread, params: { halfSpreadBps: 3, size: 9 } }\n")).toContain(
    "maxOrderSize",
  );
  expect(await check("        shadow: { strategy: ./own.ts }\n")).toMatch(/own\.ts:6/);
  const before = readFileSync(scene.botConfig, "utf8");
  edit(withShadow("        shadow: { strategy: ./own.ts }\n"));
  await daemon.seen("that it is refused", (text) => /config\.refused.*own\.ts:6/.exec(text)?.[0]);
  expect((await marketNow())?.shadow).toMatchObject({ strategy: "fixed-spread", state: "running" });
  edit(() => before);
});

test("promoted it trades, the file says so with every comment, and orders that fit stay", async () => {
  await until("four resting orders", async () => (await openOrdersOf(scene.validatorUrl)).length === 4);
  const { code, stdout, stderr } = await promote("--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    accountId: "12",
    marketId: 1,
    from: "fixed-spread",
    to: "fixed-spread",
    kept: expect.any(Number),
    canceled: 0,
  });
  const file = readFileSync(scene.botConfig, "utf8");
  expect(file).toContain("        params: { halfSpreadBps: 3, size: 0.2, levels: 2, stepBps: 2 }\n        limits");
  expect(file).not.toContain("shadow");
  const market = await marketNow();
  expect(market?.shadow).toBeNull();
  expect(market?.trial).toMatchObject({ from: "fixed-spread" });
  expect((await metricsOf(url)).get('quoin_promotions_total{account="12",market="1",result="promoted"}')).toBe(1);
  expect(await promote()).toMatchObject({ code: 1 });
});

test("one that fails is rolled back at once, and log, file and metric say so", async () => {
  const file = join(scene.folder, "fails.ts");
  const waits = 'return { quotes: [], fairValueUsd: null, reason: "it waits" };';
  writeFileSync(
    file,
    strategy("fails", `memory.turns += 1; if (!view.isPaper && memory.turns > 3) throw new Error("no more"); ${waits}`),
  );
  edit(withShadow("        shadow: { strategy: ./fails.ts } # it fails\n"));
  await shadowIs("it runs", ({ strategy, state }) => strategy === "fails" && state === "running");
  const before = readFileSync(scene.botConfig, "utf8");
  expect(await promote()).toMatchObject({ code: 0 });
  await daemon.seen("that it is rolled back", (text) => /"event":"promotion\.rolledBack".*no more/.exec(text)?.[0]);
  await until("it quotes again", async () => (await openOrdersOf(scene.validatorUrl)).length === 4);
  expect((await marketNow())?.strategy).toBe("fixed-spread");
  const after = readFileSync(scene.botConfig, "utf8");
  expect(after.replace(/^ *# quoin: fails, promoted \S+, was rolled back \S+: the strategy .*no more.*\n/m, "")).toBe(
    before,
  );
  expect((await metricsOf(url)).get('quoin_promotions_total{account="12",market="1",result="rolled_back"}')).toBe(1);
});

test("one that fails as a shadow is stopped in a line and is not promoted; what trades goes on", async () => {
  const file = join(scene.folder, "shaky.ts");
  const waits = 'return { quotes: [], fairValueUsd: null, reason: "it waits" };';
  writeFileSync(file, strategy("shaky", `if (view.isPaper) throw new Error("not on paper"); ${waits}`));
  const before = (await metricsOf(url)).get('quoin_strategy_faults_total{account="12",market="1"}');
  edit(withShadow("        shadow: { strategy: ./shaky.ts }\n"));
  const { reason } = await shadowIs(
    "it is stopped",
    ({ strategy, state }) => strategy === "shaky" && state === "stopped",
  );
  expect(reason).toMatch(/threw: not on paper at \S+shaky\.ts:6/);
  expect(daemon.stdout().match(/shadow\.stopped.*not on paper/g)).toHaveLength(1);
  expect(await promote()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/the shadow shaky is stopped: .*not on paper/),
  });
  expect((await openOrdersOf(scene.validatorUrl)).length).toBe(4);
  expect((await metricsOf(url)).get('quoin_strategy_faults_total{account="12",market="1"}')).toBe(before);
});

test("where the file cannot be written back it still says what was rolled back, and the status says so", async () => {
  const file = join(scene.folder, "later.ts");
  const waits = 'return { quotes: [], fairValueUsd: null, reason: "it waits" };';
  const isMoved = "!view.isPaper && view.oracle.state === 'fresh' && view.oracle.value.price > 21694000000n";
  writeFileSync(file, strategy("later", `if (${isMoved}) throw new Error("moved"); ${waits}`));
  edit(withShadow("        shadow: { strategy: ./later.ts }\n"));
  await shadowIs("it runs", ({ strategy, state }) => strategy === "later" && state === "running");
  const before = readFileSync(scene.botConfig, "utf8");
  expect(await promote()).toMatchObject({ code: 0 });
  rmSync(scene.botConfig);
  const differences = async () => (await statusOf(url)).fileDifferences;
  await until("the file is missed", async () => (await differences()).some((text) => text.includes("bot.yaml")));
  await operate(scene, "PATCH", "/oracle/1", { price: "217" });
  const said = await until("what the file says", async () =>
    (await differences()).find((text) => text.startsWith("the file still says later: write strategy fixed-spread")),
  );
  expect(said).toContain("or the next reload promotes later again");
  await until("it quotes again", async () => (await openOrdersOf(scene.validatorUrl)).length === 4);
  writeFileSync(scene.botConfig, before);
  await until("the file is as what runs", async () => (await differences()).length === 0);
});

test("nobody there, no such market, and a body that is none are said", async () => {
  const words = (config: string, account: string, market: string) =>
    quoinDone(["promote", "--config", config, "--account", account, "--market", market]);
  const config = configBeside(scene, url);
  expect(await words(config, "13", "1")).toMatchObject({ code: 2, stderr: expect.stringContaining("no account 13") });
  expect(await words(config, "12", "7")).toMatchObject({ code: 2, stderr: expect.stringContaining("market 7") });
  for (const body of [{}, { account: "12" }, { account: "12", market: 1, force: true }, "no"])
    expect((await post(url, "/promote", body)).status).toBe(400);
  expect((await post(url, "/promote", { account: "13", market: 1 })).status).toBe(404);
  const alone = configBeside(scene, url, (yaml) => yaml.replace(/port: \d+/, `port: ${new URL(NOBODY).port}`));
  expect(await words(alone, "12", "1")).toMatchObject({
    code: 1,
    stderr: "quoin: no daemon answers at http://127.0.0.1:9\n",
  });
});

test("taken out of the file it is gone, and its series with it", async () => {
  edit(withShadow(""));
  await until("it is gone", async () => (await marketNow())?.shadow === null || undefined);
  expect([...(await metricsOf(url)).keys()].filter((name) => name.startsWith("quoin_shadow_pnl_usdc"))).toEqual([]);
});
