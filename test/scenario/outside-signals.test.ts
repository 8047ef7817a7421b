// A daemon with outside facts: a file, a push, another market and a composite. What it shows of them, how one is lost and changed, that nothing
// but its own exchange is connected to, and that the recording comes out again bit for bit.

import { mkdirSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../support/free-port.ts";
import { endAll, quoin, quoinDone, type Running } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";

const folder = scratchFolder("outside-signals");
const at = (name: string): string => join(folder, name);
const config = at("bot.yaml");
const TOKEN = "token-text-of-desk";
const DAY_MS = 86_400_000;

const market = (id: number) => `
  - { marketId: ${id}, name: M${id}, assetClass: RealEstate, status: Active, tickSize: 0.01, initialMarginRatioBps: 500, maintenanceMarginRatioBps: 250,
      priceBandBps: 1000, maxOpenInterest: 1000000, fundingIntervalSecs: 3600, oracle: { source: fixed, price: ${100 * id}, validForSecs: 86400 } }`;
const devnet = `
chainId: venue-v4:devnet:chain-2
blockTimeMs: 100
seed: 7
timestampToleranceSecs: 60
openOrderCap: 200
markets:${market(1)}${market(2)}
accounts: [{ accountId: 12, owner: "${"ab".repeat(32)}", collateral: 100000, native: 0, masterAccountId: null, agents: [] }]
apiKeys: []
flow: { enabled: false }
`;
const bot = (deskSecs: number) => `
venue: { chainId: "venue-v4:devnet:chain-2", embedded: devnet.yaml }
accounts:
  - accountId: 12
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.5, levels: 1, stepBps: 5 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }
        signals: [listings, desk, other, mix]
signals:
  - { name: listings, file: listings.csv, series: "5826765", publishedAfterDays: 1, maxAgeSecs: 172800 }
  - { name: desk, push: true, maxAgeSecs: ${deskSecs} }
  - { name: other, market: 2, maxAgeSecs: 90000 }
  - { name: mix, composite: { listings: 0.6, other: 0.4 } }
server: { host: 127.0.0.1, port: ${port} }
ledger: { file: var/quoin.sqlite }
recording: { folder: recordings }
`;
const listings = (last: number): string => {
  const dates = [3, 2, 1].map((days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10));
  const rows = dates.map((date, index) => `5826765,${date},${index === 2 ? last : 217}`);
  return `parcl_id,date,price_feed\n${rows.join("\n")}\n`;
};

/** Where the process connects to. */
const reached = new Set<string>();
let port: number;
let daemon: Running;
let url: string;

beforeAll(async () => {
  mkdirSync(at("var/tokens"), { recursive: true });
  writeFileSync(at("var/tokens/desk"), JSON.stringify({ token: TOKEN, scopes: ["signal:desk"] }), { mode: 0o600 });
  port = await freePort();
  writeFileSync(at("devnet.yaml"), devnet);
  writeFileSync(config, bot(600));
  writeFileSync(at("listings.csv"), listings(218));
  const { connect } = Socket.prototype;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...of: unknown[]) {
    const [first] = [of[0]].flat() as readonly { readonly host?: string; readonly path?: string }[];
    reached.add(`${first?.host ?? first?.path}`);
    return Reflect.apply(connect, this, of);
  } as never);
  daemon = quoin(["run", "--config", config]);
  url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
});
afterAll(endAll);

type Signal = { readonly name: string; readonly value: number | null; readonly ageMs: number | null };
async function signals(): Promise<Readonly<Record<string, number | null>>> {
  const status = (await (await fetch(`${url}/status.json`)).json()) as {
    readonly accounts: readonly { readonly markets: readonly { readonly signals: readonly Signal[] }[] }[];
  };
  const shown = status.accounts[0]?.markets[0]?.signals ?? [];
  return Object.fromEntries(shown.map(({ name, value }) => [name, value]));
}
const push = (body: unknown, { token = TOKEN, name = "desk" } = {}): Promise<Response> =>
  fetch(`${url}/signals/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
const now = (): string => new Date().toISOString();

test("a file, another market and a composite are facts by themselves, and a push once it is made", async () => {
  await until("the file and the market", async () => (await signals()).mix !== null);
  const before = await signals();
  expect(before).toMatchObject({ listings: 218, desk: null, other: 200 });
  expect(before.mix).toBeCloseTo(218 ** 0.6 * 200 ** 0.4, 6);
  const answer = await push({ value: "217.10", asOf: now() });
  expect([answer.status, await answer.json()]).toEqual([200, { done: "signal", name: "desk" }]);
  await until("the push", async () => (await signals()).desk === 217.1);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const name of ["listings", "desk", "other", "mix"])
    expect(metrics).toContain(`quoin_signal_weight{market="1",signal="${name}"} 0`);
});

test("forbidden: without the scope, to a signal that is not pushed, ahead of the chain, and more than ten a second", async () => {
  expect((await push({ value: 1, asOf: now() }, { token: "no-such-token" })).status).toBe(401);
  expect((await push({ value: 1, asOf: now() }, { name: "listings" })).status).toBe(403);
  const late = new Date(Date.now() + 60_000).toISOString();
  expect((await push({ value: 1, asOf: late })).status).toBe(400);
  const many = await Promise.all(Array.from({ length: 30 }, () => push({ value: "217.2", asOf: now() })));
  expect(many.map(({ status }) => status)).toContain(429);
  expect((await signals()).desk).not.toBe(1);
});

test("a changed file is heard without a signal, a shorter age makes a push absent and is said, and SIGHUP is not needed", async () => {
  writeFileSync(at("listings.csv"), listings(219));
  await until("the new value", async () => (await signals()).listings === 219);
  writeFileSync(config, bot(0.5));
  await until("the push to be absent", async () => (await signals()).desk === null);
  await daemon.seen("a line", (text) => text.includes(`"event":"signal.absent","signal":"desk"`));
  const { stdout } = await quoinDone(["status", "--config", config]);
  expect(stdout).toContain("signal desk: absent");
  expect(stdout).toContain("signal listings: 219");
});

test("a wrong file is refused, and the running one stays", async () => {
  writeFileSync(at("listings.csv"), "date,value\n2024-01-01,1\n2024-02-01,2\n2024-03-01,3\n");
  daemon.signal("SIGHUP");
  await daemon.seen("the refusal", (text) => text.includes(`"event":"config.refused"`));
  const { code, stderr, stdout } = await quoinDone(["check", "--config", config]);
  expect(code).toBe(2);
  expect(`${stdout}${stderr}`).toMatch(/bot\.yaml:\d+:\d+: signals\[0\]\.file: listings\.csv: /);
  expect((await signals()).listings).toBe(219);
});

test("the daemon connects to nothing but its own machine, and every decision comes out again", async () => {
  expect(await daemon.end()).toBe(0);
  expect([...reached].filter((host) => !["127.0.0.1", "localhost", "::1"].includes(host))).toEqual([]);
  expect(reached.size).toBeGreaterThan(0);
  const { code, stdout } = await quoinDone(["replay", at("recordings"), "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ kind: "replay", identical: true });
  expect(code).toBe(0);
});
