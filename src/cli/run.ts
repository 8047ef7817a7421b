// `quoin run`: reads the configuration in a thread while this one loads the daemon's modules, then runs the daemon.

import type { ReadTexts } from "../daemon/configuration/reader.ts";
import { readConfiguration } from "../daemon/configuration/thread.ts";
import { untilDaemonStops } from "../daemon/process/npm-watch.ts";
import { EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";

export async function run({ config: file }: { readonly config: string }, host: Host): Promise<ExitCode> {
  // Listen first: a stop that comes during the start still cancels what an earlier run left resting.
  const stopped = untilDaemonStops(host);
  const texts: ReadTexts = new Map();
  const reading = readConfiguration({ file, texts }, host).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    return null;
  });
  const [configuration, { runDaemon }] = await Promise.all([reading, import("../daemon/run-daemon.ts")]);
  return configuration === null ? EXIT_USAGE : runDaemon({ configuration, texts }, stopped, host);
}
