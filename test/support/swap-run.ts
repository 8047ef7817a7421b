// A bot and the devnet's crowd in virtual time, with a fill each second and orders in flight, while the bot's shadow is promoted: all that
// the exchange did to the bot's orders, and the most that its position could have become.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentKeyOf } from "../../src/bot/execution/agent-key.ts";
import { forgetfulEngine } from "../../src/bot/ledger/memory/forgetful.ts";
import type { Recorder } from "../../src/bot/recording/recorder.ts";
import { type Bot, startBot } from "../../src/bot/service/lifecycle/bot.ts";
import type { Promoted } from "../../src/bot/service/operator/promotions.ts";
import type { Routes } from "../../src/bot/telemetry/http.ts";
import { createLog } from "../../src/bot/telemetry/log.ts";
import { createMetrics } from "../../src/bot/telemetry/metrics.ts";
import { loadConfiguration } from "../../src/configuration.ts";
import { accountId, native, price, type Side, signOf, size, usdc } from "../../src/domain/units.ts";
import { macrotask, microtasks } from "../../src/kernel/clock.ts";
import { stringifyQuoted } from "../../src/kernel/json.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { createVirtualClock } from "../../src/kernel/virtual-clock.ts";
import { filesOf } from "../../src/kernel/yaml/files.ts";
import { createShadows } from "../../src/paper/shadows.ts";
import { createSimulatedExchange } from "../../src/sim/exchange.ts";
import { createInProcessVenue } from "../../src/sim/in-process-venue.ts";
import { latencyOnly, sameLatency } from "../../src/sim/network/network-conditions.ts";
import { undisturbed } from "../../src/sim/process-run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../src/wire/signing-simulated.ts";
import { plainTerms } from "../../src/wire/transaction/trading.ts";
import type { Transaction } from "../../src/wire/transaction.ts";
import { PROJECT } from "./quoin.ts";
import { recorderInto } from "./recorder-into.ts";

export type SwapOptions = {
  readonly seed: bigint;
  /** The initial strategy: `strategy` and `params` of the market, in YAML's flow style. */
  readonly live: string;
  /** Null: none, and nothing is promoted. */
  readonly shadow: string | null;
  readonly maxPosition: number;
  /** Null: the shadow stays one. */
  readonly promoteAtMs: number | null;
  /** Another file in its place at that time, in place of a promotion. */
  readonly reloaded?: Pick<SwapOptions, "live" | "maxPosition">;
  readonly untilMs: number;
  /** Where it is recorded; left out: it is not. */
  readonly folder?: string;
  /** Strategies beside the file, by name without the ending. */
  readonly own?: Readonly<Record<string, string>>;
};

export type Act = {
  readonly atMs: number;
  readonly what: "placed" | "modified" | "canceled" | "filled";
  readonly text: string;
};

export type SwapRun = {
  readonly acts: readonly Act[];
  readonly promoted: Promoted | null;
  readonly promotedMs: number | null;
  /** Contracts, the largest of the run by side. */
  readonly worst: Readonly<Record<Side, number>>;
  /** The largest number of the bot's orders that rested at once. */
  readonly mostOrders: number;
  /** After each block's events: the position, and the larger of both sides if all of its orders were filled, contracts. */
  readonly exposures: readonly { readonly atMs: number; readonly held: number; readonly worst: number }[];
  readonly bot: Bot;
  readonly text: string;
  readonly lines: readonly string[];
};

const ACCOUNT = accountId(12n);
/** Takes everything offered, each second and more. */
const TAKER = {
  accountId: accountId(13n),
  owner: "13".repeat(32),
  collateral: usdc(10n ** 12n),
  native: native(0n),
  masterAccountId: null,
  volume30d: usdc(0n),
  agents: [],
};
const TAKE_MS = 700;
export const START_MS = 1_790_000_000_000;
const ORDER_MS = 60;
const FOLDER = join(PROJECT, "config");

/** `./same.ts`: another strategy, which quotes as fixed-spread does. */
const SAME = readFileSync(join(PROJECT, "strategies/fixed-spread.ts"), "utf8").replace(
  'name: "fixed-spread"',
  'name: "same"',
);

const botYaml = ({ live, shadow, maxPosition }: SwapOptions): string => `venue:
  chainId: venue-v4:devnet:chain-2
  embedded: devnet.yaml
  readLagMaxMs: 250
accounts:
  - accountId: 12
    markets:
      - marketId: 1
        ${live}
${shadow === null ? "" : `        shadow: { ${shadow} }\n`}        limits: { maxPosition: ${maxPosition}, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 100000 }
server: { host: 127.0.0.1, port: 0 }
`;

