// A daemon on a machine that fails at one line: `node faulty-run.ts FAULT CONFIG` is `quoin run --config CONFIG` but for that.

import { run } from "../../src/cli/run.ts";
import type { Host } from "../../src/host/host.ts";
import { daemonHost } from "../../src/host/process.ts";

const host = daemonHost();
const { clock } = host;

const fault = (): never => {
  throw new Error("thrown by the test");
};
const onTerminal = { terminal: { stdout: true, stderr: true } };
const SUMMARY_MS = 5000;
const ARCHIVE_MS = 10_000;
const notStarting = (periodMs: number): Pick<Host, "clock"> => ({
  clock: { ...clock, every: (ms, act) => (ms === periodMs ? fault() : clock.every(ms, act)) },
});
const notSaying = (event: string): Pick<Host, "stdout"> => ({
  stdout: (line) => (`${line}`.includes(`"event":"${event}"`) ? fault() : host.stdout(line)),
});

const machines = {
  // A start, when it has sent its first orders.
  start: notStarting(ARCHIVE_MS),
  // After the start.
  supervisor: { supervisor: { notify: fault, watchdogMs: null } },
  summary: { ...onTerminal, ...notStarting(SUMMARY_MS) },
  // After a signal: before the bot stops, when it has canceled, when all is done.
  unwatch: {
    ...onTerminal,
    clock: { ...clock, every: (ms, act) => (ms === SUMMARY_MS ? { cancel: fault } : clock.every(ms, act)) },
  },
  canceled: notSaying("massCancel.confirmed"),
  stopped: notSaying("stopped"),
} as const satisfies Record<string, Partial<Host>>;

export type FaultOfMachine = keyof typeof machines;

const [name, config] = process.argv.slice(2);
host.exit(await run({ config: config ?? "" }, { ...host, ...machines[name as FaultOfMachine] }));
