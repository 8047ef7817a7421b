// From a book frame on the socket to a signed order on the socket, in the real bot with a real devnet in another process; and the floor of
// the same run: the least that any bot must do (parse the frame, sign once, write). Both alternate in one process, a few milliseconds
// apart, so that machine load and cold caches affect both; the floor of a tight loop is measured too. The warm-up until functions are
// compiled is not counted.

import { generateKeyPairSync, sign } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agentKeyOf } from "../src/bot/execution/agent-key.ts";
import { openSqlite } from "../src/bot/ledger/sqlite/sqlite.ts";
import type { LedgerEngine } from "../src/bot/ledger/store.ts";
import { startBot } from "../src/bot/service/lifecycle/bot.ts";
import { Access } from "../src/bot/telemetry/access.ts";
import { serveHttp } from "../src/bot/telemetry/http.ts";
import { createLog } from "../src/bot/telemetry/log.ts";
import { createMetrics } from "../src/bot/telemetry/metrics.ts";
import type { Venue } from "../src/bot/venue/port.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../src/bot/venue/remote/remote.ts";
import { loadConfiguration } from "../src/configuration.ts";
import { accountId, nonce, type OrderId, price } from "../src/domain/units.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { systemEntropy } from "../src/kernel/entropy.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { sealEnvelope } from "../src/wire/envelope.ts";
import { createSigner } from "../src/wire/signing.ts";
import { encodeTransaction, type Transaction } from "../src/wire/transaction.ts";
import { plainOrder } from "../test/support/plain-exchange.ts";
import { quoinProcess } from "../test/support/quoin.ts";
import { until } from "../test/support/until.ts";
import type { Bench } from "./measure.ts";

export const CHAIN_ID = "venue-v4:devnet:chain-2";
const OWNER = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
export type Plan = {
  /** Market moves whose frames are not counted: functions are compiled after some thousand calls, and a daemon runs for days. */
  readonly warmUpMoves: number;
  /** Book frames answered by an order. */
  readonly frames: number;
};
const PLAN: Plan = { warmUpMoves: 5000, frames: 500 };
const QUICK_PLAN: Plan = { warmUpMoves: 100, frames: 5 };
/** Between two market moves; faster moves, as in the warm-up, reach the bot's own rate limit. */
const PACE_MS = 10;
const WARM_UP_PACE_MS = 1;

const GOAL_TIMES_FLOOR = 2;

export const eventToSend: Bench = {
  name: "event-to-send",
  async run({ quick }) {
    const { bot, floor, message } = await measureBot(quick ? QUICK_PLAN : PLAN);
    const alone = await measureFloorAlone(message, bot.length);
    const p50 = quantile(bot, 0.5);
    const floorP50 = quantile(floor, 0.5);
    return {
      name: "event-to-send",
      value: p50,
      unit: "us",
      reference: "floor of the same run",
      referenceValue: floorP50,
      ratio: p50 / floorP50,
      goals: [
        { figure: "timesFloor", value: p50 / floorP50, unit: "x the floor", goal: GOAL_TIMES_FLOOR, wanted: "atMost" },
      ],
      beside: {
        p99: quantile(bot, 0.99),
        floorP99: quantile(floor, 0.99),
        floorAloneP50: quantile(alone, 0.5),
        frames: bot.length,
      },
    };
  },
};

/** The floor's input and output: a frame as the bot gets it, and a body as the bot sends it. */
type Message = { readonly frame: string; readonly body: string };
type Samples = { readonly bot: readonly number[]; readonly floor: readonly number[]; readonly message: Message };

