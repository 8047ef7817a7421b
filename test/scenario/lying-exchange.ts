// One exchange and one daemon with a market and an account for each lie: what the daemon is told of that account is wrong in this one way,
// by HTTP or by WebSocket, while takers trade with it and the exchange itself tells the truth to the test.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeKeyFile } from "../../src/bot/execution/agent-key.ts";
import { publicKeyOf } from "../../src/wire/signing.ts";
import { endAll, quoin } from "../support/quoin.ts";
import { startRewritingProxy } from "../support/rewriting-proxy.ts";
import { startStreamProxy } from "../support/stream-proxy.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { CHAIN_ID, marketYaml, OWNER, streamUrlOf } from "./daemon.ts";
import { statusOf } from "./operator.ts";

type Json = Record<string, unknown>;

/** Any of these may be wrong; the rest is as the exchange says. */
export type Lie = {
  readonly name: string;
  /** What `GET /v1/accounts/{id}` becomes. `first`: its first answer since the lie began. */
  readonly account?: (told: Json, first: Json) => unknown;
  /** The same of `/orders` and `/positions`, the second witness. */
  readonly orders?: (told: unknown) => unknown;
  readonly positions?: (told: unknown) => unknown;
  /** What the answer to a transaction becomes. */
  readonly answer?: (told: Json) => unknown;
  /** Frames of the account that are lost, by the start of their text. */
  readonly swallows?: RegExp;
  /** What the operator is told of it, in the log. */
  readonly told: RegExp;
};

export const LIMITS = { contracts: 2, orders: 4 };

/** What the exchange has of one account. */
type Truth = { readonly orders: number; readonly contracts: number; readonly worst: number };

export type Outcome = {
  readonly name: string;
  /** Largest so far, of the exchange's truth: orders at rest, contracts held, and held if all of one side were filled. */
  readonly most: Truth;
  /** Fills that takers made of it. */
  readonly taken: number;
  /** Lines of the daemon's log that name the account. */
  readonly log: string;
  /** At the end. */
  readonly latches: readonly string[];
  /** Whether it had all its quotes again within `healMs` after the lie. */
  readonly isQuoted: boolean;
};

const accountOf = (at: number): number => 21 + at;
const marketOf = (at: number): number => 1 + at;

/** How long the operator may go untold, past the time that a lie lasts at least: a loaded machine reads an account seldom. */
const TOLD_WITHIN_MS = 60_000;

