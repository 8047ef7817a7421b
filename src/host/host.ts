// What a command may touch of the machine, as an argument: so that every command runs in a test as it does in a shell.

import type { EventEmitter } from "node:events";
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
  /** Nobody asked for none: https://no-color.org. */
  readonly color: boolean;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back on each key that is pressed, without waiting for a line's end; returns how to stop. */
  readonly onKey: (run: (key: string) => void) => () => void;
};

/** A command of ours in a process of its own, which ends with this one. */
export type Started = {
  /** Resolves with the first line of its stdout that is so, also one of the past. */
  readonly line: (isIt: (line: string) => boolean) => Promise<string>;
  /** What it said on stderr. */
  readonly errors: () => string;
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => void;
  /** The exit code; null after a signal. */
  readonly exit: Promise<number | null>;
};

/** Emits `message`, `error` and `exit`, as the runtime's does. */
export type Thread = EventEmitter & {
  readonly postMessage: (message: unknown) => void;
  readonly cpuUsage: () => Promise<NodeJS.CpuUsage>;
  /** From now on it keeps no process alive. */
  readonly unref: () => void;
  readonly terminate: () => Promise<unknown>;
};

/** The service manager that started the process, such as systemd. */
export type Supervisor = {
  /** Sends one message, such as `READY=1`. Never throws. */
  readonly notify: (message: string) => void;
  /** Without a message for so long the process is killed and started again; null: it is not watched. */
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
  /** Text is made printable first; bytes are written as they are. */
  readonly stdout: (data: string | Uint8Array) => void;
  readonly stderr: (data: string | Uint8Array) => void;
  /** Whether a person reads what is written there. */
  readonly terminal: { readonly stdout: boolean; readonly stderr: boolean };
  /** What a terminal on stdout can do. */
  readonly screen: Screen;
  /** Asks whoever sits there, a line an answer. */
  readonly dialog: () => Dialog;
  readonly start: (args: readonly string[]) => Started;
  /** Runs a file of ours in a thread of its own. */
  readonly startThread: (file: URL, options: ThreadOptions) => Thread;
  /** A new, empty folder of this process. */
  readonly scratchFolder: () => { readonly folder: string; readonly remove: () => void };
  /** Calls back on each arrival; returns how to stop listening. */
  readonly onSignal: (signal: Signal, run: () => void) => () => void;
  /** Threads that run at once. */
  readonly cores: number;
  /** Calls back with each error that nothing caught; the process goes on then. */
  readonly onCrash: (run: (error: unknown) => void) => void;
  /** Who started the process and waits for its word; null: nobody does. */
  readonly supervisor: Supervisor | null;
  /** Null: none is watched. */
  readonly processes: Processes | null;
  /** Ends the process at once; a daemon's as soon as its last lines were taken, within a second. */
  readonly exit: (code: ExitCode) => void;
  /** What the environment names as the configuration, by QUOIN_CONFIG; null: nothing, or an empty text. */
  readonly configVariable: string | null;
  /** Those variables of the environment that name a proxy, or have Node.js use one. */
  readonly proxyVariables: readonly string[];
  /** A folder for this user alone; nothing has to lie in it yet. */
  readonly privateFolder: string;
  readonly version: string;
  /** The commit that runs, or "unknown". */
  readonly commit: string;
  /** Of the program's own source and its packages' versions, whether committed or not: what gives the same results has the same. */
  readonly sourceHash: () => string;
};

/** Exit codes of every command (contract section 2). */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_ORDERS_MAY_REST = 3;
export type ExitCode = 0 | 1 | 2 | 3;

/**
 * Resolves with the first of SIGINT and SIGTERM. Listens on for the lifetime of the process: a terminal and a package runner may
 * both pass on the same Ctrl-C, and a second signal must not cut off the canceling that the first one began.
 */
export function untilStopped(host: Host): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) host.onSignal(signal, () => resolve(signal));
  });
}
