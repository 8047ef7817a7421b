// An account on paper beside a live one of the same strategy, on an exchange that knows only the live one: it quotes, is filled and is shown
// like any other, outlives a kill, and nothing of it ever reaches the exchange.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeKeyFile } from "../../src/bot/execution/agent-key.ts";
import { publicKeyOf } from "../../src/wire/signing.ts";
import { endAll, quoin, quoinDone, quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { CHAIN_ID, marketYaml, OWNER } from "./daemon.ts";
import { NOBODY, statusOf } from "./operator.ts";

const SEED = new Uint8Array(32).fill(12);
const LIVE = "12";
const PAPER = "99";

const folder = mkdtempSync(join(tmpdir(), "quoin-paper-"));
const config = join(folder, "bot.yaml");
let proxy: RewritingProxy;
let exchange = "";
/** What went to the exchange: paths, and the accounts of transactions. */
const asked: string[] = [];
let daemon: RunningProcess;
let url = "";

const account = (id: string, own: string): string => `  - accountId: ${id}
    ${own}
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.4 }
        limits: { maxEventLoopLagMs: 60000, maxPosition: 5, maxOrderSize: 1, maxOpenOrders: 4, maxLoss: 500 }
`;

const botYaml = (accounts: string): string =>
  `venue: { chainId: ${CHAIN_ID}, validatorUrl: "${proxy.url}", wsUrl: "${exchange.replace("http", "ws")}/v1/ws", readLagMaxMs: 250 }
accounts:
${accounts}server: { host: 127.0.0.1, port: 0 }
ledger: { file: quoin.sqlite }
queueModel: { fitted: { exponent: 1, ci95: [0, 2], fills: 37 } }
`;

async function start(): Promise<void> {
  daemon = quoinProcess(["run", "--config", config]);
  url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
}

const shown = async (id: string) => (await statusOf(url)).accounts.find(({ accountId }) => accountId === id);
const positionOf = async (id: string): Promise<number> => (await shown(id))?.markets[0]?.position ?? 0;

beforeAll(async () => {
  writeKeyFile(join(folder, "agent.key"), SEED);
  writeFileSync(
    join(folder, "devnet.yaml"),
    `chainId: ${CHAIN_ID}\nblockTimeMs: 50\nseed: 7\n${marketYaml("{ source: fixed, price: 216.94, validForSecs: 86400 }")}accounts:
  - { accountId: 12, owner: "${OWNER}", collateral: 100000, agents: [{ pubkey: "${publicKeyOf(SEED)}", name: bot, expiresAt: 4102444800 }] }
${counterpartyRow}\nflow: { enabled: false }\n`,
  );
  const ports = ["--port", "0", "--rest-port", "0", "--control-port", "0"];
  const devnet = quoin(["devnet", "--config", join(folder, "devnet.yaml"), ...ports]);
  const line = await devnet.seen("the devnet's line", (text) => /^.*devnet\.ready.*$/m.exec(text)?.[0]);
  exchange = (JSON.parse(line) as { readonly validatorUrl: string }).validatorUrl;
  proxy = await startRewritingProxy(exchange);
  proxy.rewrite = (path, _, body) => {
    asked.push(`${path} ${body}`);
    return undefined;
  };
  writeFileSync(config, botYaml(account(LIVE, "agentKeyFile: agent.key") + account(PAPER, "paper: true")));
  await rest(exchange, { side: "buy", contracts: 50, usd: 216.5 });
  await rest(exchange, { side: "sell", contracts: 50, usd: 217.5 });
  await start();
});

afterAll(async () => {
  await endAll();
  await proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

test("it quotes beside the live one, is filled by what goes through its price, and the book is no other for it", async () => {
  const isQuoted = async (id: string) => {
    const market = (await shown(id))?.markets[0];
    return market?.bids[0] !== undefined && market.asks[0] !== undefined;
  };
  await until("both quote", async () => (await isQuoted(LIVE)) && (await isQuoted(PAPER)));
  // A whole sweep of what others show: all of it went through our price.
  await until("both are filled", async () => {
    await take(exchange, { side: "sell", contracts: 0.9 });
    return (await positionOf(PAPER)) > 0 && (await positionOf(LIVE)) > 0;
  });
  await daemon.seen("its fill", (text) => text.includes("on PAPER as maker"));
});

test("nothing of it reaches the exchange", () => {
  expect(asked.some((call) => call.startsWith("/v1/tx") && call.includes('"account_id":12'))).toBe(true);
  expect(asked.filter((call) => call.includes(`/accounts/${PAPER}`) || call.includes(`"account_id":${PAPER}`))).toEqual(
    [],
  );
  const signers = asked
    .filter((call) => call.startsWith("/v1/tx"))
    .map((call) => /"signer":\[[^\]]*\]/.exec(call)?.[0]);
  expect(new Set(signers).size, "one key has signed all of it").toBe(1);
});

test("status, metrics, log and ledger say that it is on paper, and of the live one they do not", async () => {
  expect((await shown(PAPER))?.isPaper).toBe(true);
  expect((await shown(LIVE))?.isPaper).toBe(false);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('quoin_paper{account="99"} 1');
  expect(metrics).not.toContain('quoin_paper{account="12"}');
  expect(daemon.stdout()).toContain("on PAPER: nothing of it is sent");
  expect(daemon.stdout()).toContain("on paper the queue model is riskAverse: 37 fills, fitted needs 200");
});

test("it goes on after a kill where it was", async () => {
  const held = await positionOf(PAPER);
  // Nobody trades: what is written last is all there is.
  const file = join(folder, `quoin.sqlite.paper-${PAPER}`);
  await until("it is kept", () => existsSync(file) && Date.now() - statSync(file).mtimeMs > 500);
  await daemon.end("SIGKILL");
  await start();
  await until("it is live", async () => ((await shown(PAPER))?.equityUsdc ?? null) !== null);
  expect(await positionOf(PAPER)).toBe(held);
  expect((await shown(PAPER))?.equityUsdc).not.toBe(100_000);
  expect(daemon.stdout()).not.toContain("chain.began");
});

test.each<[string, (yaml: string) => string, string]>([
  [
    "live, where every account is on paper",
    () => botYaml(account(PAPER, "paper: true")).replace("venue: {", "venue: { live: true,"),
    "venue.live: is not allowed where every account is on paper",
  ],
  ["a collateral that is none", (yaml) => yaml.replace("paper: true", "paper: { collateral: lots }"), "collateral"],
  ["a queue model that is none", (yaml) => yaml.replace("paper: true", "paper: { queueModel: kind }"), "queueModel"],
])("%s is refused in a line that says where", async (_, edit, said) => {
  const file = join(folder, "wrong.yaml");
  writeFileSync(file, edit(readFileSync(config, "utf8")));
  const { code, stderr } = await quoinDone(["check", "--config", file]);
  expect(code).toBe(2);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain(said);
});

test("check warns of a fit to too few fills, and names the model that is used instead", async () => {
  const file = join(folder, "unfitted.yaml");
  const check = async (fills: number) => {
    writeFileSync(file, readFileSync(config, "utf8").replace("fills: 37", `fills: ${fills}`));
    return await quoinDone(["check", "--config", file]);
  };
  expect(await check(37)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/: queueModel: warning: counts as riskAverse: 37 fills, fitted needs 200\n$/),
  });
  expect(await check(200)).toMatchObject({ code: 0, stderr: "" });
});

test("a real chain needs no live: true where every account is on paper", async () => {
  const file = join(folder, "real.yaml");
  writeFileSync(
    file,
    botYaml(account(PAPER, "paper: true")).replace(CHAIN_ID, "venue-v4:mainnet:chain-1").replace(proxy.url, NOBODY),
  );
  expect(await quoinDone(["check", "--config", file])).toMatchObject({ code: 0 });
});
