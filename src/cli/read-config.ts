// How a command reads its configuration: as much of it as the command needs. Faults go to stderr, a line each.

import type { BotConfig } from "../bot/config/config.ts";
import { type EmergencyConfig, readEmergencyConfig } from "../bot/config/emergency.ts";
import type { WithoutMarkets } from "../bot/config/load.ts";
import { type Configuration, loadConfiguration, loadWithoutMarkets } from "../configuration.ts";
import { readConfiguration } from "../daemon/configuration/thread.ts";
import type { Host } from "../host/host.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";

/** The bot's configuration. Undefined when it is wrong. */
export const readConfig = async (file: string, host: Host): Promise<BotConfig | undefined> =>
  (await readWhole(file, host))?.bot;

/** Also refuses whatever `check` refuses: for a process that starts to trade. Undefined when the configuration is wrong. */
export async function readForStart(file: string, host: Host): Promise<BotConfig | undefined> {
  try {
    return (await readConfiguration({ file }, host)).bot;
  } catch (error) {
    return reportFaults(error, host);
  }
}

/** With the devnet that it embeds. Undefined when the configuration is wrong. */
export async function readWhole(file: string, host: Host): Promise<Configuration | undefined> {
  try {
    return await loadConfiguration(file, host.files);
  } catch (error) {
    return reportFaults(error, host);
  }
}

/** Reads only what a command for emergencies needs; the rest of the file may be wrong. Undefined when that part is wrong. */
export function readForEmergency(file: string, host: Host): EmergencyConfig | undefined {
  try {
    return readEmergencyConfig(file, host.files);
  } catch (error) {
    return reportFaults(error, host);
  }
}

/** Loads no strategy, so none need be on the machine: for a process that trades nothing. Undefined when the configuration is wrong. */
export function readWithoutStrategies(file: string, host: Host): WithoutMarkets | undefined {
  try {
    return loadWithoutMarkets(file, host.files);
  } catch (error) {
    return reportFaults(error, host);
  }
}

/** Writes the faults of a ConfigError to stderr; throws every other error. */
export function reportFaults(error: unknown, { stderr }: Pick<Host, "stderr">): undefined {
  if (!(error instanceof ConfigError)) throw error;
  for (const fault of error.faults) stderr(`${formatFault(fault)}\n`);
}
