// What a process may touch of its machine, passed as an argument, so that every command runs in a test as in a shell.

import type { EventEmitter } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../kernel/clock.ts";
import type { Entropy } from "../kernel/entropy.ts";
import type { Files } from "../kernel/yaml/files.ts";
import type { Processes } from "./process-list.ts";

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGUSR2";

export type Dialog = {
  /** Undefined: the input has ended. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Whether the input has ended. */
  readonly isOver: () => boolean;
  readonly close: () => void;
};

export type Screen = {
  /** False when NO_COLOR is set: https://no-color.org. */
  readonly color: boolean;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back on each key press, without waiting for the end of a line. Returns a function that stops it. */
  readonly onKey: (run: (key: string) => void) => () => void;
};

/** A command of ours in another process, which ends with this one. */
export type Started = {
  /** Resolves with the first line of its stdout that matches, past lines included. */
  readonly line: (isIt: (line: string) => boolean) => Promise<string>;
  /** Its stderr so far. */
  readonly errors: () => string;
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => void;
  /** The exit code; null after a signal. */
  readonly exit: Promise<number | null>;
};

/** Emits `message`, `error` and `exit`, as Node's Worker does. */
export type Thread = EventEmitter & {
  readonly postMessage: (message: unknown) => void;
  readonly cpuUsage: () => Promise<NodeJS.CpuUsage>;
  /** From now on it does not keep the process alive. */
  readonly unref: () => void;
  readonly terminate: () => Promise<unknown>;
};

/** The service manager that started the process, such as systemd. */
export type Supervisor = {
  /** Sends one message, such as `READY=1`. Never throws. */
  readonly notify: (message: string) => void;
  /** Without a message for this long it kills the process and starts it again. Null: it does not watch. */
  readonly watchdogMs: number | null;
};

type ThreadOptions = {
  readonly workerData: unknown;
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb: number };
};

export type Host = {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly files: Files;
  /** Makes text printable first; writes bytes as they are. */
  readonly stdout: (data: string | Uint8Array) => void;
  readonly stderr: (data: string | Uint8Array) => void;
  /** Whether each stream is a terminal. */
  readonly terminal: { readonly stdout: boolean; readonly stderr: boolean };
  /** Capabilities of the terminal on stdout. */
  readonly screen: Screen;
  /** Input and output of a program that speaks a protocol over them; nothing else may be printed on stdout then. */
  readonly streams: () => { readonly input: Readable; readonly output: Writable };
  /** Asks the user, one line per answer. */
  readonly dialog: () => Dialog;
  readonly start: (args: readonly string[]) => Started;
  /** Runs a file of ours in a new thread. */
  readonly startThread: (file: URL, options: ThreadOptions) => Thread;
  /** Makes a new, empty folder. */
  readonly scratchFolder: () => { readonly folder: string; readonly remove: () => void };
  /** Calls back on each arrival. Returns a function that stops listening. */
  readonly onSignal: (signal: Signal, run: () => void) => () => void;
  /** Number of threads that can run at once. */
  readonly cores: number;
  /** Calls back with each uncaught error; the process continues. */
  readonly onCrash: (run: (error: unknown) => void) => void;
  /** Null: no service manager waits for messages of this process. */
  readonly supervisor: Supervisor | null;
  /** Null: the processes that started this one are not watched. */
  readonly processes: Processes | null;
  /** Ends the process at once; a daemon's once its last lines are written, or after a second. */
  readonly exit: (code: ExitCode) => void;
  /** The configuration that QUOIN_CONFIG names. Null: unset or empty. */
  readonly configVariable: string | null;
  /** Names of set environment variables that name a proxy or make Node.js use one. */
  readonly proxyVariables: readonly string[];
  /** Path of this user's private folder, which may not exist yet. */
  readonly privateFolder: string;
  readonly version: string;
  /** Commit of the running program, or "unknown". */
  readonly commit: string;
  /** Hash of the program's source, committed or not, and of its packages' versions. Programs with the same hash give the same results. */
  readonly sourceHash: () => string;
};

/** Exit codes of every command. `EXIT_ORDERS_MAY_REST`: stopped, but orders may still rest; they are listed on stderr. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_ORDERS_MAY_REST = 3;
export type ExitCode = 0 | 1 | 2 | 3;

/** Writes the reason to stderr and returns the exit code. */
export function endWith<Code extends ExitCode>(code: Code, why: string, { stderr }: Pick<Host, "stderr">): Code {
  stderr(`quoin: ${why}\n`);
  return code;
}

/**
 * Resolves with the first SIGINT or SIGTERM. Keeps listening while the process runs: a terminal and a package runner may both pass on one
 * Ctrl-C, and a second signal must not interrupt the canceling that the first one began.
 */
export function untilStopped(host: Host): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) host.onSignal(signal, () => resolve(signal));
  });
}
