// Whole runs as lines of text by part: every sent body with its outcome, every read with its answer, every row of the ledger, every log
// line, and every block of the exchange, whose hash includes its state root. A change that must change no behavior leaves every line equal.

import { keysOf, seeded, startInVirtualTime } from "../../src/backtest/run.ts";
import { worldOf } from "../../src/backtest/world.ts";
import { MemoryDisk } from "../../src/bot/ledger/memory/memory.ts";
import type { LedgerEngine } from "../../src/bot/ledger/store.ts";
import { createMetrics } from "../../src/bot/telemetry/metrics.ts";
import type { Venue, VenueReads } from "../../src/bot/venue/port.ts";
import { type Configuration, loadConfiguration } from "../../src/configuration.ts";
import { macrotask, microtasks } from "../../src/kernel/clock.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { createVirtualClock } from "../../src/kernel/virtual-clock.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { createSimulatedExchange } from "../../src/sim/exchange.ts";
import { createInProcessVenue } from "../../src/sim/in-process-venue.ts";
import { latencyOnly } from "../../src/sim/network/network-conditions.ts";
import { undisturbed } from "../../src/sim/process-run.ts";
import { runWorld } from "../../src/sim/run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../src/wire/signing-simulated.ts";
import { demoMarket } from "../../test/support/demo-market.ts";
import { backtestFiles } from "../../test/unit/backtest/scene.ts";

export const parts = ["sent", "read", "ledger", "log", "exchange", "world"] as const;
export type Part = (typeof parts)[number];

/** Takes a line of a part. */
export type Note = (part: Part, line: string) => void;

export type Run = { readonly name: string; readonly run: (note: Note) => Promise<void> };

const START_MS = 1_790_035_200_000;
const MINUTE_MS = 60_000;

const quietRun = (name: string, load: () => Promise<Configuration>, seed: bigint, minutes: number): Run => ({
  name: `${name}, seed ${seed}, ${minutes} min`,
  run: async (note) => runQuiet(await load(), seed, minutes * MINUTE_MS, note),
});

/** A world under faults; its digest is a hash over its log, blocks, faults and its clients' actions. */
const worldRun = (seed: bigint, minutes: number): Run => ({
  name: `world ${seed}, ${minutes} min`,
  async run(note) {
    const { digest, events, fills, violation } = await runWorld({ seed, minutes });
    note(
      "world",
      `${digest} ${events} events, ${fills} fills, ${violation === null ? "no law broken" : violation.law}`,
    );
  },
});

export const runs: readonly Run[] = [
  quietRun("demo", () => demoMarket("demo"), 1n, 20),
  quietRun("daily", () => demoMarket("daily"), 2n, 60),
  quietRun("two markets", () => loadConfiguration(backtestFiles(), systemFiles), 3n, 20),
  ...[1n, 2n, 3n, 4n, 5n, 6n].map((seed) => worldRun(seed, 4)),
];

/** Like a backtest, with a ledger that is kept. */
async function runQuiet({ bot, devnet }: Configuration, seed: bigint, forMs: number, note: Note): Promise<void> {
  if (devnet === null) throw new Error("a run needs a devnet");
  const prng = createPrng(seed).fork("backtest");
  const keys = keysOf(bot, prng.fork("keys"));
  const world = createVirtualClock({ startMs: START_MS, settle: microtasks });
  const { devnet: drawn, latencies } = worldOf(devnet, true, prng.fork("world"));
  const exchange = createSimulatedExchange(
    { config: seeded(drawn, seed, keys), shortcuts: false },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  exchange.chain.onBlock(({ height, hash }) => note("exchange", `${height} ${hash}`));
  const timed: Note = (part, line) => note(part, `${world.elapsedMs().toFixed(3)} ${line}`);
  const conditions = latencyOnly(latencies(prng.fork("latency")));
  const links = { world, processRun: undisturbed(world), exchange, conditions, prng: prng.fork("venue") };
  const started = startInVirtualTime(bot, keys, {
    venue: noted(createInProcessVenue({}, links), timed),
    world,
    ledger: notedLedger(new MemoryDisk().open(), timed),
    prng,
    metrics: createMetrics(),
    onLine: (line) => timed("log", line.trimEnd()),
  });
  while (world.elapsedMs() < forMs) {
    await world.advance(MINUTE_MS);
    await macrotask();
  }
  await started;
  await exchange.close();
}

function noted(venue: Venue, note: Note): Venue {
  const reads = Object.fromEntries(
    Object.entries(venue.reads).map(([name, read]) => [
      name,
      async (...words: unknown[]) => {
        note("read", `${name} ${textOf(words)}`);
        const answer = await (read as (...of: unknown[]) => Promise<unknown>)(...words).catch((error: unknown) => {
          note("read", `${name} ${textOf(words)} failed: ${messageOf(error)}`);
          throw error;
        });
        note("read", `${name} ${textOf(words)} is ${textOf(answer)}`);
        return answer;
      },
    ]),
  ) as VenueReads;
  return {
    ...venue,
    reads,
    async submit(body, lane) {
      note("sent", `${lane} ${body}`);
      const outcome = await venue.submit(body, lane);
      note("sent", `${lane} ${textOf(outcome)}`);
      return outcome;
    },
  };
}

function notedLedger(engine: LedgerEngine, note: Note): LedgerEngine {
  return {
    ...engine,
    apply(record) {
      note("ledger", textOf(record));
      engine.apply(record);
    },
    writeAhead(intents) {
      note("ledger", textOf(intents));
      engine.writeAhead(intents);
    },
  };
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, of: unknown) =>
    typeof of === "bigint" ? `${of}` : of instanceof Map ? [...of] : of instanceof Set ? [...of] : of,
  );
