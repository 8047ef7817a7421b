// The real machine behind a command: the one file that touches the process, its environment and its signals.

import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { systemClock } from "../kernel/clock.ts";
import { systemEntropy } from "../kernel/entropy.ts";
import { systemFiles } from "../kernel/yaml/files.ts";
import { commitOf } from "./commit.ts";
import type { Host } from "./host.ts";

const GIT = fileURLToPath(new URL("../../.git", import.meta.url));

// Whoever read our output may go away: that must not take a daemon with resting orders along.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

export const processHost: Host = {
  clock: systemClock,
  entropy: systemEntropy,
  files: systemFiles,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  terminal: { stdout: process.stdout.isTTY === true, stderr: process.stderr.isTTY === true },
  onSignal(signal, run) {
    process.on(signal, run);
    return () => process.off(signal, run);
  },
  version: manifest.version,
  commit: process.env.QUOIN_COMMIT ?? commitOf(GIT, systemFiles.read),
};
