// The watchdog as a process beside the daemon: it cancels what a dead or frozen daemon leaves, lets a stopped one be, and a daemon that
// finds its orders canceled by another key halts.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { operate } from "../support/operate.ts";
import { quoin, quoinDone, quoinProcess, type Running, type RunningProcess } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { cancel, counterpartyKey, counterpartyRow, rest } from "./counterparty.ts";
import { endScenes, openOrdersOf, processOf, type Scene, startDaemonProcess, startScene } from "./daemon.ts";
import { configBeside, operator, post, resting, stateOf, statusOf } from "./operator.ts";

let scene: Scene;
let daemon: Running | RunningProcess;
let dog: Running;
let url: string;
/** What has come by webhook. */
let told: { readonly event: string; readonly reason: string }[] = [];
let target: Server;

const approve = (pubkey: string) =>
  operate(scene, "POST", "/accounts/12/agents", { pubkey, name: "another", expiresAt: 4_102_444_800 });

const editConfig = (edit: (yaml: string) => string) =>
  writeFileSync(scene.botConfig, edit(readFileSync(scene.botConfig, "utf8")));

async function begin(): Promise<void> {
  scene = await startScene({
    accounts: counterpartyRow,
  });
  const { stdout } = await quoinDone(["keygen", "--out", join(scene.folder, "watchdog.key")]);
  await approve(stdout.trim());
  await approve(counterpartyKey);
  const port = await freePort();
  told = [];
  target = createHttpServer(async (request, response) => {
    told.push(JSON.parse(await text(request)));
    response.end();
  });
  await new Promise<void>((done) => target.listen(0, "127.0.0.1", done));
  const { port: targetPort } = target.address() as AddressInfo;
  writeFileSync(join(scene.folder, "webhook.secret"), "a-secret-of-the-test\n", { mode: 0o600 });
  editConfig((yaml) =>
    yaml
      .replace("agentKeyFile: agent.key", "agentKeyFile: agent.key\n    watchdogKeyFile: watchdog.key")
      .replace("port: 0", `port: ${port}`)
      .concat("watchdog: { silenceMs: 3000, pollMs: 50 }\n")
      .concat(`webhook: { url: "http://127.0.0.1:${targetPort}", secretFile: webhook.secret }\n`),
  );
  ({ process: daemon, url } = await startDaemonProcess(scene));
  dog = quoin(["watchdog", "--config", scene.botConfig]);
  await says("watchdog.started");
  await resting(scene, 4);
}
const end = async () => {
  await endScenes();
  target.close();
};

const says = (event: string, times = 1) =>
  until(`the watchdog's ${event}`, () => dog.stdout().split(`"event":"${event}"`).length > times);
const latches = async () => (await statusOf(url)).accounts[0]?.latches;
const restart = async () => {
  ({ process: daemon, url } = await startDaemonProcess(scene));
};

describe("the watchdog", () => {
  beforeAll(begin);
  afterAll(end);

  it("cancels everything when the daemon dies, and goes on watching; the daemon's next run quotes again", async () => {
    await processOf(daemon).end("SIGKILL");
    expect(await openOrdersOf(scene.validatorUrl)).toHaveLength(4);
    await says("watchdog.canceled");
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    expect(dog.stdout()).toMatch(/no turn of the daemon for \d+ s: canceling everything/);
    expect(dog.stdout()).toContain("4 orders canceled; nothing rests");
    await until("the webhook", () => told.some(({ event }) => event === "watchdog.canceled"));
    expect(told).toContainEqual(expect.objectContaining({ event: "watchdog.silent", account: "12" }));
    await rest(scene.validatorUrl, { side: "buy", contracts: 0.1, usd: 200, account: 12n });
    await says("watchdog.canceled", 2);
    expect(await openOrdersOf(scene.validatorUrl), "what landed late").toEqual([]);
    await restart();
    await says("watchdog.back");
    await resting(scene, 4);
    expect(await latches()).toEqual([]);
  });

  it("a frozen daemon is canceled behind its back, resynchronizes when it wakes, and quotes again", async () => {
    processOf(daemon).child.kill("SIGSTOP");
    await says("watchdog.canceled", 3);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
    processOf(daemon).child.kill("SIGCONT");
    await resting(scene, 4);
    await daemon.seen("why it pulled", (text) => text.includes("account 12 resynchronizes: the process stalled"));
    expect(await latches()).toEqual([]);
    await says("watchdog.back", 2);
  });

  it("a clean stop stands it down: what somebody places afterwards is theirs", async () => {
    expect(await daemon.end()).toBe(0);
    await says("watchdog.standsDown");
    expect(dog.stdout().split('"event":"watchdog.silent"')).toHaveLength(3);
    await rest(scene.validatorUrl, { side: "buy", contracts: 0.1, usd: 200, account: 12n });
    expect(await dog.end()).toBe(0);
    expect(await openOrdersOf(scene.validatorUrl)).toHaveLength(1);
  });
});