/** `behind`: wraps the bot's SQLite. */
export async function measureBot(
  { warmUpMoves, frames }: Plan,
  behind: (engine: LedgerEngine) => LedgerEngine = (engine) => engine,
): Promise<Samples> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-bench-"));
  const [mover, agent] = [createSigner(systemEntropy.bytes(32)), createSigner(systemEntropy.bytes(32))];
  writeFileSync(join(folder, "devnet.yaml"), devnetYaml(mover.publicKey, agent.publicKey));
  const devnet = quoinProcess([
    "devnet",
    "--config",
    join(folder, "devnet.yaml"),
    "--port",
    "0",
    "--rest-port",
    "0",
    "--control-port",
    "0",
  ]);
  const line = await devnet.seen("the devnet", (text) => text.split("\n").find((row) => row.includes("devnet.ready")));
  const { validatorUrl } = JSON.parse(line) as { validatorUrl: string };
  writeFileSync(join(folder, "bot.yaml"), botYaml(validatorUrl));
  const remote = () =>
    createRemoteVenue(
      { ...defaultRemoteOptions, validatorUrl },
      { clock: systemClock, prng: createPrng(1n), report: () => {} },
    );
  const watch = createWatch(); // Before any socket is made.
  const venue = remote();
  const timed: Venue = {
    ...venue,
    submit: (body, lane) => watch.submitted(body, () => venue.submit(body, lane)),
    stream: (channels, onEvent) =>
      venue.stream(channels, (event) => {
        watch.frameMs = event.kind === "book" ? event.receivedMs : null;
        onEvent(event);
        watch.frameMs = null;
      }),
  };
  const log = createLog("error", { write: () => {}, terminal: false, wallMs: systemClock.wallMs });
  const bot = await startBot(
    (await loadConfiguration(join(folder, "bot.yaml"), systemFiles)).bot,
    {
      venue: timed,
      keys: new Map([[accountId(12n), agentKeyOf(agent)]]),
      ledger: behind(openSqlite({ file: join(folder, "ledger.sqlite") })),
      reloadKey: async (_, running) => running,
      prng: createPrng(1n),
      release: () => {},
    },
    {
      clock: systemClock,
      log,
      metrics: createMetrics(),
      serve: (server, served) =>
        serveHttp(server, {
          ...served,
          page: new Map(),
          access: new Access({ ...server, token: "bench", scoped: () => [] }, systemClock),
        }),
      version: "bench",
      commit: "bench",
    },
  );
  const other = remote();
  const floor = await openFloor();
  try {
    const move = await startMover(other, mover);
    await until("the bot's quotes", async () => (await other.reads.account(accountId(12n))).openOrders.length === 2);
    const book = await other.reads.book(1);
    const message = { frame: frameOf(book.bids.length + book.asks.length), body: watch.body };
    const micros: number[] = [];
    let warmUp = 0;
    for (let step = 0; step < warmUpMoves || watch.micros.length < warmUp + frames; step += 1) {
      if (step < warmUpMoves) warmUp = watch.micros.length;
      const paceMs = step < warmUpMoves ? WARM_UP_PACE_MS : PACE_MS;
      await move(step);
      await sleep(paceMs);
      await until("the answers", () => watch.underWay === 0);
      micros.push(floor.once(message));
      await sleep(paceMs);
    }
    return { bot: watch.micros.slice(-frames), floor: micros.slice(-frames), message };
  } finally {
    floor.end();
    await bot.stop();
    await other.close();
    await devnet.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the first order after a book frame, from the frame to the end of the write to a socket. */
function createWatch() {
  const watch = {
    /** When the book frame in progress was received. */
    frameMs: null as number | null,
    underWay: 0,
    micros: [] as number[],
    body: "",
    submitted<T>(body: string, submit: () => Promise<T>): Promise<T> {
      if (watch.frameMs !== null) awaited = { body, sinceMs: watch.frameMs };
      watch.frameMs = null;
      watch.body = body;
      watch.underWay += 1;
      return submit().finally(() => {
        watch.underWay -= 1;
      });
    },
  };
  let awaited: { readonly body: string; readonly sinceMs: number } | null = null;
  subscribe("net.client.socket", (message) => {
    const { socket } = message as { readonly socket: Socket };
    // A connecting socket replaces a `write` that is not its own.
    socket.once("connect", () => {
      const write = socket.write.bind(socket) as (text: unknown, ...more: unknown[]) => boolean;
      socket.write = (text: unknown, ...more: unknown[]): boolean => {
        const isTaken = write(text, ...more);
        if (awaited === null || typeof text !== "string" || !text.endsWith(awaited.body)) return isTaken;
        if (socket.writableLength > 0) throw new Error("the socket did not take the order at once");
        watch.micros.push((performance.now() - awaited.sinceMs) * 1000);
        awaited = null;
        return isTaken;
      };
    });
  });
  return watch;
}

/** Two orders of another account that step up and down together and move the mid. */
async function startMover(
  venue: Venue,
  signer: ReturnType<typeof createSigner>,
): Promise<(step: number) => Promise<void>> {
  let last = 0n;
  const send = (transaction: Transaction) => {
    const now = BigInt(Date.now());
    last = now > last ? now : last + 1n;
    const transactionText = encodeTransaction(transaction);
    const timestampSec = Math.floor(Date.now() / 1000);
    return venue.submit(
      sealEnvelope({ chainId: CHAIN_ID, transactionText, nonce: nonce(last), timestampSec, signer }),
      "place",
    );
  };
  const at = (side: "buy" | "sell", step: number) =>
    price((side === "buy" ? 21_600_000_000n : 21_800_000_000n) + BigInt(step % 2) * 20_000_000n);
  const ids: OrderId[] = [];
  for (const side of ["buy", "sell"] as const) {
    const outcome = await send(plainOrder({ accountId: accountId(13n), side, price: at(side, 0) }));
    for (const event of outcome.kind === "executed" ? outcome.events : [])
      if (event.type === "orderPlaced") ids.push(event.orderId);
  }
  return async (step) => {
    const side = step % 4 < 2 ? "buy" : "sell";
    const orderId = ids[side === "buy" ? 0 : 1];
    if (orderId === undefined) throw new Error("the mover's orders were refused");
    await send({ type: "ModifyOrder", orderId, newPrice: at(side, step), newSize: null });
  };
}

type Floor = {
  /** Microseconds from the frame to the written order. */
  readonly once: (message: Message) => number;
  readonly end: () => void;
};

async function openFloor(): Promise<Floor> {
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const socket = await new Promise<Socket>((resolve) => {
    const opened = connect(port, "127.0.0.1", () => resolve(opened));
  });
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    once({ frame, body }) {
      const startedMs = performance.now();
      JSON.parse(frame);
      sign(null, Buffer.from(body), privateKey);
      socket.write(body);
      return (performance.now() - startedMs) * 1000;
    },
    end() {
      socket.destroy();
      server.close();
    },
  };
}

