// The real machine behind a command: the one file that touches the process, its environment and its signals.

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
/** In a millisecond: systemd counts in them. */
const MICROSECONDS = 1000;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The package, unlike a checkout, has the commit that it was made of written in it. */
const { version, gitHead }: { readonly version: string; readonly gitHead?: string } = manifest;

// The reader of our output may go away: that must not end a daemon with resting orders.
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
  // A container may run under a number that no user has; where there are no numbers the folder is the user's own.
  privateFolder: join(tmpdir(), `quoin-${process.getuid?.() ?? "of-user"}`),
  version,
  commit: gitHead ?? commitOf(join(ROOT, ".git"), systemFiles.read),
  sourceHash,
};

/** What a daemon that ends waits at most for its last lines to be taken. */
const LAST_LINES_MS = 1000;

/** The same for a process that runs for days: what it prints never holds it up, and what it leaves open does not keep it. */
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
 * Node has a terminal block whoever writes to it, which nothing else here may: neither the process, nor a thread, without which it could
 * not end. A pipe does not block. A file is written by a thread.
 */
function outputTo(stream: NodeJS.WriteStream & { readonly fd: number }, gap: (lines: number) => string): Output {
  const { _handle: handle } = stream as { _handle?: { readonly setBlocking?: (isBlocking: boolean) => void } };
  if (stream.isTTY) handle?.setBlocking?.(false);
  return new Output({ clock: processHost.clock, gap, write: (bytes, done) => write(stream.fd, bytes, done) });
}
/** Text may hold words of others; bytes are our own. */
const shownOf = (data: string | Uint8Array) => (typeof data === "string" ? printableLines(data) : data);

/** package.json names the packages' versions. */
function sourceHash(): string {
  const names = ["src", "strategies"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[jt]s$/.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  const files = ["package.json", ...names.toSorted()];
  return sha256Hex(JSON.stringify(files.map((name) => [name, systemFiles.read(join(ROOT, name))])));
}

/** The channel to it tells it when we are gone, however we went. */
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

/** Questions go to stderr: stdout is for results. */
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

/** systemd's messages are datagrams of a Unix socket, which Node cannot send: its own command does, which is there where it is. */
function supervisorOf({ NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): Supervisor | null {
  if (NOTIFY_SOCKET === undefined) return null;
  const isWatched = WATCHDOG_USEC !== undefined && (WATCHDOG_PID ?? `${process.pid}`) === `${process.pid}`;
  return {
    notify(message) {
      try {
        const sent = spawn("systemd-notify", [message], { stdio: "ignore" });
        sent.on("error", () => {}); // Without the command nobody hears: the unit's own timeout says so.
        sent.unref();
      } catch {
        // No room for another process: that is not what ends this one.
      }
    },
    watchdogMs: isWatched ? Number(WATCHDOG_USEC) / MICROSECONDS : null,
  };
}

type Read = (path: string) => string;

/**
 * The commit of a checkout, read from its files: git need not be on the machine. `git`: the checkout's `.git` folder. "unknown"
 * where there is none, or for a linked work tree.
 */
export function commitOf(git: string, read: Read): string {
  const head = textOf(`${git}/HEAD`, read);
  const branch = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  const commit = branch === undefined ? head : textOf(`${git}/${branch}`, read) || packed(git, branch, read);
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : "unknown";
}

/** A branch that git has put among others: lines of a commit and a name. */
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
