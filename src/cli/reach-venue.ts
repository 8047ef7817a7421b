// Commands that go to the exchange beside a daemon: the configuration, and the way there. An embedded exchange lives in its
// daemon and can be reached through that daemon alone.

import type { BotConfig } from "../bot/config/config.ts";
import { type EmergencyConfig, readEmergencyConfig } from "../bot/config/emergency.ts";
import type { WithoutMarkets } from "../bot/config/load.ts";
import type { Venue } from "../bot/venue/port.ts";
import {
  createRemoteVenue,
  defaultRemoteOptions,
  type RemoteOptions,
  sockets,
  type Transport,
} from "../bot/venue/remote/remote.ts";
import { printable } from "../kernel/printable.ts";
import { createPrng } from "../kernel/prng.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import { type Configuration, loadConfiguration, loadWithoutMarkets } from "../sim/configuration.ts";
import { readConfiguration } from "./config-thread.ts";
import type { Host } from "./host.ts";

/** Undefined when the configuration is wrong; its faults are on stderr. */
export const readConfig = async (file: string, host: Host): Promise<BotConfig | undefined> =>
  (await readWhole(file, host))?.bot;

/** The same for what starts to trade: nothing passes that `check` refuses. */
export async function readForStart(file: string, host: Host): Promise<BotConfig | undefined> {
  try {
    return (await readConfiguration({ file }, host)).bot;
  } catch (error) {
    return sayFaults(error, host);
  }
}

/** The same with the devnet that it embeds. */
export async function readWhole(file: string, host: Host): Promise<Configuration | undefined> {
  try {
    return await loadConfiguration(file, host.files);
  } catch (error) {
    return sayFaults(error, host);
  }
}

/** The same for a command that must work in an emergency: only what it needs is read, and only that must be right. */
export function readForEmergency(file: string, host: Host): EmergencyConfig | undefined {
  try {
    return readEmergencyConfig(file, host.files);
  } catch (error) {
    return sayFaults(error, host);
  }
}

/** The same for a process that trades nothing: no strategy is loaded, so that none need be on its machine. */
export function readWithoutStrategies(file: string, host: Host): WithoutMarkets | undefined {
  try {
    return loadWithoutMarkets(file, host.files);
  } catch (error) {
    return sayFaults(error, host);
  }
}

/** Throws what is no fault of a configuration. */
function sayFaults(error: unknown, host: Host): undefined {
  if (!(error instanceof ConfigError)) throw error;
  for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
}

/** Null for an embedded exchange. Opens connections only as they are needed: a command sends little. */
export function reachVenue(
  { venue }: Pick<BotConfig, "venue">,
  host: Host,
  options: Partial<RemoteOptions> = {},
  transport: Transport = sockets(host),
): Venue | null {
  if (venue.kind === "embedded") return null;
  const { validatorUrl, wsUrl } = venue;
  const modules = { clock: host.clock, prng: createPrng(0n), report: () => {}, transport };
  return createRemoteVenue({ ...defaultRemoteOptions, warmConnections: 0, ...options, validatorUrl, wsUrl }, modules);
}

/** A sentence when the exchange reports another chain than the configuration; undefined also when it does not answer. */
export async function otherChain(
  { venue: { chainId } }: Pick<BotConfig, "venue">,
  { reads }: Venue,
): Promise<string | undefined> {
  const node = await reads.node().catch(() => undefined);
  if (node === undefined || node.chainId === chainId) return undefined;
  return `the exchange is ${printable(node.chainId, 80)}, the configuration says ${chainId}; nothing was sent`;
}
