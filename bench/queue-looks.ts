// Compares the queue positions that the bot assumes for its orders with the real ones, on the devnet and its crowd in virtual time.

import { startInVirtualTime } from "../src/backtest/run.ts";
import { agentKeyOf } from "../src/bot/execution/agent-key.ts";
import type { Bot } from "../src/bot/service/lifecycle/bot.ts";
import { createMetrics } from "../src/bot/telemetry/metrics.ts";
import type { Configuration } from "../src/configuration.ts";
import { contractsOf, usdOf } from "../src/domain/rounding.ts";
import { accountId, orderId } from "../src/domain/units.ts";
import { macrotask, microtasks } from "../src/kernel/clock.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { createVirtualClock } from "../src/kernel/virtual-clock.ts";
import { createSimulatedExchange } from "../src/sim/exchange.ts";
import { createInProcessVenue } from "../src/sim/in-process-venue.ts";
import { latencyOnly, sameLatency } from "../src/sim/network/network-conditions.ts";
import { undisturbed } from "../src/sim/process-run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../src/wire/signing-simulated.ts";

const START_MS = 1_790_000_000_000;
const LATENCY_MS = 40;
const LOOK_MS = 1000;
/** Between two blocks, when frames of the last one have arrived. */
const AFTER_BLOCK_MS = 190;

/** One order at one moment, by the bot and by the exchange: share of the size at its price that is ahead of it. */
export type Look = { readonly market: string; readonly said: number; readonly true: number };

/** `unknown`: looks at orders whose queue position the bot does not know. */
export type Looks = { readonly looks: readonly Look[]; readonly unknown: number };

/** Looks at every order of the bot each second for `hours` of virtual time. */
export async function looksOf(
  { bot: config, devnet }: Configuration,
  { hours, seed }: { readonly hours: number; readonly seed: bigint },
): Promise<Looks> {
  if (devnet === null) throw new RangeError("a devnet is needed");
  const prng = createPrng(seed);
  const world = createVirtualClock({ startMs: START_MS, settle: microtasks });
  const keys = new Map(
    config.accounts.map(({ accountId: id }, at) => [id, agentKeyOf(keyedHashSigner(new Uint8Array(32).fill(at + 1)))]),
  );
  const accounts = devnet.accounts.map((account) => {
    const key = keys.get(account.accountId);
    return { ...account, agents: key ? [{ pubkey: key.publicKey, name: "quoin", expiresAtSec: null }] : [] };
  });
  const exchange = createSimulatedExchange(
    { config: { ...devnet, seed, clock: { mode: "real" }, accounts }, shortcuts: true },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const conditions = latencyOnly(sameLatency(() => LATENCY_MS));
  const links = { world, processRun: undisturbed(world), exchange, conditions, prng: prng.fork("venue") };
  const looks: Look[] = [];
  let unknown = 0;
  const look = (bot: Pick<Bot, "status">): void => {
    for (const { accountId: id, markets } of bot.status().accounts) {
      const resting = new Map(
        exchange.chain.reads.account(accountId(BigInt(id)))?.openOrders.map((order) => [order.orderId, order]),
      );
      for (const { marketId, name, bids, asks } of markets) {
        const book = exchange.chain.reads.book(marketId);
        for (const line of [...bids, ...asks]) {
          const order = line.orderId === null ? undefined : resting.get(orderId(BigInt(line.orderId)));
          const ahead = order && exchange.chain.reads.queueAhead(order.orderId);
          const levels = order?.side === "buy" ? book?.bids : book?.asks;
          const level = levels?.find(({ price }) => price === order?.price);
          // An order in flight has no position yet.
          if (ahead === undefined || level === undefined || line.price !== usdOf(level.price)) continue;
          if (line.queueAhead === null) unknown += 1;
          else {
            const all = contractsOf(level.size);
            looks.push({ market: name, said: line.queueAhead / all, true: contractsOf(ahead) / all });
          }
        }
      }
    }
  };
  const started = startInVirtualTime(config, keys, {
    venue: createInProcessVenue({}, links),
    world,
    prng,
    metrics: createMetrics(),
  });
  let running: Bot | null = null;
  void started.then((bot) => {
    running = bot;
  });
  await world.advance(AFTER_BLOCK_MS);
  while (world.elapsedMs() < hours * 3_600_000) {
    await world.advance(LOOK_MS);
    if (running !== null) look(running);
    await macrotask();
  }
  await exchange.close();
  return { looks, unknown };
}