/** The floor in a tight loop, with nothing else in the caches. */
async function measureFloorAlone(message: Message, rounds: number): Promise<readonly number[]> {
  const floor = await openFloor();
  const micros: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    micros.push(floor.once(message));
    await new Promise((resolve) => setImmediate(resolve));
  }
  floor.end();
  return micros;
}

const frameOf = (levels: number): string => {
  const side = (from: number) =>
    Array.from({ length: Math.ceil(levels / 2) }, (_, at) => ({
      price: `${from + at * 1_000_000}`,
      size: "500000",
      orderCount: 1,
    }));
  return JSON.stringify({
    type: "orderbookSnapshot",
    market_id: 1,
    bids: side(21_600_000_000),
    asks: side(21_800_000_000),
  });
};

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

const devnetYaml = (mover: string, agent: string): string => `
chainId: ${CHAIN_ID}
blockTimeMs: 50
markets:
  - { marketId: 1, name: USA-HPI, tickSize: 0.01, initialMarginRatioBps: 500, maintenanceMarginRatioBps: 250, maxOpenInterest: 1000000, oracle: { source: fixed, price: 217, validForSecs: 86400 } }
accounts:
  - { accountId: 12, owner: "${OWNER}", collateral: 100000, agents: [{ pubkey: "${agent}", name: bot, expiresAt: null }] }
  - { accountId: 13, owner: "${mover}", collateral: 100000 }
`;

const botYaml = (validatorUrl: string): string => `
venue: { chainId: ${CHAIN_ID}, validatorUrl: "${validatorUrl}" }
accounts:
  - accountId: 12
    agentKeyFile: none
    markets:
      - marketId: 1
        strategy: fixed-spread
        params: { halfSpreadBps: 60, size: 0.5, levels: 1 }
        limits: { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, maxAddsPerSecond: 1000 }
server: { port: 0 }
`;
