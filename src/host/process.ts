// The real machine: the only file that touches the process, its environment and its signals.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, write } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import manifest from "../../package.json" with { type: "json" };
import { systemClock } from "../kernel/clock.ts";
import { systemEntropy } from "../kernel/entropy.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { printableLines } from "../kernel/printable.ts";
import { systemFiles } from "../kernel/yaml/files.ts";
import type { Dialog, Host, Started, Supervisor } from "./host.ts";
import { Output } from "./output.ts";
import { systemProcesses } from "./process-list.ts";

const STARTER = fileURLToPath(new URL("../start.js", import.meta.url));
const PROXY_VARIABLE = /^((https?|wss?|all|socks)_proxy|node_use_env_proxy)$/i;
/** systemd counts in microseconds. */
const MICROSECONDS_PER_MS = 1000;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** A package, unlike a checkout, names the commit that it was made from. */
const { version, gitHead }: { readonly version: string; readonly gitHead?: string } = manifest;

// A closed output must not end a daemon that has resting orders.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

export const processHost: Host = {
  clock: systemClock,
  entropy: systemEntropy,
  files: systemFiles,
  stdout: (data) => process.stdout.write(shownOf(data)),
  stderr: (data) => process.stderr.write(shownOf(data)),
  terminal: { stdout: process.stdout.isTTY === true, stderr: process.stderr.isTTY === true },
  screen: {
    color: (process.env.NO_COLOR ?? "") === "",
    size: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
    onKey: listenForKeys,
  },
  dialog: openDialog,
  start,
  streams: () => ({ input: process.stdin, output: process.stdout }),
  startThread: (file, options) => new Worker(file, options),
  scratchFolder() {
    const folder = mkdtempSync(join(tmpdir(), "quoin-"));
    return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
  },
  onSignal(signal, run) {
    process.on(signal, run);
    return () => process.off(signal, run);
  },
  cores: availableParallelism(),
  onCrash(run) {
    process.on("uncaughtException", run);
    process.on("unhandledRejection", run);
  },
  supervisor: supervisorOf(process.env),
  processes: systemProcesses,
  exit: (code) => process.exit(code),
  configVariable: process.env.QUOIN_CONFIG || null,
  proxyVariables: Object.keys(process.env).filter((name) => PROXY_VARIABLE.test(name) && process.env[name] !== ""),
  // The user's number, not name: a container's user may have no name. On a platform without numbers the folder is the user's own anyway.
  privateFolder: join(tmpdir(), `quoin-${process.getuid?.() ?? "of-user"}`),
  version,
  commit: gitHead ?? commitOf(join(ROOT, ".git"), systemFiles.read),
  sourceHash,
};

/** How long an ending daemon waits at most for its last lines to be written. */
const LAST_LINES_MS = 1000;

/** For a process that runs for days: output never blocks it, and open handles do not keep it alive at its end. */
export function daemonHost(): Host {
  const { clock, terminal } = processHost;
  const stdout = outputTo(process.stdout, (lines) => {
    const message = `${lines} ${DROPPED}`;
    if (terminal.stdout) return `quoin: ${message}\n`;
    return `${JSON.stringify({ level: "warn", time: clock.wallMs(), event: "log.dropped", lines, msg: message })}\n`;
  });
  const stderr = outputTo(process.stderr, (lines) => `quoin: ${lines} ${DROPPED}\n`);
  return {
    ...processHost,
    stdout: (data) => stdout.print(shownOf(data)),
    stderr: (data) => stderr.print(shownOf(data)),
    exit(code) {
      void Promise.all([stdout.taken(LAST_LINES_MS), stderr.taken(LAST_LINES_MS)]).then(() => process.exit(code));
    },
  };
}

const DROPPED = "lines are missing here: nobody took them in time";

/**
 * Node makes writes to a terminal block. Nothing here may block: not the process, and no thread, since the process could not end without
 * it. A pipe does not block, and a file is written by a thread.
 */
