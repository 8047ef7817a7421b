// `quoin doctor` and `quoin check` as an operator runs them before going live: against a devnet of its own process, with what is
// wrong made wrong.

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { READ_MS_MAX } from "../../src/cli/doctor.ts";
import { jsonLines } from "../support/json-lines.ts";
import { processDone, quoinDone } from "../support/quoin.ts";
import { startRewritingProxy } from "../support/rewriting-proxy.ts";
import { openOrdersOf, startDaemon } from "./daemon.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let yaml: string;

beforeAll(async () => {
  yaml = readFileSync(scene.botConfig, "utf8");
});

type Finding = { readonly check: string; readonly ok: boolean; readonly severity: string; readonly detail: string };

const doctor = (text: string, ...more: readonly string[]) => doctorIn(process.env, text, ...more);

async function doctorIn(env: NodeJS.ProcessEnv, text: string, ...more: readonly string[]) {
  const file = join(scene.folder, "doctor.yaml");
  writeFileSync(file, text);
  const startMs = performance.now();
  const words = ["doctor", "--config", file, "--json", ...more];
  const { code, stdout } = await (env === process.env ? quoinDone(words) : processDone(words, { env }));
  const tookMs = performance.now() - startMs;
  const findings = jsonLines<Finding>(stdout);
  return { code, findings, tookMs, of: (check: string) => findings.find((finding) => finding.check === check) };
}

const names =
  "config keyFile reachable chainId clock agentKey otherAccounts account markets oracle budget collateral ledger secondDaemon watchdog".split(
    " ",
  );

