// Flatten: everything canceled, then what is held closed against a real counterparty, by a halted daemon or without one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import type { Running, RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { endScenes, openOrdersOf, type Scene, startDaemon, startDaemonProcess, startScene } from "./daemon.ts";
import { configBeside, NOBODY, operator, positionsOf, post, resting, stateOf } from "./operator.ts";

let scene: Scene;
let daemon: Running;
let url: string;

const prepare = async () => {
  scene = await startScene({
    params: "{ halfSpreadBps: 10, size: 2, levels: 2, stepBps: 5 }",
    accounts: counterpartyRow,
  });
};
const begin = async () => {
  await prepare();
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
};

/** Sells to the daemon until it holds more than one order may be, so that closing takes several steps. */
async function holding(contracts: number): Promise<void> {
  await take(scene.validatorUrl, { side: "sell", contracts });
  await until("the position", async () => Number((await positionsOf(scene))[0]?.size ?? 0) === contracts * 1e6);
}
const halt = async () => expect((await post(url, "/halt", { reason: "the end" })).status).toBe(200);
const bid = (usd: number, contracts: number) => rest(scene.validatorUrl, { side: "buy", contracts, usd });
const control = (path: string, body: unknown) => operate(scene, "PATCH", path, body);
const accountsIn = (stdout: string) =>
  (JSON.parse(stdout) as { accounts: { accountId: string; kind: string; lines: string[] }[] }).accounts;

describe("with a daemon", () => {
  beforeAll(begin);
  afterAll(endScenes);

  it.each([
    ['{"maxSlippageBps":0}', 400],
    ['{"maxSlipage":5}', 400],
    ["[", 400],
    ['{"chainId":"venue-v4:mainnet:chain-1"}', 404],
    ["{}", 409],
  ])("POST /flatten %s is answered with %d", async (body, status) => {
    expect((await post(url, "/flatten", body)).status).toBe(status);
  });

  it("is refused while it may quote; halted, it closes in steps what it holds, and stays halted", async () => {
    await holding(3.5);
    const config = configBeside(scene, url);
    const refused = await operator("flatten", config);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("not halted")]);
    await halt();
    await bid(216.9, 1.5);
    await bid(216.5, 5);
    const { code, stdout } = await operator("flatten", config);
    expect([code, stdout]).toEqual([
      0,
      `flat; the accounts stay halted: npx quoin resume --reason TEXT --config ${config} lifts it\n`,
    ]);
    expect(await positionsOf(scene)).toEqual([]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(await stateOf(url)).toBe("halted");
  });

  it("never trades beyond the slippage: what nobody takes there is listed when its time is up, or the halt is lifted", async () => {
    expect((await post(url, "/resume", { reason: "again" })).status).toBe(200);
    await resting(scene, 4);
    await holding(1);
    await halt();
    await resting(scene, 0);
    const started = () => daemon.stdout().split('"event":"flatten.started"').length;
    const before = started();
    const flattening = operator("flatten", configBeside(scene, url), "--max-slippage-bps", "5", "--json");
    await until("an attempt", () => started() > before);
    expect((await post(url, "/resume", { reason: "never mind" })).status).toBe(200);
    const { code, stdout } = await flattening;
    expect(code).toBe(1);
    expect(accountsIn(stdout)).toEqual([
      {
        accountId: "12",
        kind: "notFlat",
        lines: expect.arrayContaining([
          expect.stringMatching(/^account 12 market 1: long 1 at 216\.\d+; no counterparty within the slippage cap$/),
          "account 12: the halt was lifted meanwhile",
        ]),
      },
    ]);
  });

  it("closes under a stale oracle", async () => {
    await halt();
    await resting(scene, 0);
    expect((await control("/oracle/1", { status: "Stale" })).ok).toBe(true);
    const { code, stdout } = await operator("flatten", configBeside(scene, url), "--json");
    expect([code, accountsIn(stdout)]).toEqual([0, [{ accountId: "12", kind: "flat", lines: [] }]]);
  });
});

describe("without a daemon", () => {
  let killed: RunningProcess;
  beforeAll(async () => {
    await prepare();
    ({ process: killed, url } = await startDaemonProcess(scene));
    await resting(scene, 4);
  });
  afterAll(endScenes);

  it("is refused while another process holds the key", async () => {
    const { code, stderr } = await operator("flatten", configBeside(scene, NOBODY));
    expect([code, stderr]).toEqual([1, expect.stringContaining("another process holds")]);
    expect(await stateOf(url)).toBe("active");
  });

  it("closes what a killed daemon left, and leaves a halt for the next start", async () => {
    await holding(3);
    await bid(216.5, 5);
    await killed.end("SIGKILL");
    const { code, stdout } = await operator("flatten", configBeside(scene, NOBODY));
    expect([code, stdout]).toEqual([0, expect.stringContaining("flat;")]);
    expect(await positionsOf(scene)).toEqual([]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    const again = await startDaemon(scene);
    await until("its state", async () => (await stateOf(again.url)) === "halted");
    expect(await again.process.end()).toBe(0);
  });
});
