// What an operator does to a running daemon: asks for its state, edits its file, halts it, cancels beside it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { quoin, quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, openOrdersOf, startDaemon, startDaemonProcess } from "./daemon.ts";
import { post } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const scene = sceneForEach({ pausedMarket: 2 });
let process: Awaited<ReturnType<typeof startDaemon>>["process"];
let url: string;

beforeEach(async () => {
  ({ process, url } = await startDaemon(scene));
  await resting(4);
});

const resting = (count: number) =>
  until(`${count} resting orders`, async () => (await openOrdersOf(scene.validatorUrl)).length === count);
const metric = async (name: string) => (await metricsOf(url)).get(name);
const edit = (from: string, to: string) =>
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace(from, to));
const reloads = (result: string) => metric(`quoin_config_reloads_total{result="${result}"}`);

describe("health", () => {
  it("is ready while it can trade, and says every reason when it cannot", async () => {
    await until("readiness", async () => (await fetch(`${url}/readyz`)).status === 200);
    await operate(scene, "PATCH", "/markets/1", { status: "Paused" });
    const body = await until("the paused market", async () => {
      const answer = await fetch(`${url}/readyz`);
      return answer.status === 503 && ((await answer.json()) as { ready: boolean; reasons: string[] });
    });
    expect(body.ready).toBe(false);
    expect(body.reasons.join()).toContain("marketStatus");
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    await process.seen("the reason in plain words", (text) =>
      text.includes("not quoting because the market is Paused"),
    );
    await resting(0);
    await operate(scene, "PATCH", "/markets/1", { status: "Active" });
    await until("readiness", async () => (await fetch(`${url}/readyz`)).status === 200);
    await resting(4);
  });

  it("serves the page and nothing to strangers", async () => {
    expect(await (await fetch(url)).text()).toContain("<title>Quoin</title>");
    expect((await fetch(`${url}/status.json`, { headers: { origin: "http://evil.example" } })).status).toBe(403);
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/halt`)).status).toBe(405);
  });
});

describe("the end", () => {
  it("a second signal does not cut off the canceling that the first one began", async () => {
    process.signal("SIGINT");
    process.signal("SIGTERM");
    expect(await process.end("SIGINT")).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("nor does a hang-up: the terminal may close meanwhile", async () => {
    process.signal("SIGTERM");
    await process.seen("the stop", (text) => /"event":"stopping"/.exec(text)?.[0]);
    process.signal("SIGHUP");
    expect(await process.exit).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });
});

describe("the configuration while it runs", () => {
  it("SIGHUP during the start is kept for it", async () => {
    expect(await process.end()).toBe(0);
    process = quoin(["run", "--config", scene.botConfig]);
    url = await process.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    process.signal("SIGHUP");
    await until("the reload", () => reloads("applied").then((count) => count === 1));
    await resting(4);
  });

  it("other parameters are applied once the file stood still", async () => {
    edit("levels: 2", "levels: 3");
    await resting(6);
    expect(await reloads("applied")).toBe(1);
    expect([...(await metricsOf(url)).keys()].filter((name) => name.startsWith("quoin_strategy_info"))).toHaveLength(1);
  });

  it("a wrong file is logged and counted, and the running one stays", async () => {
    edit("levels: 2", "levels: -1");
    await until("the refusal", () => reloads("refused").then((count) => count === 1));
    await process.seen("the fault", (text) => text.includes("params.levels"));
    await resting(4);
  });

  it("a market that the exchange does not list, and parameters that limits would deny, change nothing", async () => {
    edit("marketId: 1", "marketId: 99");
    await until("the refusal", () => reloads("refused").then((count) => count === 1));
    await process.seen("the fault", (text) => text.includes("the exchange has no market 99"));
    edit("marketId: 99", "marketId: 1");
    await until("the file put back", () => reloads("applied").then((count) => count === 1));
    edit("size: 0.2", "size: 5");
    await until("the next refusal", () => reloads("refused").then((count) => count === 2));
    const place = { reason: "a slip", account: "12", market: 1 };
    const posted = await post(url, "/params", { ...place, params: { size: 5 } });
    expect([posted.status, await posted.text()]).toEqual([400, expect.stringContaining("5 is above maxOrderSize, 2")]);
    edit("size: 5", "size: 0.2");
    const lowered = await post(url, "/params", { ...place, limits: { maxOrderSize: 0.1 } });
    expect([lowered.status, await lowered.text()]).toEqual([400, expect.stringContaining("above maxOrderSize, 0.1")]);
    await resting(4);
    await until("readiness", async () => (await fetch(`${url}/readyz`)).status === 200);
  });

  it("a raised limit waits for SIGHUP", async () => {
    const exposed = () => metric('quoin_worst_case_exposure_ratio{account="12",market="1",side="buy"}');
    const running = async () =>
      [...(await metricsOf(url)).keys()].filter((name) => name.startsWith("quoin_strategy_info"));
    const [ratio, info] = [await exposed(), await running()];
    expect(ratio).toBeGreaterThan(0);
    edit("maxPosition: 20", "maxPosition: 40");
    await until("the file's reload", () => reloads("applied").then((count) => count === 1));
    await process.seen("what waits", (text) => text.includes("waits for SIGHUP"));
    expect(await exposed()).toBe(ratio);
    expect(await running()).toEqual(info);
    process.signal("SIGHUP");
    await until("the signal's reload", () => reloads("applied").then((count) => count === 2));
    expect(await exposed()).toBeCloseTo((ratio ?? 0) / 2, 9);
    expect(await running()).not.toEqual(info);
  });

  it("a chain whose clock is off by more than the limit is not quoted at; a higher limit holds for gate and nonces", async () => {
    const off = { kind: "clockOffset", offsetMs: 3000 };
    expect((await operate(scene, "POST", "/faults", off)).status).toBe(200);
    const clockGate = () => metric('quoin_gate_open{account="12",market="1",gate="clock"}');
    await until("the gate to close", async () => (await clockGate()) === 0);
    await resting(0);
    edit("limits: { ", "limits: { maxClockOffsetMs: 4000, ");
    process.signal("SIGHUP");
    await resting(4);
    expect(await clockGate()).toBe(1);
  });

  it("a market that comes reopens the stream, counted as requested by us, and quotes go on", async () => {
    const requested = () => metric('quoin_feed_reconnects_total{reason="requested"}');
    expect(await requested()).toBe(0);
    const [, market = ""] = /( {6}- marketId: 1\n(?: {8}.*\n)+)/.exec(readFileSync(scene.botConfig, "utf8")) ?? [];
    edit(market, market + market.replace("marketId: 1", "marketId: 2"));
    await until("the reload", () => reloads("applied").then((count) => count === 1));
    expect(await requested()).toBe(1);
    expect(await metric('quoin_feed_reconnects_total{reason="closed"}')).toBe(0);
    const reconciled = () => metric('quoin_gate_open{account="12",market="1",gate="reconciled"}');
    await until("market 1 to be reconciled", async () => (await reconciled()) === 1);
    await resting(4);
  });

  it("a market that goes takes its series along, and the signal must have said so", async () => {
    const first = readFileSync(scene.botConfig, "utf8");
    const [, market = ""] = /( {6}- marketId: 1\n(?: {8}.*\n)+)/.exec(first) ?? [];
    edit(market, market + market.replace("marketId: 1", "marketId: 2"));
    const series = async () => [...(await metricsOf(url)).keys()].filter((name) => name.includes('market="2"'));
    await until("market 2 to be quoted", async () => (await series()).length > 0);
    writeFileSync(scene.botConfig, first);
    await until("the file's reload", () => reloads("applied").then((count) => count === 2));
    expect(await series()).not.toEqual([]);
    process.signal("SIGHUP");
    await until("its series to go", async () => (await series()).length === 0);
    const bids = () => metric('quoin_open_orders{account="12",market="1",side="buy"}');
    await until("market 1 to be quoted on", async () => (await bids()) === 2);
  });

  it("another approved key signs from then on, and no quote is missed", async () => {
    const { stdout } = await quoinDone(["keygen", "--out", join(scene.folder, "second.key")]);
    edit("agent.key", "second.key");
    await until("the refusal of a key that is not approved", () => reloads("refused").then((count) => count === 1));
    const approval = { pubkey: stdout.trim(), name: "second", expiresAt: 4_102_444_800 };
    await operate(scene, "POST", "/accounts/12/agents", approval);
    process.signal("SIGHUP");
    await until("the rotation", () => reloads("applied").then((count) => count === 1));
    expect(await openOrdersOf(scene.validatorUrl)).toHaveLength(4);
    edit("levels: 2", "levels: 3");
    await resting(6);
    const { accounts } = (await (await fetch(`${url}/status.json`)).json()) as { accounts: { latches: string[] }[] };
    expect(accounts[0]?.latches).toEqual([]);
  });

  it("POST /params sets a parameter and lowers a limit, with a reason; none is raised", async () => {
    const place = { reason: "a quiet market", account: "12", market: 1 };
    const set = (values: object) => post(url, "/params", { ...place, ...values });
    expect((await set({ params: { levels: 3 }, limits: { maxPosition: 10 } })).status).toBe(200);
    await resting(6);
    const raised = await set({ limits: { maxPosition: 11 } });
    expect([raised.status, await raised.text()]).toEqual([
      400,
      expect.stringContaining("you can only tighten limits here"),
    ]);
    process.signal("SIGHUP");
    await resting(4);
  });

  it("another strategy takes over", async () => {
    edit("strategy: fixed-spread", "strategy: glft");
    edit(/params: .*/.exec(readFileSync(scene.botConfig, "utf8"))?.[0] ?? "", "params: { size: 0.3, maxInventory: 5 }");
    await resting(2);
    const { accounts } = (await (await fetch(`${url}/status.json`)).json()) as {
      accounts: { markets: { strategy: string }[] }[];
    };
    expect(accounts[0]?.markets[0]?.strategy).toBe("glft");
  });
});

describe("quoin status and cancel-all", () => {
  /** The configuration with the port that the daemon really listens on. */
  function configAtPort(): string {
    const file = join(scene.folder, "beside.yaml");
    writeFileSync(file, readFileSync(scene.botConfig, "utf8").replace("port: 0", `port: ${new URL(url).port}`));
    return file;
  }

  /** Leaves what a daemon that was killed leaves. */
  async function killed(): Promise<void> {
    expect(await process.end()).toBe(0);
    const { process: apart } = await startDaemonProcess(scene);
    await resting(4);
    await apart.end("SIGKILL");
  }

  it("status tells of exchange and daemon", async () => {
    const { code, stdout } = await quoinDone(["status", "--config", configAtPort()]);
    expect(code).toBe(0);
    expect(stdout).toContain("account 12: collateral 100000 USDC");
    expect(stdout).toContain("4 open orders");
    expect(stdout).toContain("daemon: trading, up ");
  });

  it("cancel-all halts the daemon and leaves nothing; the halt survives a restart", async () => {
    const { code, stdout } = await quoinDone(["cancel-all", "--config", configAtPort()]);
    expect([code, stdout]).toEqual([0, "nothing rests\n"]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(await metric('quoin_latch_active{account="12",market="",kind="operator"}')).toBe(1);
    expect(await process.end()).toBe(0);
    const again = await startDaemon(scene);
    const latched = await metricsOf(again.url);
    expect(latched.get('quoin_latch_active{account="12",market="",kind="operator"}')).toBe(1);
    expect(await again.process.end()).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("cancel-all works without a daemon", async () => {
    await killed();
    expect(await openOrdersOf(scene.validatorUrl), "a killed daemon leaves its orders").toHaveLength(4);
    const { code } = await quoinDone(["cancel-all", "--config", configAtPort()]);
    expect(code).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("a killed daemon started again finds its orders, quotes on, and stops clean", async () => {
    await killed();
    const again = await startDaemon(scene);
    await until("readiness", async () => (await fetch(`${again.url}/readyz`)).status === 200);
    await resting(4);
    const metrics = await metricsOf(again.url);
    expect(metrics.get('quoin_latch_active{account="12",market="",kind="foreignActivity"}')).toBe(0);
    expect(await again.process.end()).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });
});