export async function swapRun(options: SwapOptions): Promise<SwapRun> {
  const { seed, promoteAtMs, untilMs, own = {} } = options;
  const file = join(FOLDER, "swap.yaml");
  let text = botYaml(options);
  const read = (instead: string) =>
    loadConfiguration(
      file,
      filesOf(
        new Map([
          [file, instead],
          [join(FOLDER, "same.ts"), SAME],
          ...Object.entries(own).map(([name, of]): [string, string] => [join(FOLDER, `${name}.ts`), of]),
        ]),
      ),
      [],
    );
  const { bot: config, devnet } = await read(text);
  if (devnet === null) throw new RangeError("a devnet is needed");
  const prng = createPrng(seed);
  const world = createVirtualClock({ startMs: START_MS, settle: microtasks });
  const key = agentKeyOf(keyedHashSigner(new Uint8Array(32).fill(1)));
  const agents = [{ pubkey: key.publicKey, name: "quoin", expiresAtSec: null }];
  const exchange = createSimulatedExchange(
    {
      config: {
        ...devnet,
        seed,
        clock: { mode: "real" },
        accounts: [...devnet.accounts.map((account) => ({ ...account, agents })), TAKER],
      },
    },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const { chain } = exchange;
  const conditions = latencyOnly(sameLatency(() => ORDER_MS));
  const links = { world, processRun: undisturbed(world), exchange, conditions, prng: prng.fork("venue") };
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: world.wallMs });
  const { venue, ...shadows } = createShadows(createInProcessVenue({}, links), {
    clock: world,
    log,
    prng: prng.fork("shadows"),
    verifier: keyedHashVerifier,
    enclave: { entropy: { bytes: (count) => new Uint8Array(count) }, signerOf: keyedHashSigner },
    version: "test",
    commit: "test",
  });
  const acts: Act[] = [];
  const worst = { buy: 0, sell: 0 };
  let mostOrders = 0;
  const exposures: { atMs: number; held: number; worst: number }[] = [];
  const look = (): void => {
    const account = chain.reads.account(ACCOUNT);
    if (account === undefined) return;
    const position = account.positions.find(({ marketId }) => marketId === 1);
    const held = position === undefined ? 0n : position.size * signOf(position.side);
    let [buys, sells] = [0n, 0n];
    for (const { side, size, filledSize } of account.openOrders) {
      if (side === "buy") buys += size - filledSize;
      else sells += size - filledSize;
    }
    const [buy, sell] = [Number(held + buys) / 1e6, Number(sells - held) / 1e6];
    mostOrders = Math.max(mostOrders, account.openOrders.length);
    worst.buy = Math.max(worst.buy, buy);
    worst.sell = Math.max(worst.sell, sell);
    exposures.push({ atMs: world.elapsedMs(), held: Math.abs(Number(held)) / 1e6, worst: Math.max(buy, sell) });
  };
  const note = (what: Act["what"], of: unknown): void => {
    acts.push({ atMs: world.elapsedMs(), what, text: stringifyQuoted(of) });
  };
  chain.onEvents(({ events }) => {
    for (const event of events) {
      if (event.type === "OrderPlaced" && event.order.accountId === ACCOUNT) note("placed", event.order);
      else if (event.type === "OrderModified" && event.order.accountId === ACCOUNT) note("modified", event.order);
      else if (event.type === "OrderCanceled" && event.accountId === ACCOUNT) note("canceled", event);
      else if (
        event.type === "Fill" &&
        [event.execution.makerAccountId, event.execution.takerAccountId].includes(ACCOUNT)
      )
        note("filled", event.execution);
    }
    look();
  });
  const sides = prng.fork("sides");
  world.every(TAKE_MS, () => {
    const order = { marketId: 1, side: sides.pick(["buy", "sell"] as const), size: size(400_000n), price: price(0n) };
    const terms = { orderType: "Market", timeInForce: "IOC", maxSlippageBps: 500, reduceOnly: false, postOnly: false };
    chain.act({
      accountId: TAKER.accountId,
      transaction: { type: "PlaceOrder", ...plainTerms, accountId: TAKER.accountId, ...order, ...terms } as Transaction,
    });
  });
  const record = (folder: string) => (): Recorder => recorderInto(folder, world);
  let routes: Routes | null = null;
  const started = startBot(
    config,
    {
      venue,
      keys: new Map([[ACCOUNT, key]]),
      reloadKey: async (_, running) => running,
      ledger: forgetfulEngine(),
      prng: prng.fork("bot"),
      release: () => {},
    },
    {
      clock: world,
      log,
      metrics: createMetrics(),
      serve: async (_, served) => {
        ({ routes } = served);
        return { url: "", close: async () => {} };
      },
      readConfig: async (_, instead) => (await read(instead ?? text)).bot,
      configFile: {
        read: () => text,
        write: (next) => {
          text = next;
        },
      },
      shadows,
      ...(options.folder === undefined ? {} : { record: record(options.folder) }),
      version: "test",
      commit: "test",
    },
  );
  let promoted: Promoted | null = null;
  let promotedMs: number | null = null;
  const ask = async (): Promise<void> => {
    const handle = routes?.get("POST /promote");
    const answer = await handle?.({
      path: "/promote",
      query: new URLSearchParams(),
      isAdmin: true,
      token: null,
      body: '{"account":"12","market":1}',
    });
    promotedMs = world.elapsedMs();
    if (answer?.status !== 200) throw new Error(`promote: ${answer?.body}`);
    promoted = JSON.parse(`${answer.body}`) as Promoted;
  };
  const pass = async (toMs: number): Promise<void> => {
    while (world.elapsedMs() < toMs) {
      await world.advance(Math.min(1000, toMs - world.elapsedMs()));
      await macrotask();
    }
  };
  await pass(promoteAtMs ?? 0);
  // The file is read outside of virtual time, which continues once it is applied.
  if (options.reloaded !== undefined) {
    text = botYaml({ ...options, ...options.reloaded });
    const bot = await started;
    await bot.reload({ by: "file", asked: bot.configVersion, read: async () => (await read(text)).bot });
  } else if (options.shadow !== null && promoteAtMs !== null) await ask();
  await pass(untilMs);
  const bot = await started;
  if (options.folder !== undefined) await Promise.all([bot.stop(), pass(untilMs + 10_000)]);
  await exchange.close();
  return { acts, promoted, promotedMs, worst, mostOrders, exposures, bot, text, lines };
}