/** Runs all lies at once, for `lieMs` after the accounts quote, and on until the operator is told of each. */
export async function runLies(
  lies: readonly Lie[],
  { lieMs, healMs }: { readonly lieMs: number; readonly healMs: number },
): Promise<readonly Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-lies-"));
  mkdirSync(join(folder, "var"));
  const closing: (() => Promise<void>)[] = [];
  try {
    const devnet = quoin([
      "devnet",
      "--config",
      devnetFile(folder, lies),
      "--port",
      "0",
      "--rest-port",
      "0",
      "--control-port",
      "0",
    ]);
    const line = await devnet.seen("the devnet's line", (text) => /^.*devnet\.ready.*$/m.exec(text)?.[0]);
    const { validatorUrl } = JSON.parse(line) as { readonly validatorUrl: string };
    const http = await startRewritingProxy(validatorUrl);
    const stream = await startStreamProxy(streamUrlOf({ validatorUrl }));
    closing.push(http.close, stream.close);
    const daemon = quoin(["run", "--config", botFile(folder, lies, http.url, stream.wsUrl)]);
    const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    const truths = () => Promise.all(lies.map((_, at) => truthOf(validatorUrl, accountOf(at))));
    await until("quotes", async () => (await truths()).every(({ orders }) => orders === LIMITS.orders));
    http.rewrite = rewriteOf(lies);
    stream.swallow((text) => lies.some((lie, at) => isSwallowed(lie, at, text)));
    const most = lies.map((): Truth => ({ orders: 0, contracts: 0, worst: 0 }));
    const taken = lies.map(() => 0);
    const logOf = (at: number) => {
      const named = new RegExp(`"(account|subject)":"${accountOf(at)}"`);
      const rows = daemon.stdout().split("\n");
      return rows.filter((row) => named.test(row)).join("\n");
    };
    const endMs = performance.now() + lieMs;
    let isLying = true;
    const watching = watch(truths, most, () => isLying);
    const trading = lies.map((_, at) => trade(validatorUrl, at, taken, () => isLying));
    while (performance.now() < endMs || lies.some(({ told }, at) => !told.test(logOf(at)))) {
      if (performance.now() > endMs + TOLD_WITHIN_MS) break;
      await pause(500);
    }
    isLying = false;
    await Promise.all(trading);
    await watching;
    http.rewrite = null;
    stream.swallow(() => false);
    const isQuoted = await quotedWithin(truths, healMs);
    const { accounts } = await statusOf(url);
    return lies.map(({ name }, at) => ({
      name,
      most: most[at] as Truth,
      taken: taken[at] ?? 0,
      log: logOf(at),
      latches: accounts[at]?.latches ?? [],
      isQuoted: isQuoted[at] === true,
    }));
  } finally {
    await endAll();
    for (const close of closing) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function watch(truths: () => Promise<readonly Truth[]>, most: Truth[], isLying: () => boolean): Promise<void> {
  while (isLying()) {
    for (const [at, { orders, contracts, worst }] of (await truths()).entries()) {
      const before = most[at] as Truth;
      most[at] = {
        orders: Math.max(before.orders, orders),
        contracts: Math.max(before.contracts, contracts),
        worst: Math.max(before.worst, worst),
      };
    }
    await pause(50);
  }
}

/** Which of them had all their quotes at some time within `ms`. A side may be full. */
async function quotedWithin(truths: () => Promise<readonly Truth[]>, ms: number): Promise<readonly boolean[]> {
  const untilMs = performance.now() + ms;
  let quoted = (await truths()).map(() => false);
  while (performance.now() < untilMs && quoted.includes(false)) {
    await pause(100);
    const now = await truths();
    quoted = quoted.map((before, at) => before || (now[at]?.orders ?? 0) >= LIMITS.orders / 2);
  }
  return quoted;
}

/** Takers press one side until it holds no more, then the other. */
async function trade(validatorUrl: string, at: number, taken: number[], isLying: () => boolean): Promise<void> {
  for (let sale = 0; isLying(); sale += 1) {
    const side = sale % 24 < 14 ? "sell" : "buy";
    const { events = [] } = await take(validatorUrl, { side, contracts: 0.4, marketId: marketOf(at) });
    taken[at] = (taken[at] ?? 0) + (events.length > 0 ? 1 : 0);
    await pause(500);
  }
}

async function truthOf(validatorUrl: string, account: number): Promise<Truth> {
  type Row = { readonly side: string; readonly size: number | string; readonly remainingSize: number | string };
  const answer = await fetch(`${validatorUrl}/v1/accounts/${account}`);
  const { openOrders, positions } = (await answer.json()) as Record<"openOrders" | "positions", readonly Row[]>;
  const signed = ({ side }: Row, contracts: number | string) => (side === "Long" ? 1 : -1) * (Number(contracts) / 1e6);
  const held = positions.reduce((sum, row) => sum + signed(row, row.size), 0);
  let [low, high] = [held, held];
  for (const row of openOrders) {
    const left = signed(row, row.remainingSize);
    if (left > 0) high += left;
    else low += left;
  }
  return { orders: openOrders.length, contracts: Math.abs(held), worst: Math.max(high, -low) };
}

function rewriteOf(lies: readonly Lie[]): (path: string, json: Json, body: string) => unknown {
  const firsts = new Map<number, Json>();
  return (path, json, body) => {
    const named = /^\/v1\/accounts\/(\d+)/.exec(path) ?? /"account_?id":(\d+)/i.exec(`${body}${JSON.stringify(json)}`);
    const id = Number(named?.[1]);
    const lie = lies[id - accountOf(0)];
    if (lie === undefined) return undefined;
    if (path.endsWith("/tx")) return lie.answer?.(json);
    if (path.endsWith("/orders")) return lie.orders?.(json);
    if (path.endsWith("/positions")) return lie.positions?.(json);
    if (!path.endsWith(`/${id}`)) return undefined;
    const first = firsts.get(id) ?? json;
    firsts.set(id, first);
    return lie.account?.(json, first);
  };
}

const isSwallowed = ({ swallows }: Lie, at: number, text: string): boolean =>
  swallows?.test(text) === true && new RegExp(`account_?id":"?${accountOf(at)}\\b`, "i").test(text);

const seedOf = (at: number): Uint8Array => new Uint8Array(32).fill(accountOf(at));

function devnetFile(folder: string, lies: readonly Lie[]): string {
  const markets = lies.map((_, at) =>
    marketYaml("{ source: fixed, price: 216.94, validForSecs: 86400 }")
      .replace("markets:\n", "")
      .replace("marketId: 1", `marketId: ${marketOf(at)}`)
      .replace("USA-HPI", `M${marketOf(at)}-HPI`),
  );
  const rows = lies.map(
    (_, at) =>
      `  - { accountId: ${accountOf(at)}, owner: "${OWNER}", collateral: 100000, agents: [{ pubkey: "${publicKeyOf(seedOf(at))}", name: bot, expiresAt: 4102444800 }] }\n`,
  );
  const file = join(folder, "devnet.yaml");
  writeFileSync(
    file,
    `chainId: ${CHAIN_ID}\nblockTimeMs: 50\nseed: 7\nmarkets:\n${markets.join("")}accounts:\n${rows.join("")}${counterpartyRow}\nflow: { enabled: false }\n`,
  );
  return file;
}

function botFile(folder: string, lies: readonly Lie[], validatorUrl: string, wsUrl: string): string {
  const accounts = lies.map((_, at) => {
    writeKeyFile(join(folder, `${at}.key`), seedOf(at));
    return `  - accountId: ${accountOf(at)}
    agentKeyFile: ${at}.key
    markets:
      - marketId: ${marketOf(at)}
        strategy: fixed-spread
        params: { halfSpreadBps: 10, size: 0.4, levels: 2, stepBps: 5 }
        limits: { maxEventLoopLagMs: 60000, maxPosition: ${LIMITS.contracts}, maxOrderSize: 1, maxOpenOrders: ${LIMITS.orders}, maxLoss: 500 }
`;
  });
  const file = join(folder, "bot.yaml");
  writeFileSync(
    file,
    `venue: { chainId: ${CHAIN_ID}, validatorUrl: "${validatorUrl}", wsUrl: "${wsUrl}" }
accounts:
${accounts.join("")}server: { host: 127.0.0.1, port: 0 }
ledger: { file: var/quoin.sqlite }
`,
  );
  return file;
}
