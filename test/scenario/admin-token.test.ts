// Who may steer a running daemon, with real processes: whoever can read the token's file, through the commands of the same configuration.

import { appendFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quoin, quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { metricsOf, startDaemon } from "./daemon.ts";
import { configBeside, operator, post, stateOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({ oracle: "{ source: fixed, price: 200 }" });
let daemon: Awaited<ReturnType<typeof startDaemon>>;
let config: string;
type Told = { readonly event: string; readonly account: string; readonly reason: string };
let target: Server;
const told: Told[] = [];

beforeAll(async () => {
  target = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => told.push(JSON.parse(`${chunk}`) as Told));
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  writeFileSync(join(scene.folder, "webhook.secret"), "a-secret-of-the-test\n", { mode: 0o600 });
  const webhook = `{ url: "http://127.0.0.1:${(target.address() as AddressInfo).port}/", secretFile: webhook.secret }`;
  appendFileSync(scene.botConfig, `webhook: ${webhook}\n`);
  daemon = await startDaemon(scene);
  config = configBeside(scene, daemon.url);
});
afterAll(async () => {
  target.close();
});

const halt = (headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${daemon.url}/halt`, { method: "POST", headers, body: '{"reason":"a test"}' });

describe("a daemon on loopback", () => {
  it("makes the token at its first start, for its own user alone; quoin token prints it", async () => {
    const file = join(scene.folder, "var", "admin.token");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { code, stdout } = await operator("token", config);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[\w-]{43}\n$/)]);
    expect((await post(daemon.url, "/resume", { reason: "with it" })).status).toBe(200);
  });

  it("without it, or with a wrong one, changes nothing", async () => {
    const type = { "content-type": "application/json" };
    expect((await halt(type)).status).toBe(401);
    expect((await halt({ ...type, authorization: "Bearer wrong-token" })).status).toBe(401);
    expect((await halt({ ...type, origin: "http://evil.example" })).status).toBe(403);
    expect(await stateOf(daemon.url)).toBe("active");
  });

  it("each POST is a row of the ledger's audit, with the reason or without the right token", async () => {
    const { code, stdout } = await quoinDone([
      "ledger",
      "export",
      "--config",
      config,
      "--table",
      "audit",
      "--format",
      "json",
    ]);
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect([code, rows.map(({ call, authorized, reason, status }) => [call, authorized, reason, status])]).toEqual([
      0,
      [
        ["POST /resume", "1", "with it", "200"],
        ["POST /halt", "0", null, "401"],
        ["POST /halt", "0", null, "401"],
        ["POST /halt", "0", null, "403"],
      ],
    ]);
  });

  it("a halt leaves by webhook within five seconds", async () => {
    expect((await post(daemon.url, "/halt", { reason: "a drill" })).status).toBe(200);
    const startedMs = performance.now();
    const event = await until("the webhook", () => told.find(({ event: name }) => name === "latch.tripped"));
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect(event).toMatchObject({ account: "12", market: null, reason: expect.stringContaining("a drill") });
    expect((await metricsOf(daemon.url)).get('quoin_webhook_events_total{result="sent"}')).toBeGreaterThan(0);
    expect((await post(daemon.url, "/resume", { reason: "on" })).status).toBe(200);
  });

  it("a command that finds another token says so and leaves the daemon alone", async () => {
    writeFileSync(join(scene.folder, "other.token"), "another-token\n", { mode: 0o600 });
    const other = configBeside(scene, daemon.url, (yaml) =>
      yaml.replace("host: 127", "tokenFile: other.token, host: 127"),
    );
    const { code, stderr } = await operator("halt", other, "--reason", "a test");
    expect([code, stderr]).toEqual([1, expect.stringContaining("the token is wrong")]);
    expect(await stateOf(daemon.url)).toBe("active");
    rmSync(join(scene.folder, "other.token"));
  });
});

it("a watchdog that is answered with 404 for the heartbeat refuses to start", async () => {
  const file = configBeside(scene, daemon.url, (yaml) =>
    yaml
      .replace("agentKeyFile: agent.key", "agentKeyFile: agent.key\n    watchdogKeyFile: watchdog.key")
      .concat(`watchdog: { daemonUrl: "${scene.validatorUrl}" }\n`),
  );
  const { code, stderr } = await operator("watchdog", file);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/\/heartbeat is answered with 404.*watchdog\.daemonUrl/)]);
});

it("beyond loopback the token's file must be said", async () => {
  const open = configBeside(scene, daemon.url, (yaml) => yaml.replace("host: 127.0.0.1", "host: 0.0.0.0"));
  const { code, stderr } = await quoinDone(["run", "--config", open]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("server.tokenFile: missing; 0.0.0.0 is reached from")]);
});

it("without a ledger's file the token lies in a private folder that the ready line names, and commands find it", async () => {
  const file = join(scene.folder, "demo.yaml");
  const devnet = join(import.meta.dirname, "..", "..", "config", "devnet.yaml");
  writeFileSync(
    file,
    `venue: { chainId: venue-v4:devnet:chain-2, embedded: ${devnet} }
accounts:
  - accountId: 12
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
server: { port: 0 }
`,
  );
  const running = quoin(["run", "--config", file]);
  const tokenFile = await running.seen("the token's file", (text) => /"tokenFile":"([^"]+)"/.exec(text)?.[1]);
  expect(statSync(join(tokenFile, "..")).mode & 0o777).toBe(0o700);
  const { code, stdout } = await quoinDone(["token", "--config", file, "--json"]);
  expect([code, (JSON.parse(stdout) as { file: string }).file]).toEqual([0, tokenFile]);
  await running.end();
  rmSync(tokenFile);
});
