// Runs the real command as a user does, in a process of its own, and listens to what it says.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { until } from "./until.ts";

export const PROJECT = resolve(import.meta.dirname, "../..");
const STARTER = resolve(PROJECT, "src/start.js");

export type Running = {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with what `find` returns of stdout's text once it is truthy. */
  readonly seen: <T>(what: string, find: (stdout: string) => T, limitMs?: number) => Promise<NonNullable<T>>;
  /** Sends the signal and resolves with the exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
  readonly exit: Promise<number | null>;
};

const running = new Set<ChildProcess>();

export function quoin(
  args: readonly string[],
  options: { readonly cwd?: string; readonly starter?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Running {
  const child = spawn(process.execPath, [options.starter ?? STARTER, ...args], {
    cwd: options.cwd ?? PROJECT,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exit = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    seen: (what, find, limitMs) =>
      until(
        what,
        () => {
          const found = find(stdout);
          if (!found && child.exitCode !== null)
            throw new Error(`quoin ended with ${child.exitCode} before ${what}:\n${stdout}${stderr}`);
          return found;
        },
        limitMs,
      ) as Promise<never>,
    exit,
    async end(signal = "SIGTERM") {
      child.kill(signal);
      return await exit;
    },
  };
}

/** Runs to its end. */
export async function quoinDone(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
) {
  const process = quoin(args, options);
  const code = await process.exit;
  return { code, stdout: process.stdout(), stderr: process.stderr() };
}

/** For `afterEach`: nothing a test started outlives it. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill("SIGKILL");
      await once(child, "close").catch(() => undefined);
    }),
  );
}
