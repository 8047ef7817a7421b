// A daemon before an exchange that words its reads otherwise, by a proxy before the devnet: it trades, or names what it cannot read.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quoin, quoinDone } from "../support/quoin.ts";
import { type Rewrite, type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { endScenes, openOrdersOf, reachThrough, startDaemon, startDaemonProcess } from "./daemon.ts";
import { configBeside, NOBODY, operator, positionsOf, resting, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({
  params: "{ halfSpreadBps: 10, size: 0.5, levels: 2, stepBps: 5 }",
  accounts: counterpartyRow,
});
let proxy: RewritingProxy;

beforeAll(async () => {
  proxy = await startRewritingProxy(scene.validatorUrl);
  reachThrough(scene, proxy);
});
afterEach(() => {
  proxy.rewrite = null;
});
afterAll(async () => {
  await endScenes();
  await proxy.close();
});

type Row = Readonly<Record<string, unknown>>;

/** Only what a row needs, in other words. */
const orderOf = ({ orderId, marketId, side, price, size, filledSize }: Row) => ({
  ...{ id: orderId, market_id: marketId, isBuy: side === "Long", limit_price: price },
  ...{ qty: size, filled_quantity: filledSize },
});

/** Everything that the interface does not show is left out, or said in another way. */
const foreign: Rewrite = (path, json) => {
  const rows = json as unknown as readonly Row[];
  if (path === "/v1/node/info")
    return { protocol_version: "v4", height: json.block_height, time: json.block_timestamp, chain_id: json.chain_id };
  if (path === "/v1/markets/1") {
    const { marketId: id, oraclePrice, tickSize, initialMarginRatioBps, maintenanceMarginRatioBps } = json;
    const ratios = { initial_margin_ratio_bps: `${initialMarginRatioBps}`, maintenanceMarginRatioBps };
    return { id, status: "active", oraclePrice, tickSize, markPrice: null, marginTiers: [], ...ratios };
  }
  if (path === "/v1/oracle/1") return { ...json, status: "ACTIVE", validUntil: Number(json.validUntil) * 1000 };
  if (path === "/v1/accounts/12") {
    const { accountId, collateral, agents, openOrders } = json;
    return {
      accountId,
      collateral,
      agents,
      openOrders: (openOrders as Row[]).map((row) => row.orderId),
      positions: null,
    };
  }
  if (path === "/v1/accounts/12/orders") return { orders: rows.map(orderOf), total: rows.length };
  if (path === "/v1/accounts/12/positions" || path === "/v1/markets/1/trades") return { data: rows };
  if (path === "/v1/fee-tiers") return { message: "not here" };
  if (path === "/v1/accounts/12/rate-limit") return { limit: 10, remaining: 0 };
  if (path === "/v1/markets/1/funding") return { marketId: 1, fundingRate: json.fundingRate };
  return undefined;
};

const readiness = async (url: string) =>
  (await (await fetch(`${url}/readyz`)).json()) as { readonly ready: boolean; readonly reasons: readonly string[] };

describe("reads in other words", () => {
  beforeEach(() => {
    proxy.rewrite = foreign;
  });

  it("are enough to quote on both sides, and to stop with nothing left", async () => {
    const { process: daemon, url } = await startDaemon(scene);
    await resting(scene, 4);
    await until("ready", async () => (await readiness(url)).ready);
    expect(await daemon.end()).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("are enough to trade on paper, where neither fees nor funding can be read", async () => {
    proxy.rewrite = (path, ...of) => (path === "/v1/markets/1/funding" ? { odd: true } : foreign(path, ...of));
    const file = join(scene.folder, "paper.yaml");
    const yaml = readFileSync(scene.botConfig, "utf8");
    writeFileSync(
      file,
      yaml.replace(/accountId: 12\b/, "accountId: 99").replace(/agentKeyFile: \S+?(?=[\s,}])/, "paper: true"),
    );
    const daemon = quoin(["run", "--config", file]);
    const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    await until("both sides are quoted", async () => {
      const [market] = (await statusOf(url)).accounts[0]?.markets ?? [];
      return market?.bids[0] !== undefined && market.asks[0] !== undefined;
    });
    expect(daemon.stdout()).toContain("paper account 99 pays 10 bps, assumedFeeBps");
    expect(await daemon.end()).toBe(0);
  });

  it("are enough to cancel everything and to close a position after a kill", async () => {
    await rest(scene.validatorUrl, { side: "buy", contracts: 5, usd: 216.5 });
    const { process: daemon } = await startDaemonProcess(scene);
    await resting(scene, 4);
    await take(scene.validatorUrl, { side: "sell", contracts: 0.5 });
    await until("the position", async () => (await positionsOf(scene)).length === 1);
    await daemon.end("SIGKILL");
    const canceled = await operator("cancel-all", configBeside(scene, NOBODY));
    expect([canceled.code, canceled.stdout]).toEqual([0, "nothing rests\n"]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(await operator("flatten", configBeside(scene, NOBODY))).toMatchObject({ code: 0 });
    expect(await positionsOf(scene)).toEqual([]);
    await operator("resume", configBeside(scene, NOBODY), "--reason", "the end");
  });

  it("pass doctor but for what is said to be unknown", async () => {
    const { stdout } = await quoinDone(["doctor", "--config", scene.botConfig, "--json"]);
    const findings = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
    const failed = findings.filter(({ ok, severity }) => ok === false && severity === "fail");
    expect(failed).toEqual([]);
  });
});

it.each([
  ["/v1/accounts/12/positions", { positions: {} }, "GET /v1/accounts/12/positions: must be a list"],
  ["/v1/accounts/12/orders", { one: [], other: [] }, "GET /v1/accounts/12/orders: must be a list"],
  ["/v1/markets/1/trades", { error: "no", rows: [] }, "GET /v1/markets/1/trades: must be a list"],
])("%s that is no list is named in log, /readyz and doctor", async (path, instead, sentence) => {
  proxy.rewrite = (asked) => (asked === path ? instead : undefined);
  const { process: daemon, url } = await startDaemon(scene);
  await until("it is named", async () => (await readiness(url)).reasons[0] === sentence);
  const { stdout } = await quoinDone(["doctor", "--config", scene.botConfig, "--json"]);
  expect(stdout).toContain(sentence);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  proxy.rewrite = null; // So that the stop need not wait for a list.
  await daemon.end();
  expect(daemon.stdout()).toContain(sentence);
});