function outputTo(stream: NodeJS.WriteStream & { readonly fd: number }, gap: (lines: number) => string): Output {
  const { _handle: handle } = stream as { _handle?: { readonly setBlocking?: (isBlocking: boolean) => void } };
  if (stream.isTTY) handle?.setBlocking?.(false);
  return new Output({ clock: processHost.clock, gap, write: (bytes, done) => write(stream.fd, bytes, done) });
}
/** Text may hold words of other programs; bytes are our own. */
const shownOf = (data: string | Uint8Array) => (typeof data === "string" ? printableLines(data) : data);

/** package.json represents the packages' versions. */
function sourceHash(): string {
  const names = ["src", "strategies"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[jt]s$/.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  const files = ["package.json", ...names.toSorted()];
  return sha256Hex(JSON.stringify(files.map((name) => [name, systemFiles.read(join(ROOT, name))])));
}

/** The child's channel to us closes when this process ends, however it ends. */
function start(args: readonly string[]): Started {
  const child = spawn(process.execPath, [STARTER, ...args], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  let errors = "";
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      for (const hear of waiting) hear(line);
    });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return {
    line(isIt) {
      const past = lines.find(isIt);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => {
        const hear = (line: string): void => {
          if (!isIt(line)) return;
          waiting.delete(hear);
          resolve(line);
        };
        waiting.add(hear);
      });
    },
    errors: () => errors.trim(),
    kill: (signal) => void child.kill(signal),
    exit: once(child, "close").then(([code]) => code as number | null),
  };
}

function listenForKeys(run: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const hear = (bytes: Buffer): void => run(bytes.toString());
  stdin.setRawMode(true);
  stdin.on("data", hear);
  return () => {
    stdin.off("data", hear);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

/** Questions go to stderr, since stdout is for results. */
function openDialog(): Dialog {
  const reading = createInterface({ input: process.stdin, terminal: false });
  const lines = reading[Symbol.asyncIterator]();
  let isOver = false;
  return {
    async ask(question) {
      process.stderr.write(shownOf(question));
      const { done, value } = await lines.next();
      isOver = done === true;
      return isOver ? undefined : value;
    },
    isOver: () => isOver,
    close: () => reading.close(),
  };
}

/** systemd expects datagrams on a Unix socket, which Node cannot send. Its own command systemd-notify can. */
function supervisorOf({ NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): Supervisor | null {
  if (NOTIFY_SOCKET === undefined) return null;
  const isWatched = WATCHDOG_USEC !== undefined && (WATCHDOG_PID ?? `${process.pid}`) === `${process.pid}`;
  return {
    notify(message) {
      try {
        const sent = spawn("systemd-notify", [message], { stdio: "ignore" });
        sent.on("error", () => {}); // Without the command, the unit's own timeout reports the silence.
        sent.unref();
      } catch {
        // No other process can be started: that must not end this one.
      }
    },
    watchdogMs: isWatched ? Number(WATCHDOG_USEC) / MICROSECONDS_PER_MS : null,
  };
}

type Read = (path: string) => string;

/**
 * The commit of a checkout, read from its files, since git may not be installed. `git`: the checkout's `.git` folder. "unknown" without
 * one, and for a linked work tree.
 */
export function commitOf(git: string, read: Read): string {
  const head = textOf(`${git}/HEAD`, read);
  const branch = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  const commit = branch === undefined ? head : textOf(`${git}/${branch}`, read) || packed(git, branch, read);
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : "unknown";
}

/** The commit of a branch in packed-refs, whose lines hold a commit and a name. */
function packed(git: string, branch: string, read: Read): string {
  const lines = textOf(`${git}/packed-refs`, read).split("\n");
  return lines.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0] ?? "";
}

function textOf(path: string, read: Read): string {
  try {
    return read(path).trim();
  } catch {
    return "";
  }
}