describe("doctor", () => {
  it("passes a right configuration, and warns of what is missing", async () => {
    const { code, findings, of } = await doctor(yaml);
    expect(findings.filter(({ ok, severity }) => !ok && severity === "fail")).toEqual([]);
    expect(code).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(names);
    expect(of("ledger")).toMatchObject({ ok: false, severity: "warn" });
    expect(of("watchdog")).toMatchObject({ ok: false, severity: "warn" });
  });

  it("on an embedded exchange says that it started a fresh one, and suggests no size from it", async () => {
    const devnet = new URL("../../config/devnet.yaml", import.meta.url).pathname;
    const demo = readFileSync(new URL("../../config/demo.yaml", import.meta.url), "utf8");
    const { code, of } = await doctor(
      demo.replace("embedded: devnet.yaml", `embedded: ${devnet}`).replace("port: 9464", "port: 0"),
    );
    expect(code).toBe(0);
    expect(of("reachable")?.detail).toMatch(/^a fresh embedded exchange, started for this check; height 0, /);
    expect(of("markets")?.detail).toMatch(
      /^1 USA-HPI \(maxLoss is a move of \d+ bps against maxPosition\), 2 METRO-HPI/,
    );
    expect((await doctor(yaml)).of("markets")?.detail).toContain("suggested size");
  });

  it("--live-test places one order far away, sees it rest, and leaves nothing", async () => {
    const { code, of } = await doctor(yaml, "--live-test");
    expect(of("liveOrder")).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/placed, seen resting, canceled/),
    });
    expect(code).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });

  it("--live-test warns of a list that is later than half of venue.readLagMaxMs", async () => {
    const proxy = await startRewritingProxy(scene.validatorUrl);
    const seen: { readonly atMs: number; readonly json: unknown }[] = [{ atMs: 0, json: [] }];
    proxy.rewrite = (path, json) => {
      if (path !== "/v1/accounts/12/orders") return undefined;
      seen.push({ atMs: performance.now(), json });
      return seen.findLast(({ atMs }) => performance.now() - atMs > 1600)?.json;
    };
    const late = yaml.replace(scene.validatorUrl, proxy.url).replace("readLagMaxMs: 250", "readLagMaxMs: 3000");
    const { code, of } = await doctor(late, "--live-test");
    expect(of("liveOrder")).toMatchObject({
      ok: false,
      severity: "warn",
      detail: expect.stringMatching(
        /up to (1[6-9]|2\d)\d\d ms late; venue\.readLagMaxMs is 3000; set it to \d{4} or more$/,
      ),
    });
    expect(code).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    await proxy.close();
  });

  it.each([
    ["config", (text: string) => text.replace("size: 0.2", "sise: 0.2"), /params\.sise/],
    ["config", (text: string) => text.replace("size: 0.2", "size: 3"), /3 is above maxOrderSize, 2/],
    ["chainId", (text: string) => text.replace("chain-2", "chain-3"), /the exchange is venue-v4:devnet:chain-2/],
    ["keyFile", (text: string) => text.replace("agent.key", "absent.key"), /absent\.key does not exist/],
    ["account", (text: string) => text.replace("accountId: 12", "accountId: 77"), /account 77 does not exist/],
    ["markets", (text: string) => text.replace("marketId: 1", "marketId: 9"), /market 9 does not exist/],
  ])("finds a wrong %s, tells every other check, exit 1", async (check, edit, detail) => {
    const { code, findings, of } = await doctor(edit(yaml));
    expect(of(check)).toMatchObject({ ok: false, severity: "fail", detail: expect.stringMatching(detail) });
    expect(findings.map((finding) => finding.check)).toEqual(names);
    expect(code).toBe(1);
  });

  it("reports every check after one timeout when the exchange hangs", async () => {
    const silent = createServer(() => {});
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const at = (url: string) => doctor(yaml.replace(scene.validatorUrl, url));
    const { code, of, tookMs } = await at(`http://127.0.0.1:${port}`);
    silent.close();
    // What a process takes on this machine, as busy as it is: nothing listens there.
    const refused = await at("http://127.0.0.1:1");
    expect(refused.of("reachable")).toMatchObject({ ok: false });
    expect(tookMs - refused.tookMs).toBeLessThan(2 * READ_MS_MAX);
    expect(code).toBe(1);
    expect(of("reachable")).toMatchObject({ ok: false });
    expect(of("clock")).toMatchObject({ ok: false, detail: expect.stringMatching(/^not checked: /) });
  });

  it("sends one POST that changes nothing, and tells when the exchange does not execute it", async () => {
    const bodies: string[] = [];
    const proxy = await startRewritingProxy(scene.validatorUrl);
    proxy.turnAway = (body) => {
      bodies.push(body);
      return undefined;
    };
    const at = () => doctor(yaml.replace(scene.validatorUrl, proxy.url));
    expect((await at()).of("reachable")).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/took a signed POST, a cancel of an order that is not there$/),
    });
    expect(bodies).toEqual([expect.stringMatching(/"CancelOrder":\{"order_id":9007199254740991\}/)]);
    proxy.turnAway = () => "closed for maintenance";
    const { code, of } = await at();
    expect([code, of("reachable")]).toEqual([
      1,
      expect.objectContaining({ ok: false, detail: expect.stringMatching(/POST was not executed.*maintenance/) }),
    ]);
    await proxy.close();
  });

  it("warns of variables that name a proxy, and goes past it", async () => {
    const { code, of } = await doctorIn(
      { ...process.env, HTTP_PROXY: "http://127.0.0.1:1", all_proxy: "socks5://127.0.0.1:1", NODE_USE_ENV_PROXY: "1" },
      yaml,
    );
    expect(of("reachable")).toMatchObject({ ok: false, severity: "warn" });
    expect(of("reachable")?.detail).toMatch(
      /(HTTP_PROXY|all_proxy|NODE_USE_ENV_PROXY).* are set, and Quoin connects .* directly/,
    );
    expect(code).toBe(0);
  });

  it("names ledger.file where the ledger cannot be written, as run does; nothing is left in a folder that can", async () => {
    const blocked = yaml.replace("var/quoin.sqlite", "agent.key/quoin.sqlite");
    const { code, of } = await doctor(blocked);
    const why = /ledger\.file: .*agent\.key\/quoin\.sqlite cannot be written: a part of its path is no folder/;
    expect([code, of("ledger")]).toEqual([
      1,
      expect.objectContaining({ ok: false, detail: expect.stringMatching(why) }),
    ]);
    expect(of("keyFile")).toMatchObject({ ok: true });
    const file = join(scene.folder, "blocked.yaml");
    writeFileSync(file, blocked);
    expect(await quoinDone(["run", "--config", file])).toMatchObject({ code: 2, stderr: expect.stringMatching(why) });
    const before = readdirSync(scene.folder);
    await doctor(yaml.replace("var/quoin.sqlite", "not-yet/there/quoin.sqlite"));
    expect(readdirSync(scene.folder)).toEqual(before);
  });

  it("names server.port where another program listens", async () => {
    const { port } = new URL(scene.validatorUrl);
    const { code, of } = await doctor(yaml.replace(/port: 0/, `port: ${port}`));
    expect([code, of("secondDaemon")]).toEqual([
      1,
      expect.objectContaining({
        ok: false,
        detail: expect.stringContaining(`server: 127.0.0.1:${port} is in use: change server.port;`),
      }),
    ]);
  });

  it("beside a daemon: names it, says that the port is its own, and refuses the live test", async () => {
    const { process: daemon, url } = await startDaemon(scene);
    const { code, of } = await doctor(yaml, "--live-test");
    expect(code).toBe(1);
    const proxied = { ...process.env, HTTP_PROXY: "http://127.0.0.1:1", NODE_USE_ENV_PROXY: "1" };
    const own = await doctorIn(proxied, yaml.replace(/port: 0/, `port: ${new URL(url).port}`));
    expect(own.of("secondDaemon")?.detail).toMatch(/another process holds.*the daemon at .*; stop it/);
    expect(own.of("secondDaemon")?.detail).toMatch(/is in use by this configuration's own daemon$/);
    expect(of("secondDaemon")).toMatchObject({ ok: false, detail: expect.stringMatching(/another process holds/) });
    expect(of("liveOrder")).toMatchObject({ ok: false, detail: expect.stringMatching(/nothing was sent/) });
    expect(await daemon.end()).toBe(0);
    expect((await doctor(yaml)).of("ledger")).toMatchObject({ ok: true });
  });
});

