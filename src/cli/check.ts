// `quoin check`: validates a bot's or a devnet's configuration as a start does, and reports all faults with line and column.

import type { BotConfig } from "../bot/config/config.ts";
import { ReadError } from "../bot/venue/port.ts";
import { readEither } from "../daemon/configuration/thread.ts";
import { absentIn, type Listed } from "../daemon/configuration/validate.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { countText } from "../kernel/text.ts";
import { ConfigError, type Fault, faultAt, formatFault } from "../kernel/yaml/fault.ts";
import { readYaml } from "../kernel/yaml/yaml.ts";
import { gatherFacts, type Read } from "./doctor/facts.ts";

export type CheckOptions = { readonly config: string; readonly online: boolean; readonly json: boolean };

/** Exit 0 also with warnings, 1 when --online is given and the exchange does not answer. */
export async function check(options: CheckOptions, host: Host): Promise<ExitCode> {
  try {
    const { says, warnings } = await validate(options, host);
    if (options.json) host.stdout(`${JSON.stringify({ ok: true, faults: [], warnings })}\n`);
    else {
      for (const { message, ...at } of warnings)
        host.stderr(`${formatFault({ ...at, message: `warning: ${message}` })}\n`);
      host.stdout(`${options.config}: valid; ${says}\n`);
    }
    return EXIT_DONE;
  } catch (error) {
    if (error instanceof ReadError)
      return endWith(
        EXIT_FAILED,
        `${options.config} is valid, but the exchange cannot be asked: ${error.message}`,
        host,
      );
    if (!(error instanceof ConfigError)) throw error;
    if (options.json) host.stdout(`${JSON.stringify({ ok: false, faults: error.faults, warnings: [] })}\n`);
    else for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    return EXIT_USAGE;
  }
}

type Checked = { readonly says: string; readonly warnings: readonly Fault[] };

/** `says`: what the file describes, in a few words. Throws ConfigError, and ReadError when the exchange does not answer. */
async function validate({ config: file, online }: CheckOptions, host: Host): Promise<Checked> {
  const read = await readEither(file, host);
  if (read.bot === null) {
    const { markets, accounts } = read.devnet;
    const says = `a devnet of ${countText(markets.length, "market")} and ${countText(accounts.length, "account")}`;
    return { says, warnings: [] };
  }
  const { bot: config, devnet, warnings } = read;
  if (devnet === null && online) await refuseAbsent(config, host);
  const { accounts } = config;
  const markets = accounts.reduce((count, account) => count + account.markets.length, 0);
  return { says: `a bot of ${countText(accounts.length, "account")} and ${countText(markets, "market")}`, warnings };
}

/** Throws ConfigError. */
async function refuseAbsent(config: BotConfig, host: Host): Promise<void> {
  const absent = absentIn(config, await askWhatIsListed(config, host));
  if (absent.length === 0) return;
  const document = readYaml(host.files.read(config.file));
  throw new ConfigError(absent.map(({ path, message }) => faultAt(config.file, document, path, message)));
}

async function askWhatIsListed(config: BotConfig, host: Host): Promise<Listed> {
  const venue = reachVenue(config, host);
  if (venue === null) return { account: () => true, market: () => true };
  try {
    await venue.reads.node();
    const { accounts, markets } = await gatherFacts(config, venue.reads, host.clock);
    const isThere = (read: Read<unknown> | undefined): boolean => read === undefined || read.ok || !read.isMissing;
    return { account: (id) => isThere(accounts.get(id)), market: (id) => isThere(markets.get(id)) };
  } finally {
    await venue.close();
  }
}
