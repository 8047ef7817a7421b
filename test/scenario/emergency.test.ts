// Commands in an emergency work with a configuration of which little is right: exchange, daemon, ledger and key.

import { beforeAll, describe, expect, it } from "vitest";
import type { RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { openOrdersOf, startDaemonProcess } from "./daemon.ts";
import { configBeside, NOBODY, operator, positionsOf, resting, stateOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({
  params: "{ halfSpreadBps: 10, size: 2, levels: 2, stepBps: 5 }",
  accounts: counterpartyRow,
});
let daemon: RunningProcess;
let url: string;
beforeAll(async () => {
  ({ process: daemon, url } = await startDaemonProcess(scene));
  await resting(scene, 4);
});
/** A strategy that is not there, limits and a market that nobody can read, a key that nobody knows, and a line that is no YAML. */
const wrong = (yaml: string): string =>
  `${yaml
    .replace("strategy: fixed-spread", "strategy: gone")
    .replace("marketId: 1", "marketId: one")
    .replace("maxPosition: 20", "maxPosition: much")}log: { level: loud }
surprise: 1
  - { not: yaml
`;
const why = ["--reason", "a test"] as const;

describe("with a daemon that started while all was right", () => {
  it.each([
    ["status", [], /^account 12: collateral .*\n(.*\n)*daemon: /],
    ["reduce", why, /^account 12: reducing only; held by operator, reducing: a test\n$/],
    ["halt", why, /^account 12: halted; held by operator.*: a test/],
    ["cancel-all", [], /^nothing rests\n$/],
  ] as const)("quoin %s", async (command, more, said) => {
    const config = configBeside(scene, url, wrong);
    const { code, stdout, stderr } = await operator(command, config, ...more);
    const resume = `npx quoin resume --reason TEXT --config ${config}`;
    const isHalted = command === "cancel-all" ? `the daemon is halted; ${resume} lets it trade again\n` : "";
    expect([code, stderr]).toEqual([0, isHalted]);
    expect(stdout).toMatch(said);
  });

  it("what lets trade again asks for a file that a daemon would start with", async () => {
    const { code, stderr } = await operator("resume", configBeside(scene, url, wrong), ...why);
    expect(code).toBe(2);
    expect(stderr).not.toBe("");
    expect(await stateOf(url)).toBe("halted");
  });

  it("quoin flatten", async () => {
    const { code, stdout } = await operator("flatten", configBeside(scene, url, wrong));
    expect([code, stdout]).toEqual([0, expect.stringContaining("flat; ")]);
  });
});

describe("without a daemon", () => {
  beforeAll(async () => {
    expect((await operator("resume", configBeside(scene, url), ...why)).code).toBe(0);
    await resting(scene, 4);
    await take(scene.validatorUrl, { side: "sell", contracts: 1 });
    await until("the position", async () => (await positionsOf(scene)).length === 1);
    await daemon.end("SIGKILL");
  });

  it("quoin flatten closes what the account holds", async () => {
    await rest(scene.validatorUrl, { side: "buy", contracts: 5, usd: 216.5 });
    const { code, stdout } = await operator("flatten", configBeside(scene, NOBODY, wrong));
    expect([code, stdout]).toEqual([0, expect.stringContaining("flat; ")]);
    expect((await positionsOf(scene)).filter(({ size }) => Number(size) > 0)).toEqual([]);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("quoin halt writes the halt for the next start", async () => {
    const { code, stdout } = await operator("halt", configBeside(scene, NOBODY, wrong), ...why);
    expect([code, stdout]).toEqual([0, expect.stringContaining("written in the ledger for the next start")]);
  });
});

it.each([
  [
    "the exchange's address",
    (yaml: string) => yaml.replace("validatorUrl", "validatorUri"),
    "venue.validatorUri: unknown key",
  ],
  ["the account", (yaml: string) => yaml.replace("accountId: 12", "accountId: twelve"), "accounts[0].accountId"],
  ["the port", (yaml: string) => yaml.replace(/port: \d+/, "port: many"), "server.port"],
])("what is needed must be right: %s", async (_, edit, fault) => {
  const { code, stderr } = await operator("cancel-all", configBeside(scene, NOBODY, edit));
  expect([code, stderr]).toEqual([2, expect.stringContaining(fault)]);
});
