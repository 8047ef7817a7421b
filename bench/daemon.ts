// The whole daemon in a process of its own that measures itself; `scale` forks it. It is ready once it has sent its address; each message
// gives a number of milliseconds to measure, and the answer has the figures of that window.

import { join } from "node:path";
import { loadAgentKey } from "../src/bot/execution/agent-key.ts";
import { openSqlite } from "../src/bot/ledger/sqlite/sqlite.ts";
import { startBot } from "../src/bot/service/lifecycle/bot.ts";
import { Access } from "../src/bot/telemetry/access.ts";
import { serveHttp } from "../src/bot/telemetry/http.ts";
import { createLog } from "../src/bot/telemetry/log.ts";
import { createMetrics, observeProcess } from "../src/bot/telemetry/metrics.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../src/bot/venue/remote/remote.ts";
import { loadConfiguration } from "../src/configuration.ts";
import { accountId } from "../src/domain/units.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";

/** The daemon's figures of a window. */
export type Window = {
  readonly turnMeanUs: number;
  readonly turnMedianUs: number;
  readonly turnP99Us: number;
  readonly turnsPerSec: number;
  /** Processor time of the whole process over the elapsed time. */
  readonly coreShare: number;
  /** Longest time between two runs of a one-millisecond timer; on a loaded machine it includes the machine's own pauses. */
  readonly stallMs: number;
  /** Most processor time of the event loop's thread between two such runs: a stall caused by us. */
  readonly stallCpuMs: number;
};

const [folder = "", validatorUrl = ""] = process.argv.slice(2);
const metrics = createMetrics();
observeProcess(metrics);
let turns: number[] = [];
const observe = metrics.turnDuration.observe.bind(metrics.turnDuration);
Object.assign(metrics.turnDuration, {
  observe(seconds: number) {
    turns.push(seconds * 1_000_000);
    observe(seconds);
  },
});

const stall = { wallMs: 0, cpuMs: 0 };
let last = { wallMs: performance.now(), cpuUs: cpuUs() };
setInterval(() => {
  const now = { wallMs: performance.now(), cpuUs: cpuUs() };
  stall.wallMs = Math.max(stall.wallMs, now.wallMs - last.wallMs - 1);
  stall.cpuMs = Math.max(stall.cpuMs, (now.cpuUs - last.cpuUs) / 1000);
  last = now;
}, 1);

const bot = await startBot(
  (await loadConfiguration(join(folder, "bot.yaml"), systemFiles)).bot,
  {
    venue: createRemoteVenue(
      { ...defaultRemoteOptions, validatorUrl },
      { clock: systemClock, prng: createPrng(1n), report: () => {} },
    ),
    keys: new Map([[accountId(12n), loadAgentKey(join(folder, "agent.key"))]]),
    ledger: openSqlite({ file: join(folder, "ledger.sqlite") }),
    reloadKey: async (_, running) => running,
    prng: createPrng(1n),
    release: () => {},
  },
  {
    clock: systemClock,
    log: createLog("error", { write: (text) => process.stderr.write(text), terminal: false, wallMs: Date.now }),
    metrics,
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
process.on("message", (forMs: number) => measure(forMs));
process.on("disconnect", () => process.exit());
process.send?.(bot.url);

function measure(forMs: number): void {
  const started = { wallMs: performance.now(), cpu: process.cpuUsage() };
  turns = [];
  Object.assign(stall, { wallMs: 0, cpuMs: 0 });
  setTimeout(() => {
    const elapsedMs = performance.now() - started.wallMs;
    const { user, system } = process.cpuUsage(started.cpu);
    const sorted = turns.toSorted((a, b) => a - b);
    const window: Window = {
      turnMeanUs: turns.reduce((sum, us) => sum + us, 0) / turns.length,
      turnMedianUs: sorted[Math.floor(0.5 * sorted.length)] ?? Number.NaN,
      turnP99Us: sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN,
      turnsPerSec: (turns.length / elapsedMs) * 1000,
      coreShare: (user + system) / 1000 / elapsedMs,
      stallMs: stall.wallMs,
      stallCpuMs: stall.cpuMs,
    };
    process.send?.(window);
  }, forMs);
}

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
