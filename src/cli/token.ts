// `quoin token`: prints the token for the daemon's HTTP.

import { findToken, tokenFileOf } from "../daemon/running/admin-token.ts";
import { runningDaemon } from "../daemon/running/running-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { PrivateFileError } from "../kernel/private-file.ts";
import { readForEmergency } from "./read-config.ts";

/**
 * Prints the token of the daemon that runs on this configuration or at its address, or else the configuration's own. Exit 1 before the
 * daemon's first start, which makes the token, and when its file cannot be read.
 */
export async function token(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  try {
    const running = await runningDaemon(config, host);
    const found = findToken(config, host, running);
    if (found === undefined)
      return endWith(
        EXIT_FAILED,
        `${tokenFileOf(config, host)} does not exist; the daemon makes it at its first start`,
        host,
      );
    host.stdout(options.json ? `${JSON.stringify(found)}\n` : `${found.token}\n`);
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return endWith(EXIT_FAILED, error.message, host);
  }
}
