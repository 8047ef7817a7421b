// `quoin devnet`: runs only the embedded exchange. Prints one line on stdout when it serves; logs go to stderr.

import { createLog } from "../bot/telemetry/log.ts";
import { serveDevnet } from "../daemon/serve-devnet.ts";
import { StoreError } from "../devnet/chain/log/disk.ts";
import { openDisk } from "../devnet/chain/log/store.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { loadDevnetConfig } from "../devnet/config/load.ts";
import type { Devnet } from "../devnet/devnet.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host, untilStopped } from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";

export type DevnetOptions = {
  readonly config: string;
  readonly port: number;
  readonly restPort: number;
  readonly controlPort: number;
  /** Folder of the block log and its snapshots. Without it the chain begins at genesis each time. */
  readonly dataDir?: string;
};

export async function devnet(options: DevnetOptions, host: Host): Promise<ExitCode> {
  const log = createLog("info", { write: host.stderr, terminal: host.terminal.stderr, wallMs: host.clock.wallMs });
  let config: DevnetConfig;
  let running: Devnet;
  try {
    config = loadDevnetConfig(options.config, host.files);
    const { port, restPort, controlPort } = options;
    const address = { host: "127.0.0.1", validatorPort: port, restPort, controlPort };
    const disk = options.dataDir === undefined ? undefined : openDisk(options.dataDir);
    running = await serveDevnet(config, address, host, log, disk);
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
      return EXIT_USAGE;
    }
    host.stderr(`the devnet did not start: ${messageOf(error)}\n`);
    return EXIT_FAILED;
  }
  const { validatorUrl, wsUrl, restUrl, controlUrl } = running;
  const { chainId } = config;
  host.stdout(`${JSON.stringify({ event: "devnet.ready", validatorUrl, wsUrl, restUrl, controlUrl, chainId })}\n`);
  log.info({ event: "devnet.ready", validatorUrl }, `the devnet serves at ${validatorUrl}`);
  const signal = await untilStopped(host);
  log.info({ event: "devnet.stopping", signal }, `${signal}: the devnet stops`);
  try {
    await running.close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    host.stderr(`the devnet stopped, but did not keep its last state: ${error.message}\n`);
    return EXIT_FAILED;
  }
  return EXIT_DONE;
}
