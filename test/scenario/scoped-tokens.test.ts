// Tokens below the administrator's at a running daemon: each does what its file says, and a deleted one does nothing.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { jsonLines } from "../support/json-lines.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { openOrdersOf, postHeaders, startDaemon } from "./daemon.ts";
import { configBeside, operator } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let daemon: Awaited<ReturnType<typeof startDaemon>>;
let config: string;

const textOf = (name: string): string => `token-text-of-${name}`;
const put = (name: string, scopes: readonly string[], mode = 0o600): void =>
  writeFileSync(join(scene.folder, "var", "tokens", name), JSON.stringify({ token: textOf(name), scopes }), { mode });

beforeAll(async () => {
  mkdirSync(join(scene.folder, "var", "tokens"));
  put("reader", ["read"]);
  put("pilot", ["operate"]);
  put("desk", ["read", "change"]);
  put("agent", ["read", "propose"]);
  put("open", ["change"], 0o644);
  put("odd", ["everything"]);
  const yaml = readFileSync(scene.botConfig, "utf8");
  const closed = yaml.replace("host: 127.0.0.1", "requireTokenForReads: true, host: 127.0.0.1");
  expect(closed).not.toBe(yaml);
  writeFileSync(scene.botConfig, closed);
  daemon = await startDaemon(scene);
  config = configBeside(scene, daemon.url);
});

const headersOf = (name: string) => ({ "content-type": "application/json", authorization: `Bearer ${textOf(name)}` });
const get = async (path: string, name: string): Promise<number> =>
  (await fetch(`${daemon.url}${path}`, { headers: headersOf(name) })).status;
const post = (path: string, name: string, body: unknown): Promise<Response> =>
  fetch(`${daemon.url}${path}`, { method: "POST", headers: headersOf(name), body: JSON.stringify(body) });
const stateNow = async (): Promise<string | undefined> => {
  const answer = await fetch(`${daemon.url}/status.json`, { headers: postHeaders(daemon.url) });
  const { accounts } = (await answer.json()) as {
    readonly accounts: readonly { readonly markets: readonly { readonly state: string }[] }[];
  };
  return accounts[0]?.markets[0]?.state;
};

test("the start names each file with a fault, without its token, and it is worth nothing", async () => {
  for (const [name, why] of [
    ["open", "has mode 0644"],
    ["odd", "unknown scope"],
  ] as const) {
    const line = await daemon.process.seen(name, (text) => text.split("\n").find((row) => row.includes(why)));
    expect(line).toContain(`tokens/${name}`);
    expect(line).not.toContain(textOf(name));
    expect((await post("/halt", name, {})).status).toBe(401);
  }
});

test("each does what its scopes say; reads need a token too, and commands of this configuration send theirs", async () => {
  expect((await fetch(`${daemon.url}/status.json`)).status).toBe(401);
  expect((await fetch(`${daemon.url}/livez`)).status).toBe(200);
  expect([await get("/status.json", "reader"), await get("/status.json", "pilot")]).toEqual([200, 403]);
  const change = { reason: "a test", account: "12", market: 1, params: { halfSpreadBps: 40 } };
  for (const name of ["reader", "desk"]) expect((await post("/halt", name, {})).status).toBe(403);
  for (const name of ["reader", "pilot"]) expect((await post("/params", name, change)).status).toBe(403);
  for (const name of ["reader", "pilot", "desk"]) expect((await post("/flatten", name, {})).status).toBe(403);
  expect(await stateNow()).toBe("active");
  expect((await post("/params", "desk", change)).status).toBe(200);
  expect((await post("/halt", "pilot", { reason: "a drill" })).status).toBe(200);
  expect(await stateNow()).toBe("halted");
  expect((await operator("resume", config, "--reason", "on")).code).toBe(0);
  expect((await operator("status", config)).stdout).toContain("active");
});

test("a preview shows a change to a reader, and a file to the administrator alone", async () => {
  const change = { account: "12", market: 1, params: { halfSpreadBps: 50 } };
  const shown = await post("/preview", "reader", change);
  expect([shown.status, await shown.json()]).toMatchObject([200, { markets: [{ change: "params" }] }]);
  for (const body of [{ file: config }, { file: "/etc/passwd" }, { saved: true }]) {
    const refused = await post("/preview", "reader", body);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("only the administrator's")]);
  }
  expect((await operator("preview", config, "--json")).code).toBe(0);
});

