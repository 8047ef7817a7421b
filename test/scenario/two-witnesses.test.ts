// Ends that stand on two lists and on events: a list that lacks what rests, an account that hides what it holds, and `success` for cancels that
// never arrived, by a proxy before the devnet, against a stop, cancel-all and flatten.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hurriedClock } from "../support/hurried-clock.ts";
import { quoinDone, type Running } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { endScenes, openOrdersOf, reachThrough, startDaemon, startDaemonProcess } from "./daemon.ts";
import { configBeside, NOBODY, operator, positionsOf, post, resting, statusOf } from "./operator.ts";
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
  proxy.swallows = () => false;
});
afterAll(async () => {
  await endScenes();
  await proxy.close();
});

const isCancel = (body: string): boolean => /"Cancel(All)?Orders?":/.test(body);

/** The account lists no open order; its orders read alone are the truth. */
const hideOrders = (): void => {
  proxy.rewrite = (path, json) => (path === "/v1/accounts/12" ? { ...json, openOrders: [] } : undefined);
};

/** The first cancels are answered `success` and never arrive. Returns how many there were. */
function swallowFirst(count: number): () => number {
  let swallowed = 0;
  proxy.swallows = (body) => {
    const isSwallowed = isCancel(body) && swallowed < count;
    if (isSwallowed) swallowed += 1;
    return isSwallowed;
  };
  return () => swallowed;
}

describe("four orders that a killed daemon left", () => {
  beforeEach(async () => {
    const { process: daemon, url } = await startDaemonProcess(scene);
    await resting(scene, 4);
    await until("all four in the daemon's books", async () => {
      const [market] = (await statusOf(url)).accounts[0]?.markets ?? [];
      return market !== undefined && market.bids.length + market.asks.length === 4;
    });
    await daemon.end("SIGKILL");
  });

  it("cancel-all finds in one list what the other lacks", async () => {
    hideOrders();
    const { code, stdout } = await operator("cancel-all", configBeside(scene, NOBODY));
    expect([code, stdout]).toEqual([0, "nothing rests\n"]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("cancel-all takes no success for an end: what the lists still name is canceled again", async () => {
    hideOrders();
    const swallowed = swallowFirst(4);
    const { code, stdout } = await operator("cancel-all", configBeside(scene, NOBODY));
    expect([code, stdout, swallowed()]).toEqual([0, "nothing rests\n", 4]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("cancel-all knows from the ledger what neither list names", async () => {
    proxy.rewrite = (path, json) => {
      if (path === "/v1/accounts/12") return { ...json, openOrders: [] };
      return path === "/v1/accounts/12/orders" ? [] : undefined;
    };
    const { code } = await operator("cancel-all", configBeside(scene, NOBODY));
    expect(code).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("cancel-all whose cancels never arrive: exit 3, with each order that one list names", async () => {
    hideOrders();
    proxy.swallows = isCancel;
    const orders = (await openOrdersOf(scene.validatorUrl)) as unknown as readonly { readonly orderId: number }[];
    const clock = hurriedClock(5);
    clock.hurry();
    const { code, stdout } = await quoinDone(["cancel-all", "--config", configBeside(scene, NOBODY)], { clock });
    expect(code).toBe(3);
    for (const { orderId } of orders) expect(stdout).toContain(`account 12 market 1 order ${orderId}: `);
    proxy.swallows = () => false;
    expect((await operator("cancel-all", configBeside(scene, NOBODY))).code).toBe(0);
  });
});

describe("a daemon that quotes", () => {
  let daemon: Running;
  let url: string;
  beforeEach(async () => {
    ({ process: daemon, url } = await startDaemon(scene));
    await resting(scene, 4);
  });

  it("SIGTERM, over a list that lacks what rests: exit 0, and nothing does", async () => {
    hideOrders();
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("SIGTERM, over cancels that never arrived: canceled again, exit 0", async () => {
    const swallowed = swallowFirst(5);
    hideOrders();
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(swallowed()).toBe(5);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    // Three successes without an event latch: the next daemon would stay halted.
    await operator("resume", configBeside(scene, NOBODY), "--reason", "they were swallowed on purpose");
  });

  it("flatten, of an account that hides what it holds: not flat, as its list of positions says", async () => {
    await take(scene.validatorUrl, { side: "sell", contracts: 0.5 });
    await until("the position", async () => (await positionsOf(scene)).length === 1);
    expect((await post(url, "/halt", { reason: "the end" })).status).toBe(200);
    await resting(scene, 0);
    let asked = 0;
    proxy.rewrite = (path, json) => {
      if (path === "/v1/accounts/12/positions") asked += 1;
      return path === "/v1/accounts/12" ? { ...json, positions: [] } : undefined;
    };
    const flattening = operator("flatten", configBeside(scene, url), "--json");
    await until("looks at both, long after the last step", () => asked >= 3);
    expect((await post(url, "/resume", { reason: "never mind" })).status).toBe(200);
    const { code, stdout } = await flattening;
    expect(code).toBe(1);
    expect(stdout).toMatch(/account 12 market 1: flat by the account, long 0\.5 at 216\.\d+ by its list of positions;/);
  });
});
