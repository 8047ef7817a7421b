// `quoin drill`: runs the operator's configuration against a faulty exchange on this machine, before it meets the real one. The keys are
// made for the drill. No file of the configuration is written, and its exchange is not contacted.

import type { Configuration } from "../configuration.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { printable } from "../kernel/printable.ts";
import { startDrillBot, stopCleanly } from "./drill/bot.ts";
import { type Drill, drills } from "./drill/drills.ts";
import { processDrills } from "./drill/process-drills.ts";
import { openScene } from "./drill/scene.ts";
import { readWhole } from "./read-config.ts";

export type DrillOptions = { readonly config: string; readonly only: readonly string[]; readonly json: boolean };

const order = [
  "lostAnswers",
  "lateLanding",
  "staleOracle",
  "wrongPrint",
  "frozenBook",
  "staleReads",
  "kill9",
  "rateLimit",
  "cutNetwork",
  "diskFull",
] as const;
type DrillName = (typeof order)[number];

/** Drills at the same time: each mostly waits, and has its own exchange. */
const AT_ONCE = 4;
const FIRST_QUOTES_MS_MAX = 20_000;

type Result = {
  readonly drill: DrillName;
  readonly ok: boolean;
  readonly seconds: number;
  readonly detail: string;
};

/** Exit 1 when a drill fails. */
export async function drill({ config, only, json }: DrillOptions, host: Host): Promise<ExitCode> {
  const unknown = only.find((name) => !order.some((known) => known === name));
  if (unknown !== undefined)
    return endWith(EXIT_USAGE, `there is no drill ${unknown}; allowed: ${order.join(", ")}`, host);
  const configuration = await readWhole(config, host);
  if (configuration === undefined) return EXIT_USAGE;
  const names = order.filter((name) => only.length === 0 || only.includes(name));
  const failed: string[] = [];
  for (const result of started(names, (name) => hold(name, configuration, host))) {
    const { drill: name, ok, seconds, detail } = await result;
    if (!ok) failed.push(name);
    host.stdout(
      json
        ? `${JSON.stringify({ drill: name, ok, seconds, detail })}\n`
        : `${ok ? "OK  " : "FAIL"} ${name.padEnd(12)} ${`${seconds.toFixed(1)} s`.padStart(7)}  ${printable(detail)}\n`,
    );
  }
  if (!json && failed.length > 0) host.stdout(`${failed.join(", ")} failed; do not go live with this configuration\n`);
  return failed.length === 0 ? EXIT_DONE : EXIT_FAILED;
}

/** Starts each drill when another one ends. Yields results in the order of the names. */
function started(names: readonly DrillName[], run: (name: DrillName) => Promise<Result>): readonly Promise<Result>[] {
  const running: Promise<Result>[] = [];
  for (const [index, name] of names.entries()) {
    const room = index < AT_ONCE ? Promise.resolve() : nthDone(running, index - AT_ONCE + 1);
    running.push(room.then(() => run(name)));
  }
  return running;
}

/** Resolves when `count` of them are done; they never reject. */
function nthDone(of: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let done = 0;
    for (const each of of) void each.then(() => ++done === count && resolve());
  });
}

/** Never rejects: an error is a failed drill. */
async function hold(name: DrillName, configuration: Configuration, host: Host): Promise<Result> {
  const startMs = host.clock.monotonicMs();
  const seconds = () => Math.round((host.clock.monotonicMs() - startMs) / 100) / 10;
  try {
    const detail =
      name === "kill9" || name === "cutNetwork"
        ? await processDrills[name](configuration, host)
        : await holdHere(drills[name], configuration, host);
    return { drill: name, ok: true, seconds: seconds(), detail };
  } catch (error) {
    return { drill: name, ok: false, seconds: seconds(), detail: messageOf(error) };
  }
}

async function holdHere(act: Drill, configuration: Configuration, host: Host): Promise<string> {
  const scene = await openScene(configuration, host);
  try {
    const subject = await startDrillBot(scene, host);
    try {
      await scene.until("every market is quoted", subject.isWell, FIRST_QUOTES_MS_MAX, subject.why);
      return await act(scene, subject);
    } finally {
      await scene.endFaults();
      await stopCleanly(subject, scene);
    }
  } finally {
    await scene.close();
  }
}
