// `quoin run`: reads the configuration in a thread, while the modules of the daemon are loaded in this one; then runs it.

import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import type { ReadTexts } from "./config-reader.ts";
import { readConfiguration } from "./config-thread.ts";
import { EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { untilDaemonStops } from "./npm-watch.ts";

export async function run({ config: file }: { readonly config: string }, host: Host): Promise<ExitCode> {
  // From the first moment: a stop that comes during the start is kept, and what an earlier run left resting is canceled too.
  const stopped = untilDaemonStops(host);
  const texts: ReadTexts = new Map();
  const reading = readConfiguration({ file, texts }, host).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    return null;
  });
  const [configuration, { runDaemon }] = await Promise.all([reading, import("./run-daemon.ts")]);
  return configuration === null ? EXIT_USAGE : runDaemon({ configuration, texts }, stopped, host);
}
