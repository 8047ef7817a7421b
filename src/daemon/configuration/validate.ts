// The one validation of a configuration, used by `check`, a start, a reload, the page and POST /params. It tries the strategies, so it runs
// in a thread of its own (thread.ts).

import type { BotConfig } from "../../bot/config/config.ts";
import { type Conflict, limitConflicts } from "../../bot/config/footprint.ts";
import type { Setting } from "../../bot/config/setting.ts";
import { type TrialModules, trialFindings } from "../../bot/config/trial-turn.ts";
import { loadAgentKey } from "../../bot/execution/agent-key.ts";
import { type Configuration, loadConfiguration } from "../../configuration.ts";
import type { DevnetConfig } from "../../devnet/config/config.ts";
import { queueModelText } from "../../domain/queue.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { PrivateFileError, type PrivateFileErrorCode } from "../../kernel/private-file.ts";
import { type Fault, faultAt } from "../../kernel/yaml/fault.ts";
import type { Files } from "../../kernel/yaml/files.ts";
import { readYaml, type YamlDocument } from "../../kernel/yaml/yaml.ts";

export type ValidateModules = Pick<TrialModules, "takeAmbientUse"> & {
  /** Called before a strategy's code is loaded, with its place as a fault that has no message. */
  readonly loading: (at: Fault) => void;
  /** Called before a strategy is tried: its place, what it is tried on, and the faults found so far. */
  readonly trying: (at: Fault, trial: Trial, found: readonly Fault[]) => void;
};

export type Trial = { readonly quoteAt: string | null; readonly triedOn: string };

/** A readable configuration and its faults. `warnings` do not stop a daemon from starting. */
export type Judged = {
  readonly configuration: Configuration;
  readonly keyFaults: readonly Fault[];
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
};

/** Throws ConfigError with every fault when the file cannot be read, and SettingError for a path that names nothing. */
export async function validate(
  file: string,
  files: Files,
  settings: readonly Setting[],
  { loading, trying, takeAmbientUse }: ValidateModules,
): Promise<Judged> {
  let text = "";
  const noting: Files = {
    ...files,
    read(path, bytesMax) {
      const read = files.read(path, bytesMax);
      if (path === file) text = read;
      return read;
    },
  };
  const configuration = await loadConfiguration(file, noting, settings, loading);
  const { bot, devnet } = configuration;
  const document = readYaml(text);
  const at = ({ path, message }: Conflict) => faultAt(file, document, path, message);
  const keys = [...keyFaults(bot, document)];
  const faults = limitConflicts(bot).map(at);
  if (devnet !== null) faults.push(...absentIn(bot, listedBy(devnet)).map(at));
  const { tooFewFills } = bot.usualModel ?? {};
  const warnings =
    tooFewFills === undefined
      ? []
      : [at({ path: ["queueModel"], message: `counts as ${queueModelText("riskAverse", tooFewFills)}` })];
  const findings = trialFindings(bot, {
    takeAmbientUse,
    trying: (path, quoteAt, triedOn) => trying(at({ path, message: "" }), { quoteAt, triedOn }, [...keys, ...faults]),
  });
  for (const finding of findings) (finding.isWarning ? warnings : faults).push(at(finding));
  return { configuration, keyFaults: keys, faults, warnings };
}

/** Which accounts and markets an exchange lists. */
export type Listed = { readonly account: (id: AccountId) => boolean; readonly market: (id: MarketId) => boolean };

const listedBy = ({ accounts, markets }: DevnetConfig): Listed => ({
  account: (id) => accounts.some(({ accountId }) => accountId === id),
  market: (id) => markets.some(({ marketId }) => marketId === id),
});

/** Accounts and markets of the configuration that the exchange does not list. A paper account need not be listed. */
export const absentIn = ({ accounts }: Pick<BotConfig, "accounts">, has: Listed): readonly Conflict[] =>
  accounts.flatMap(({ accountId, paper, markets }, account) => [
    ...markets.flatMap(({ signals }, position) =>
      signals.flatMap(({ parts }, index) =>
        parts.flatMap(({ name, marketId }) =>
          marketId === null || has.market(marketId)
            ? []
            : [
                {
                  path: ["accounts", account, "markets", position, "signals", index],
                  message: `signal ${name} is market ${marketId}, which the exchange does not have`,
                },
              ],
        ),
      ),
    ),
    ...(paper !== null || has.account(accountId)
      ? []
      : [{ path: ["accounts", account, "accountId"], message: `the exchange has no account ${accountId}` }]),
    ...markets.flatMap(({ marketId }, position) =>
      has.market(marketId)
        ? []
        : [
            {
              path: ["accounts", account, "markets", position, "marketId"],
              message: `the exchange has no market ${marketId}`,
            },
          ],
    ),
  ]);

/** No fault of the configuration: the key may be on another host, exist only while the service runs, or belong to the daemon's user. */
const ELSEWHERE: ReadonlySet<PrivateFileErrorCode> = new Set([
  "private_file_missing",
  "private_file_unreadable",
  "private_file_owner",
]);

/** Yields the faults of the key files that the configuration names. */
function* keyFaults({ file, accounts }: BotConfig, document: YamlDocument): Generator<Fault> {
  const used = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    for (const name of ["agentKeyFile", "watchdogKeyFile", "formerKeyFiles"] as const) {
      for (const path of [account[name]].flat()) {
        const fault = faultOf(path, used);
        if (fault !== null) yield faultAt(file, document, ["accounts", index, name], fault);
      }
    }
  }
}

/** What is wrong with the key file. Null: nothing, or the file is not on this machine. */
function faultOf(path: string | null, used: Set<string>): string | null {
  if (path === null) return null;
  try {
    const { publicKey } = loadAgentKey(path);
    if (used.has(publicKey)) return "holds a key that is used twice; use one key per account and purpose";
    used.add(publicKey);
    return null;
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return ELSEWHERE.has(error.code) ? null : error.message;
  }
}