test("10,000 malformed requests each end with an error, and the daemon quotes on", async () => {
  const bodies = [
    "",
    "[",
    "null",
    "[]",
    '{"reason":7}',
    '{"account":{}}',
    '{"__proto__":1}',
    "\u0000",
    "x".repeat(17_000),
  ];
  const places = [
    "/params",
    "/preview",
    "/promote",
    "/cancel",
    "/signals/",
    "/signals/%00",
    "/proposals",
    "/proposals/1-0123456789ab/approve",
    "/proposals/%00/refuse",
    "/..%2fhalt",
  ];
  // All tokens are valid: the daemon delays its answers to wrong ones.
  const names = ["reader", "pilot", "desk", "agent"];
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = new Map<number, number>();
  const send = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = headersOf(names[index % names.length] ?? "");
      const path = places[Math.floor(index / names.length) % places.length] ?? "";
      const asked = request(`${daemon.url}${path}`, { method: "POST", headers, agent }, (answer) => {
        const { statusCode = 0 } = answer;
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        answer.resume().on("end", resolve);
      });
      // A connection that the daemon closes on a body that is too large also ends the request with an error.
      asked.on("error", (error) => ("code" in error ? resolve() : reject(error)));
      asked.end(bodies[Math.floor(index / (names.length * places.length)) % bodies.length]);
    });
  await Promise.all(Array.from({ length: 10_000 }, (_, index) => send(index)));
  agent.destroy();
  expect([...statuses.keys()].toSorted()).toEqual([400, 403, 413, 429]);
  // Only one body in nine may be cut off without an answer.
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(8800);
  expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
  expect(await stateNow()).toBe("active");
  expect((await openOrdersOf(scene.validatorUrl)).length).toBe(4);
});

test("a foreign Host and a foreign Origin get 403 with any token, and change nothing", async () => {
  const { port } = new URL(daemon.url);
  const status = (path: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(
        `${daemon.url}${path}`,
        { method: "POST", headers: { ...postHeaders(daemon.url), ...headers } },
        (answer) => answer.resume().on("end", () => resolve(answer.statusCode)),
      );
      asked.on("error", reject).end("{}");
    });
  for (const path of ["/halt", "/proposals", "/proposals/1-0123456789ab/approve", "/params"]) {
    expect(await status(path, { host: `evil.example:${port}` }), path).toBe(403);
    expect(await status(path, { origin: "http://evil.example" }), path).toBe(403);
    expect(await status(path, { origin: "null" }), path).toBe(403);
  }
  expect(await stateNow()).toBe("active");
});

test("a deleted file is revoked, for an open stream too", async () => {
  const events = await fetch(`${daemon.url}/events`, { headers: headersOf("reader") });
  expect(events.status).toBe(200);
  const ended = events.text().then(
    () => true,
    () => true,
  );
  rmSync(join(scene.folder, "var", "tokens", "reader"));
  await until("the end of its rights", async () => (await get("/status.json", "reader")) === 401);
  expect(await ended).toBe(true);
  expect(await get("/status.json", "desk")).toBe(200);
});

test("the trail names who called, never with the token's text", async () => {
  const table = ["ledger", "export", "--config", config, "--table", "audit", "--format", "json"];
  const { code, stdout } = await quoinDone(table);
  expect(code).toBe(0);
  const rows = jsonLines(stdout) as readonly {
    readonly call: string;
    readonly caller: string;
    readonly status: string;
  }[];
  const called = rows.map(({ call, caller, status }) => `${caller}: ${call} ${status}`);
  expect(called).toContain("pilot at 127.0.0.1: POST /halt 200");
  expect(called).toContain("desk at 127.0.0.1: POST /params 200");
  expect(called).toContain("reader at 127.0.0.1: POST /halt 403");
  expect(called).toContain("127.0.0.1: POST /resume 200");
  expect(stdout + daemon.process.stdout()).not.toContain("token-text-of-");
});
