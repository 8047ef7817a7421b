// An exchange whose words would clear the screen, forge lines and turn the reading around: no command lets them through to a terminal.

import { afterEach, beforeEach, expect, it } from "vitest";
import { quoinDone } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { endScenes, reachThrough, startDaemon } from "./daemon.ts";
import { configBeside, resting } from "./operator.ts";
import { sceneForEach } from "./scene.ts";

const HOSTILE = "\u001b[2J\u009b1A\r\nOK    forged      all is well\u202e\u2066\u200b\u2028\u0007\u007f\ud800";
/** What no terminal may get: a carriage return would write over the line that it stands in. */
const RAW = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u;

const scene = sceneForEach();
let proxy: RewritingProxy;
beforeEach(async () => {
  proxy = await startRewritingProxy(scene.validatorUrl);
  reachThrough(scene, proxy);
});
afterEach(async () => {
  await endScenes();
  await proxy.close();
});

/** Every text of an answer, but for what the bot compares. */
const hostile = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) => {
      if (key === "name" || key === "build_sha" || key === "error") return HOSTILE;
      if (key === "agents") return (member as { name: string }[]).map((one) => ({ ...one, name: HOSTILE }));
      return member;
    }),
  );

it("of the market, the agent, the node and refusals, in words and as JSON", async () => {
  proxy.rewrite = (_, json) => hostile(json);
  const { process: daemon, url } = await startDaemon(scene);
  await resting(scene, 4);
  const config = configBeside(scene, url);
  const outputs = new Map<string, string>();
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr } = await quoinDone([...args, "--config", config]);
    outputs.set(args.join(" "), stdout + stderr);
    return stdout;
  };
  await run("top");
  await run("doctor");
  await run("doctor", "--json");
  await run("status");
  const { daemon: shown } = JSON.parse(await run("status", "--json"));
  expect(shown.accounts[0].markets[0].name).toBe(HOSTILE);
  const page = await (await fetch(`${url}/status.json`)).text();
  proxy.rewrite = (path, json) =>
    path === "/v1/node/info"
      ? { ...json, chain_id: HOSTILE }
      : path === "/v1/markets/1"
        ? { ...json, status: HOSTILE }
        : hostile(json);
  proxy.turnAway = () => HOSTILE;
  await run("status");
  await run("doctor");
  await run("cancel-all");
  await run("probe");
  proxy.turnAway = null;
  await until(
    "the status to be told",
    () => daemon.stdout().includes("not Active") || daemon.stdout().includes("status"),
  );
  await run("halt", "--reason", HOSTILE);
  await run("status");
  await run("ledger", "export", "--table", "audit", "--format", "json");
  await run("ledger", "verify");
  await daemon.end();
  outputs.set("run", daemon.stdout() + daemon.stderr());
  outputs.set("status.json", page);
  for (const [command, output] of outputs) {
    expect(RAW.exec(output)?.[0], `${command}: ${JSON.stringify(output.slice(0, 2000))}`).toBeUndefined();
    expect(output, command).not.toMatch(/^OK {4}forged/m);
  }
});
