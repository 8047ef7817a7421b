// How long a user waits at first: for the help, and after `npm start` for the page and the first order at the exchange. Real processes with
// the demo's configuration, in a folder of their own; the runtime's own start is the floor. Measured with a warm compile cache.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT, processDone } from "../test/support/quoin.ts";
import { until } from "../test/support/until.ts";
import { type Bench, median } from "./measure.ts";
import { treeMs } from "./processor-time.ts";

const HELP_GOAL_MS = 150;
const PAGE_GOAL_MS = 1000;
const QUOTE_GOAL_MS = 1500;

export const start: Bench = {
  name: "start",
  async run({ quick }) {
    const runs = quick ? 1 : 15;
    const folder = demoFolder();
    try {
      await startedIn(folder);
      const helpMs: number[] = [];
      const floorMs: number[] = [];
      const starts: Start[] = [];
      for (let run = 0; run < runs; run += 1) {
        helpMs.push(await timed(() => processDone(["--help"])));
        floorMs.push(await timed(() => once(spawn(process.execPath, ["--eval", "0"]), "close")));
        starts.push(await startedIn(folder));
      }
      const of = (name: keyof Start): number => median(starts.map((each) => each[name]));
      const value = of("pageMs");
      return {
        name: "start",
        value,
        unit: "ms to the page",
        reference: "the goal",
        referenceValue: PAGE_GOAL_MS,
        ratio: PAGE_GOAL_MS / value,
        goals: [
          { figure: "quoteMs", value: of("quoteMs"), unit: "ms", goal: QUOTE_GOAL_MS, wanted: "atMost" },
          { figure: "helpMs", value: median(helpMs), unit: "ms", goal: HELP_GOAL_MS, wanted: "atMost" },
        ],
        beside: {
          pageProcessorMs: of("pageProcessorMs"),
          quoteProcessorMs: of("quoteProcessorMs"),
          emptyProgramMs: median(floorMs),
        },
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** A package whose `npm start` is ours, on any free port. */
function demoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quoin-start-"));
  cpSync(join(PROJECT, "config"), join(folder, "config"), { recursive: true });
  const demo = readFileSync(join(folder, "config/demo.yaml"), "utf8").replace("port: 9464", "port: 0");
  writeFileSync(join(folder, "config/demo.yaml"), demo);
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as { scripts: { start: string } };
  const script = scripts.start.replaceAll("src/start.js", join(PROJECT, "src/start.js"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start: script } }));
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

type Start = {
  readonly pageMs: number;
  readonly pageProcessorMs: number;
  readonly quoteMs: number;
  readonly quoteProcessorMs: number;
};

/** From `npm start` to the page, and to the first order that the exchange lists. */
async function startedIn(folder: string): Promise<Start> {
  const [startedMs, beforeMs] = [performance.now(), treeMs()];
  const npm = spawn("npm", ["start"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"], detached: true });
  const ended = once(npm, "close");
  let said = "";
  npm.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const seen = (what: string, pattern: RegExp) => until(what, () => pattern.exec(said)?.[1]);
  try {
    const page = await seen("the page's address", /"event":"ready","url":"([^"]+)"/);
    if (!(await fetch(page)).ok) throw new Error("the page is not served");
    const pageMs = performance.now() - startedMs;
    const pageProcessorMs = treeMs() - beforeMs;
    const exchange = await seen("the exchange's address", /"validatorUrl":"([^"]+)"/);
    await until("an order", async () => {
      const account = (await (await fetch(`${exchange}/v1/accounts/12`)).json()) as { openOrders: readonly unknown[] };
      return account.openOrders.length > 0;
    });
    const quoteMs = performance.now() - startedMs;
    return { pageMs, pageProcessorMs, quoteMs, quoteProcessorMs: treeMs() - beforeMs };
  } finally {
    // npm, its shell and the daemon are a process group of their own.
    if (npm.pid !== undefined) process.kill(-npm.pid, "SIGTERM");
    await ended;
  }
}