describe("what does not exist at the exchange", () => {
  const write = (edit: (text: string) => string): string => {
    const file = join(scene.folder, "absent.yaml");
    writeFileSync(file, edit(yaml));
    return file;
  };

  it("check --online names account and market with line and column", async () => {
    const file = write((text) => text.replace("accountId: 12", "accountId: 77").replace("marketId: 1", "marketId: 9"));
    expect(await quoinDone(["check", "--config", file])).toMatchObject({ code: 0 });
    const { code, stderr } = await quoinDone(["check", "--config", file, "--online"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/:4:\d+: accounts\[0\]\.accountId: the exchange has no account 77/);
    expect(stderr).toMatch(/:7:\d+: accounts\[0\]\.markets\[0\]\.marketId: the exchange has no market 9/);
  });

  it("run refuses a market that does not exist", async () => {
    const { code, stderr } = await quoinDone([
      "run",
      "--config",
      write((text) => text.replace("marketId: 1", "marketId: 9")),
    ]);
    expect([code, stderr]).toEqual([
      2,
      "quoin: the exchange has no market 9; correct marketId, or the market of a signal; nothing was sent\n",
    ]);
  });
});

describe("check refuses quotes that a limit of their own market denies", () => {
  it.each([
    ["size: 0.2", "size: 3", /params\.size: 3 is above maxOrderSize, 2; no order would be sent/],
    ["levels: 2", "levels: 11", /params\.levels: 11 a side are more than maxOpenOrders, 20/],
    ["stepBps: 2", "stepBps: 2, maxInventory: 21", /params\.maxInventory: 21 is above maxPosition, 20/],
  ])("%s -> %s", async (from, to, message) => {
    const file = join(scene.folder, "limits.yaml");
    writeFileSync(file, yaml.replace(from, to));
    const { code, stderr } = await quoinDone(["check", "--config", file]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
