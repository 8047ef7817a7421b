// Answers that are well-formed and mean nothing, strategies that return nothing, and an error that nothing catches: real processes, with
// orders resting and a position held.

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkoutAt } from "../support/checkout.ts";
import { operate } from "../support/operate.ts";
import { quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import {
  endScenes,
  metricsOf,
  openOrdersOf,
  reachThrough,
  type Scene,
  startApartScene,
  startDaemon,
  startScene,
} from "./daemon.ts";
import { positionsOf, resting, statusOf } from "./operator.ts";

const options = {
  params: "{ halfSpreadBps: 10, size: 0.2, levels: 2, stepBps: 5 }",
  accounts: counterpartyRow,
};
let scene: Scene;
afterEach(endScenes);

/** Of a schedule that is flat from zero up. */
const FLAT_TIER = {
  notionalFloor: "0",
  maxLeverage: 20,
  maintenanceMarginRatioBps: 250,
  maintenanceDeduction: "0",
};

const editConfig = (edit: (yaml: string) => string): void =>
  writeFileSync(scene.botConfig, edit(readFileSync(scene.botConfig, "utf8")));
type AccountJson = { readonly openOrders: readonly object[]; readonly positions: readonly object[] };
const ready = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

describe("reads that mean nothing, while a position is held", () => {
  let proxy: RewritingProxy;
  afterEach(() => proxy.close());

  const market = (change: object) => (path: string, json: object) =>
    path === "/v1/markets/1" ? { ...json, ...change } : undefined;
  const oracle = (change: object) => (path: string, json: object) =>
    path === "/v1/oracle/1" ? { ...json, ...change } : undefined;

  it("pull the quotes, end nothing, and leave a daemon that quotes again once they mean something", async () => {
    scene = await startScene(options);
    proxy = await startRewritingProxy(scene.validatorUrl);
    reachThrough(scene, proxy);
    const { process: daemon, url } = await startDaemon(scene);
    await resting(scene, 4);
    await take(scene.validatorUrl, { side: "sell", contracts: 0.1 });
    await until("the position", async () => (await positionsOf(scene)).length === 1);
    await resting(scene, 4);
    for (const rewrite of [
      market({ marginTiers: [{ ...FLAT_TIER, notionalFloor: "1000000" }] }),
      market({ tickSize: `1${"0".repeat(24)}` }),
      market({ initialMarginRatioBps: -500 }),
      oracle({ validUntil: Math.floor(Date.now() / 1000) + 10 * 366 * 86_400 }),
    ]) {
      proxy.rewrite = rewrite;
      await until("what adds risk to go", async () =>
        (await openOrdersOf(scene.validatorUrl)).every(({ reduceOnly }) => reduceOnly),
      );
      await until("the daemon to say so", async () => (await ready(url)) === 503);
      proxy.rewrite = null;
      await resting(scene, 4);
    }
    const read = (change: (account: AccountJson) => object) => (path: string, json: object) =>
      path === "/v1/accounts/12" ? { ...json, ...change(json as AccountJson) } : undefined;
    const sidesResting = async () => new Set((await openOrdersOf(scene.validatorUrl)).map(({ side }) => side));
    proxy.rewrite = read(({ openOrders, positions }) => ({
      openOrders: [...openOrders, { orderId: 999_999, marketId: 1, side: "Long", price: null, size: "1000000" }],
      positions: positions.map((one) => ({ ...one, isolated_margin: "-5" })),
    }));
    await until("the other side alone to rest", async () => [...(await sidesResting())].join() === "Short");
    expect(daemon.stdout()).toContain(
      "account 12: order 999999 in market 1 (buy) cannot be read: price: is required; no new buy order in market 1",
    );
    proxy.rewrite = read(({ positions }) => ({ positions: positions.map((one) => ({ ...one, size: null })) }));
    await resting(scene, 0);
    proxy.rewrite = null;
    await resting(scene, 4);
    expect((await statusOf(url)).accounts[0]?.markets[0]?.position).toBe(0.1);
    expect(daemon.stdout()).not.toContain("reconcile.mismatch");
    expect(daemon.isOver()).toBe(false);
    expect(daemon.stdout()).toContain("marginTiers: must begin with a row at floor 0");
    expect((await statusOf(url)).accounts[0]?.markets[0]?.state).toBe("active");
    expect(await daemon.end()).toBe(0);
  });
});

/** The strategy of the scene until the index is printed at 217; then what `fault` says, in place of its quotes. */
const faulty = (name: string, fault: string): string => `
import { strategy as fixed } from "./fixed-spread.ts";
let isDone = false;
export const strategy = {
  ...fixed,
  name: "${name}",
  quote(view, params, memory) {
    if (view.oracle.state !== "absent" && view.oracle.value.price === 21_700_000_000n) { ${fault} }
    return fixed.quote(view, params, memory);
  },
};
`;

/** Thrown once, so many ms after the print. */
const thrownInTimer = (ms: number): string =>
  `if (!isDone) setTimeout(() => { throw new Error("nobody catches this"); }, ${ms}); isDone = true;`;

const FAULTS = {
  "returns-nothing": "return;",
  "throws-in-timer": thrownInTimer(0),
  "throws-in-promise": 'void Promise.reject(new Error("nobody catches this"));',
  "throws-late": thrownInTimer(1000),
};

let starter: string;
beforeAll(() => {
  const named = Object.entries(FAULTS).map(([name, fault]) => [name, faulty(name, fault)]);
  starter = checkoutAt(scratchFolder("checkout"), Object.fromEntries(named));
});

type Faulty = { readonly daemon: RunningProcess; readonly url: string; readonly go: () => Promise<unknown> };

async function startFaulty(name: keyof typeof FAULTS): Promise<Faulty> {
  editConfig((yaml) => yaml.replace("strategy: fixed-spread", `strategy: ${name}`));
  const daemon = quoinProcess(["run", "--config", scene.botConfig], { starter });
  const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
  await resting(scene, 4);
  const go = () => operate(scene, "PATCH", "/oracle/1", { price: "217" });
  return { daemon, url, go };
}

it("a strategy with a forgotten return pulls its quotes, says so once and counts it, and ends nothing", async () => {
  scene = await startScene(options);
  const { daemon, url, go } = await startFaulty("returns-nothing");
  await go();
  await resting(scene, 0);
  await until("the daemon to say so", async () => (await ready(url)) === 503);
  const faults = 'quoin_strategy_faults_total{account="12",market="1"}';
  await until("many faults", async () => ((await metricsOf(url)).get(faults) ?? 0) > 20);
  expect(daemon.stdout().split('"event":"strategy.fault"')).toHaveLength(2);
  expect(daemon.stdout()).toContain("strategy returns-nothing returned nothing");
  expect(await daemon.end()).toBe(0);
});

describe("an error that nothing catches cancels everything, then ends the process", () => {
  it.each([
    ["thrown in a timer", "throws-in-timer"],
    ["of a promise", "throws-in-promise"],
  ] as const)("%s: exit 1, since the exchange confirms that nothing rests", async (_, fault) => {
    scene = await startScene(options);
    const { daemon, go } = await startFaulty(fault);
    await go();
    const startedMs = performance.now();
    expect(await daemon.exit).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(7000);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(daemon.stdout()).toContain("an error that nothing caught: nobody catches this");
  });

  it("with an exchange that does not answer: exit 3 within seconds, with the orders that may rest", async () => {
    const apart = await startApartScene(options);
    scene = apart;
    const { daemon, go } = await startFaulty("throws-late");
    const orders = (await openOrdersOf(scene.validatorUrl)) as unknown as readonly { readonly orderId: number }[];
    await go();
    apart.devnet.child.kill("SIGSTOP");
    const startedMs = performance.now();
    expect(await daemon.exit).toBe(3);
    expect(performance.now() - startedMs).toBeLessThan(7000);
    apart.devnet.child.kill("SIGCONT");
    for (const { orderId } of orders) expect(daemon.stderr()).toContain(`account 12 market 1 order ${orderId}: `);
  });
});
