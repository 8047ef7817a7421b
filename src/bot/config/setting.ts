// Replaces one value of the bot's file, as `--set` does: the path names accounts and markets by id, everything else by the file's keys. The
// schema checks whether the value is allowed there.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { CodedError } from "../../kernel/errors.ts";
import { meant } from "../../kernel/nearest.ts";
import { mappingOf } from "../../kernel/yaml/partial-parse.ts";

export type Setting = {
  /** `accounts.12.markets.1.params.halfSpreadBps`. */
  readonly path: string;
  /** As YAML reads it. */
  readonly value: unknown;
};

export class SettingError extends CodedError<"setting_unknown"> {}

/** Path of a market's limits; `marketId` null: the account's. */
export const limitsPath = (account: AccountId, marketId: MarketId | null): string =>
  `${placePath(account, marketId)}.limits`;

export const placePath = (account: AccountId, marketId: MarketId | null): string =>
  `accounts.${account}${marketId === null ? "" : `.markets.${marketId}`}`;

/** Keys by which list items are identified. */
const idKeys: Readonly<Record<string, string>> = { accounts: "accountId", markets: "marketId" };

/** The written file with the settings applied; does not change the file itself. Throws SettingError for a path that does not exist. */
export const withSettings = (written: unknown, settings: readonly Setting[]): unknown =>
  settings.reduce((value, { path, value: wanted }) => replaced(value, path.split("."), wanted, path), written);

function replaced(value: unknown, steps: readonly string[], wanted: unknown, path: string, list?: string): unknown {
  const [step, ...deeper] = steps;
  if (step === undefined) return wanted;
  if (list !== undefined && Array.isArray(value)) {
    const ids = value.map((item) => String(mappingOf(item)[idKeys[list] ?? ""]));
    const at = ids.indexOf(step);
    if (at < 0) throw unknown(path, step, ids);
    return value.with(at, replaced(value[at], deeper, wanted, path));
  }
  if (value !== undefined && mappingOf(value) !== value) throw unknown(path, step, []);
  const mapping = mappingOf(value);
  return { ...mapping, [step]: replaced(mapping[step], deeper, wanted, path, step in idKeys ? step : undefined) };
}

function unknown(path: string, step: string, known: readonly string[]): SettingError {
  return new SettingError("setting_unknown", `${path} names nothing: there is no ${step} there${meant([step], known)}`);
}
