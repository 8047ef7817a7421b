// `quoin watchdog`: reads the configuration, without its strategies, and watches its daemon until a signal stops it.

import { withoutPaper } from "../bot/config/config.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { runWatchdog } from "../daemon/watchdog.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { readWithoutStrategies } from "./read-config.ts";

/** Exit 1 when the exchange or the account does not have the watchdog, 2 when the configuration is wrong. */
export async function watchdog(options: { readonly config: string }, host: Host): Promise<ExitCode> {
  const config = readWithoutStrategies(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  try {
    await runWatchdog(withoutPaper(config), host);
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof StartError || error instanceof PrivateFileError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return error instanceof StartError && error.code === "failed" ? EXIT_FAILED : EXIT_USAGE;
  }
}
