// What an operator may set on a running daemon without touching its file: parameters within the strategy's bounds, limits downward. It
// goes the way of every other change, the file read and checked with these values in it, so that nothing passes here that a file may not.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { ConfigError } from "../../../kernel/yaml/fault.ts";
import type { BotConfig } from "../../config/config.ts";
import { marketConflicts } from "../../config/footprint.ts";
import { type Setting, SettingError } from "../../config/setting.ts";
import { tightenAccount, tightenMarket } from "../../risk/limits/limits.ts";
import { fieldsOf, isAccountNumber, isMarketNumber, malformed, type OperatorRefusal } from "./operator.ts";

type Values = Readonly<Record<string, unknown>>;

export type ParamsRequest = {
  readonly reason: string;
  readonly accountId: AccountId;
  /** Null: limits of the whole account. */
  readonly marketId: MarketId | null;
  readonly params: Values;
  readonly limits: Values;
};

const SHAPE =
  'the body must be {"reason":"why","account":"12","market":1,"params":{"name":value},"limits":{"name":value}}, params or limits or both';
const keys = ["reason", "account", "market", "params", "limits"];
/** A name as the schema has them: no dot gets through, so no path leaves the market. */
const NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

export function readParamsRequest(body: string): ParamsRequest | OperatorRefusal {
  const { reason, account, market = null, params = {}, limits = {}, ...unknown } = fieldsOf(body) ?? {};
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) return malformed(`unknown key ${extra.slice(0, 40)}; allowed: ${keys.join(", ")}`);
  if (typeof reason !== "string" || reason.trim() === "") return malformed(SHAPE);
  if (!isAccountNumber(account) || !(market === null || isMarketNumber(market))) return malformed(SHAPE);
  if (!areValues(params) || !areValues(limits)) return malformed(SHAPE);
  if (Object.keys(params).length + Object.keys(limits).length === 0) return malformed(SHAPE);
  if (market === null && Object.keys(params).length > 0) return malformed("params are of one market: say which");
  return { reason: reason.slice(0, 200), accountId: accountId(BigInt(account)), marketId: market, params, limits };
}

/** `instead`: the text of the file, in place of what the disk holds. Rejects with ConfigError and SettingError. */
export type ReadConfig = (settings: readonly Setting[], instead?: string) => Promise<BotConfig>;

/** The configuration with what is asked in it, ready for a reload; a refusal where the schema or a running limit forbids it. */
export async function changedConfig(
  request: ParamsRequest,
  running: BotConfig,
  read: ReadConfig,
): Promise<BotConfig | OperatorRefusal> {
  const wanted = settingsOf(request);
  const kept = running.settings.filter(({ path }) => wanted.every((setting) => setting.path !== path));
  let config: BotConfig;
  try {
    config = await read([...kept, ...wanted]);
  } catch (error) {
    if (error instanceof ConfigError)
      return malformed(error.faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
    if (error instanceof SettingError) return malformed(messageOf(error));
    throw error;
  }
  const raised = raisedLimits(request, running, config);
  const denied = deniedBy(request, running, config);
  if (raised.length === 0 && denied.length > 0) return malformed(denied.join("; "));
  if (raised.length === 0) return config;
  return malformed(
    `${raised.join(", ")} would let more pass than now: you can only tighten limits here; to loosen one, edit the file and send SIGHUP`,
  );
}

function settingsOf({ accountId: account, marketId, params, limits }: ParamsRequest): readonly Setting[] {
  const place = `accounts.${account}${marketId === null ? "" : `.markets.${marketId}`}`;
  const under = (part: string, values: Values) =>
    Object.entries(values).map(([name, value]) => ({ path: `${place}.${part}.${name}`, value }));
  return [...under("params", params), ...under("limits", limits)];
}

/** Those of the request that are looser than what runs. What else the file has looser waits for SIGHUP, as at every reload. */
function raisedLimits({ accountId: id, marketId, limits }: ParamsRequest, running: BotConfig, wanted: BotConfig) {
  const [from, to] = [running, wanted].map(({ accounts }) => accounts.find((account) => account.accountId === id));
  if (from === undefined || to === undefined) return [];
  const [before, after] = [from, to].map(({ markets }) => markets.find((market) => market.marketId === marketId));
  const looser: readonly string[] =
    before === undefined || after === undefined
      ? tightenAccount(from.limits, to.limits).looser
      : tightenMarket(before.limits, after.limits).looser;
  return looser.filter((name) => name in limits);
}

/** Parameters that the limits of now would deny, where the file's are looser and wait for SIGHUP. */
function deniedBy(
  { accountId: id, marketId }: ParamsRequest,
  running: BotConfig,
  wanted: BotConfig,
): readonly string[] {
  const [before, after] = [running, wanted].map(({ accounts }) =>
    accounts.find((account) => account.accountId === id)?.markets.find((market) => market.marketId === marketId),
  );
  if (before === undefined || after === undefined) return [];
  const { limits } = tightenMarket(before.limits, after.limits);
  return marketConflicts({ ...after, limits }).map(({ path, message }) => `params.${path.join(".")}: ${message}`);
}

const areValues = (value: unknown): value is Values =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).every((name) => NAME.test(name));
