// A live account and paper accounts with the same strategy on the devnet and its crowd, in virtual time: what each traded, and any request
// of a paper account that reached the exchange.

import { startInVirtualTime } from "../src/backtest/run.ts";
import type { BotConfig } from "../src/bot/config/config.ts";
import { agentKeyOf } from "../src/bot/execution/agent-key.ts";
import { createMetrics } from "../src/bot/telemetry/metrics.ts";
import type { Configuration } from "../src/configuration.ts";
import type { QueueModel } from "../src/domain/queue.ts";
import { accountId, usdc } from "../src/domain/units.ts";
import { macrotask, microtasks } from "../src/kernel/clock.ts";
import { bytesOfHex } from "../src/kernel/hex.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { createVirtualClock } from "../src/kernel/virtual-clock.ts";
import { openPaper } from "../src/paper/open-paper.ts";
import { createSimulatedExchange } from "../src/sim/exchange.ts";
import { createInProcessVenue } from "../src/sim/in-process-venue.ts";
import { latencyOnly, sameLatency } from "../src/sim/network/network-conditions.ts";
import { undisturbed } from "../src/sim/process-run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../src/wire/signing-simulated.ts";

export type Traded = {
  readonly account: string;
  readonly model: QueueModel | null;
  readonly fills: number;
  /** USDC. */
  readonly volume: number;
};

export type Beside = {
  readonly traded: readonly Traded[];
  /** Requests that named a paper account, or were signed by its key. */
  readonly leaked: readonly string[];
  /** Log lines of level warning and above. */
  readonly warnings: readonly string[];
};

const START_MS = 1_790_000_000_000;
const ORDER_MS = 40;
const models: readonly QueueModel[] = ["riskAverse", "optimistic"];

/** Trades the configuration's first account live, on paper with either queue model, or in all three ways, for `hours` of virtual time. */
export async function runBeside(
  { bot, devnet }: Configuration,
  {
    hours,
    seed,
    who = "both",
  }: { readonly hours: number; readonly seed: bigint; readonly who?: "live" | "paper" | "both" },
): Promise<Beside> {
  const [live] = bot.accounts;
  if (devnet === null || live === undefined) throw new RangeError("a devnet and an account are needed");
  const papers = (who === "live" ? [] : models).map((queueModel, at) => ({
    ...live,
    accountId: accountId(900n + BigInt(at)),
    paper: { collateral: usdc(100_000_000_000n), queueModel, latencyMs: ORDER_MS },
  }));
  const config: BotConfig = { ...bot, accounts: who === "paper" ? papers : [live, ...papers] };
  const prng = createPrng(seed);
  const keys = new Map(
    config.accounts.map(({ accountId: id }, at) => [id, agentKeyOf(keyedHashSigner(new Uint8Array(32).fill(at + 1)))]),
  );
  const world = createVirtualClock({ startMs: START_MS, settle: microtasks });
  const liveKey = keys.get(live.accountId);
  const agents = liveKey === undefined ? [] : [{ pubkey: liveKey.publicKey, name: "quoin", expiresAtSec: null }];
  const exchange = createSimulatedExchange(
    {
      config: {
        ...devnet,
        seed,
        clock: { mode: "real" },
        accounts: devnet.accounts.map((account) => ({ ...account, agents })),
      },
    },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const paperNames = papers.flatMap(({ accountId: id }) => {
    const signer = bytesOfHex(keys.get(id)?.publicKey ?? "").join(",");
    return [`/accounts/${id}`, `"account_id":${id}`, `"signer":[${signer}]`];
  });
  const leaked: string[] = [];
  const warnings: string[] = [];
  const real = createInProcessVenue(
    {},
    {
      world,
      processRun: undisturbed(world),
      exchange,
      conditions: latencyOnly(sameLatency(() => ORDER_MS)),
      prng: prng.fork("venue"),
      witness: {
        onSent: ({ path, body }) => {
          if (paperNames.some((name) => `${path} ${body ?? ""}`.includes(name))) leaked.push(path);
        },
        onExecuted: () => {},
        onEnd: () => {},
        onOpen: () => {},
        onFrame: () => {},
        onClose: () => {},
      },
    },
  );
  const metrics = createMetrics();
  const start = async (): Promise<void> => {
    const venue = await openPaper(
      devnet.chainId,
      papers.map(({ accountId: id, paper, markets }) => ({
        accountId: id,
        paper,
        publicKey: keys.get(id)?.publicKey ?? "",
        markets: markets.map(({ marketId }) => marketId),
        assumedFeeBps: 0,
      })),
      real,
      {
        clock: world,
        prng: prng.fork("paper"),
        verifier: keyedHashVerifier,
        enclave: { entropy: { bytes: (count) => new Uint8Array(count) }, signerOf: keyedHashSigner },
        log: () => {},
        read: (_, read) => read(),
        storeOf: () => ({ load: () => null, keep: () => {}, settled: () => Promise.resolve(), setAside: () => "" }),
      },
    );
    await startInVirtualTime(config, keys, { venue, world, prng, metrics, onLine: (line) => void warnings.push(line) });
  };
  const pass = async (): Promise<void> => {
    while (world.elapsedMs() < hours * 3_600_000) {
      await world.advance(60_000);
      await macrotask();
    }
  };
  await Promise.all([start(), pass()]);
  const sum = (metric: { readonly text: () => string }, account: string): number =>
    [...metric.text().matchAll(new RegExp(`account="${account}".*\\} (\\S+)`, "g"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  const traded = config.accounts.map(({ accountId: id, paper }) => ({
    account: `${id}`,
    model: paper?.queueModel ?? null,
    fills: sum(metrics.fills, `${id}`),
    volume: sum(metrics.fillNotional, `${id}`),
  }));
  await exchange.close();
  return { traded, leaked, warnings };
}
