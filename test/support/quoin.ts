// Runs the real command and reads its output: in this process, under a host of the test's own, or as a user does in a process.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { runCommand } from "../../src/command-line.ts";
import type { Host, Signal } from "../../src/host/host.ts";
import { processHost } from "../../src/host/process.ts";
import { printableLines } from "../../src/kernel/printable.ts";
import { startKeptThread } from "./kept-threads.ts";
import { until, whenInVain } from "./until.ts";

export const PROJECT = resolve(import.meta.dirname, "../..");
const STARTER = resolve(PROJECT, "src/start.js");

export type Running = {
  /** The command line. */
  readonly command: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with what `find` returns for stdout's text once it is truthy. */
  readonly seen: <T>(what: string, find: (stdout: string) => T, limitMs?: number) => Promise<NonNullable<T>>;
  /** A signal without a listener is kept for the first one, as the starter keeps a daemon's. */
  readonly signal: (name: Signal) => void;
  /** Sends the signal and resolves with the exit code. */
  readonly end: (name?: Signal) => Promise<number | null>;
  /** Null after a signal that ends a process. */
  readonly exit: Promise<number | null>;
  readonly isOver: () => boolean;
};

/** A process can do what this one cannot: die, stall, and fail as a whole. */
export type RunningProcess = Omit<Running, "end"> & {
  readonly child: ChildProcess;
  readonly end: (name?: NodeJS.Signals) => Promise<number | null>;
};

const running = new Set<Running | RunningProcess>();

/** Runs in this process: its own loop, its own sockets and files, and no start of a runtime. `changes`: replace the machine's own. */
export function quoin(args: readonly string[], changes: Partial<Pick<Host, "clock" | "configVariable">> = {}): Running {
  const said = { stdout: "", stderr: "" };
  const listeners = new Map<Signal, Set<() => void>>();
  const kept = new Set<Signal>();
  const listenersOf = (name: Signal): Set<() => void> => {
    const found = listeners.get(name) ?? new Set();
    listeners.set(name, found);
    return found;
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const hear = (stream: "stdout" | "stderr") => (data: string | Uint8Array) => {
    said[stream] += typeof data === "string" ? printableLines(data) : Buffer.from(data).toString();
  };
  const host: Host = {
    ...processHost,
    ...changes,
    startThread: startKeptThread,
    stdout: hear("stdout"),
    stderr: hear("stderr"),
    terminal: { stdout: false, stderr: false },
    onSignal(name, run) {
      listenersOf(name).add(run);
      if (kept.delete(name)) queueMicrotask(run);
      return () => listenersOf(name).delete(run);
    },
    // An uncaught error fails the test.
    onCrash: () => undefined,
    supervisor: null,
    processes: null,
    exit: end,
  };
  let isDaemon = false;
  const daemonHost = (): Host => {
    isDaemon = true;
    return host;
  };
  void runCommand(args, { host, daemonHost }).then((code) => {
    if (!isDaemon) end(code);
  });
  let isOver = false;
  const exit = ended.then((code) => {
    isOver = true;
    running.delete(here);
    return code;
  });
  const signal = (name: Signal): void => {
    const heard = listenersOf(name);
    if (heard.size === 0) kept.add(name);
    for (const run of [...heard]) run();
  };
  const here: Running = {
    ...listening(
      args,
      () => said,
      () => isOver,
      exit,
    ),
    signal,
    end(name = "SIGTERM") {
      signal(name);
      return exit;
    },
  };
  running.add(here);
  return here;
}

/** Runs in a process of its own, as in a shell. */
export function quoinProcess(
  args: readonly string[],
  options: { readonly cwd?: string; readonly starter?: string; readonly env?: NodeJS.ProcessEnv } = {},
): RunningProcess {
  const child = spawn(process.execPath, [options.starter ?? STARTER, ...args], {
    cwd: options.cwd ?? PROJECT,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  const exit = once(child, "close").then(([code]) => {
    running.delete(apart);
    return code as number | null;
  });
  const apart: RunningProcess = {
    ...listening(
      args,
      () => said,
      () => child.exitCode !== null || child.signalCode !== null,
      exit,
    ),
    child,
    signal: (name) => void child.kill(name),
    end(name = "SIGTERM") {
      child.kill(name);
      return exit;
    },
  };
  running.add(apart);
  return apart;
}

function listening(
  args: readonly string[],
  said: () => { readonly stdout: string; readonly stderr: string },
  isOver: () => boolean,
  exit: Promise<number | null>,
): Omit<Running, "signal" | "end"> {
  return {
    command: args.join(" "),
    stdout: () => said().stdout,
    stderr: () => said().stderr,
    exit,
    isOver,
    seen: (what, find, limitMs) =>
      until(
        what,
        async () => {
          const found = find(said().stdout);
          if (!found && isOver())
            throw new Error(`quoin ended with ${await exit} before ${what}:\n${said().stdout}${said().stderr}`);
          return found;
        },
        limitMs,
      ) as Promise<never>,
  };
}

const SHOWN_LINES = 60;

/** The last lines of its log and, for a daemon, its status. */
async function momentOf({ command, stdout, stderr }: Running | RunningProcess): Promise<string> {
  const url = /"event":"ready","url":"([^"]+)"/.exec(stdout())?.[1];
  const signal = AbortSignal.timeout(5000);
  const asked = url === undefined ? undefined : fetch(`${url}/status.json`, { signal }).then((answer) => answer.text());
  const status = (await asked?.catch(String)) ?? "";
  const lines = `${stdout()}${stderr()}${status}`.trimEnd().split("\n");
  return [`--- quoin ${command}`, ...lines.slice(-SHOWN_LINES)].join("\n");
}
whenInVain(async () => (await Promise.all([...running].map(momentOf))).join("\n"));

/** Runs to its end in this process. */
export const quoinDone = (...given: Parameters<typeof quoin>) => doneOf(quoin(...given));

/** Runs to its end in a process of its own. */
export const processDone = (...given: Parameters<typeof quoinProcess>) => doneOf(quoinProcess(...given));

async function doneOf(run: Running | RunningProcess) {
  const code = await run.exit;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** For `afterEach`: nothing a test started outlives it. Daemons end before the exchanges that they cancel at. */
export async function endAll(): Promise<void> {
  for (const each of [...running].reverse()) await ("child" in each ? each.end("SIGKILL") : each.end());
}