describe("orders canceled by another key", () => {
  beforeAll(begin);
  afterAll(end);

  it("halt the daemon, whoever it was", async () => {
    const [order] = (await openOrdersOf(scene.validatorUrl)) as unknown as readonly { readonly orderId: number }[];
    await cancel(scene.validatorUrl, order?.orderId ?? 0);
    await until("the halt", async () => (await stateOf(url)) === "halted");
    expect(await latches()).toEqual([
      `foreignActivity: order ${order?.orderId} in market 1 was canceled by another key: a watchdog, a person or a second daemon`,
    ]);
    await resting(scene, 0);
  });

  it("our own do not: a halt, a resume, other quotes, and quoin cancel-all", async () => {
    expect((await post(url, "/resume", { reason: "it was the test" })).status).toBe(200);
    await resting(scene, 4);
    expect((await post(url, "/halt", { reason: "a pause" })).status).toBe(200);
    await resting(scene, 0);
    expect((await post(url, "/resume", { reason: "on" })).status).toBe(200);
    await resting(scene, 4);
    editConfig((yaml) => yaml.replace("levels: 2", "levels: 1"));
    await resting(scene, 2);
    const { code } = await operator("cancel-all", configBeside(scene, url));
    expect(code).toBe(0);
    await resting(scene, 0);
    expect(await latches()).toEqual(["operator: quoin cancel-all"]);
  });
});

// The stand-in for systemd-notify is a shell script, which Windows does not run, and there is no systemd there.
describe.skipIf(process.platform === "win32")("the watchdog is watched", () => {
  beforeAll(begin);
  afterAll(end);

  it("answers /livez and tells systemd that it looks; one that hangs does neither", async () => {
    const words = join(scene.folder, "words");
    const notify = join(scene.folder, "systemd-notify");
    writeFileSync(notify, `#!/bin/sh\necho "$1" >> ${words}\n`, { mode: 0o755 });
    const heard = () => (existsSync(words) ? readFileSync(words, "utf8").trim().split("\n") : []);
    const env = {
      ...process.env,
      PATH: `${scene.folder}${delimiter}${process.env.PATH}`,
      NOTIFY_SOCKET: join(scene.folder, "socket"),
      WATCHDOG_USEC: "900000",
    };
    const config = configBeside(scene, url, (yaml) => yaml.replace("pollMs: 50", "pollMs: 50, port: 0"));
    const watched = quoinProcess(["watchdog", "--config", config], { env });
    const livezUrl = await watched.seen("where it answers", (text) => /"livezUrl":"([^"]+)"/.exec(text)?.[1]);
    const livez = await fetch(`${livezUrl}/livez`);
    expect([livez.status, await livez.text()]).toEqual([200, "watching\n"]);
    expect((await fetch(`${livezUrl}/heartbeat`)).status, "and nothing else").toBe(404);
    expect((await fetch(`${livezUrl}/halt`, { method: "POST" })).status).toBe(401);
    await until("its looks are told", () => heard().includes("READY=1") && heard().includes("WATCHDOG=1"));
    watched.child.kill("SIGSTOP");
    await expect(fetch(`${livezUrl}/livez`, { signal: AbortSignal.timeout(500) })).rejects.toThrow();
    watched.child.kill("SIGCONT");
    expect(await watched.end("SIGTERM")).toBe(0);
    await until("the stop is told", () => heard().includes("STOPPING=1"));
  });
});

describe("a watchdog that could not bite is refused", () => {
  beforeAll(begin);
  afterAll(end);

  it("but not where a strategy of the operator's own is not on its machine", async () => {
    const config = configBeside(scene, url, (yaml) => yaml.replace("strategy: fixed-spread", "strategy: ./mine.ts"));
    const other = quoin(["watchdog", "--config", config]);
    await until("its start", async () => other.stdout().includes("watchdog.started"));
    expect(await other.end()).toBe(0);
  });

  const refused = async (edit: (yaml: string) => string) => {
    const { code, stderr } = await operator("watchdog", configBeside(scene, url, edit));
    return [code, stderr];
  };

  it("nor where another program listens at its port", async () => {
    const port = Number(new URL(url).port);
    expect(await refused((yaml) => yaml.replace("pollMs: 50", `pollMs: 50, port: ${port}`))).toEqual([
      1,
      `quoin: watchdog: 127.0.0.1:${port} is in use: change watchdog.port\n`,
    ]);
  });

  it("without a key of its own, or with the daemon's", async () => {
    expect(await refused((yaml) => yaml.replace(/\n\s*watchdogKeyFile.*/, ""))).toEqual([
      2,
      expect.stringContaining("account 12 names no watchdogKeyFile"),
    ]);
    expect(await refused((yaml) => yaml.replace("watchdog.key", "agent.key"))).toEqual([
      2,
      expect.stringContaining("used twice"),
    ]);
  });

  it("with a key that nobody approved", async () => {
    await quoinDone(["keygen", "--out", join(scene.folder, "stranger.key")]);
    const [code, text] = await refused((yaml) => yaml.replace("watchdog.key", "stranger.key"));
    expect([code, text]).toEqual([1, expect.stringContaining("is not approved on account 12")]);
  });

  it("without an address to listen to, or more patience than silence", async () => {
    expect(await refused((yaml) => yaml.replace(/port: \d+/, "port: 0"))).toEqual([
      2,
      expect.stringContaining("server.port 0 is any port: say watchdog.daemonUrl"),
    ]);
    expect(await refused((yaml) => yaml.replace("pollMs: 50", "pollMs: 2000"))).toEqual([
      2,
      expect.stringMatching(/watchdog\.pollMs: 2000 is more than half of silenceMs, 3000/),
    ]);
  });
});
