// What an operator may set on a running daemon without touching its file: parameters within the strategy's bounds, limits downward. A
// change of parameters reads and checks the file with these values, so nothing passes that a file may not have. Limits alone are checked by
// their schema against the running ones: tightening waits for no file and no strategy.

import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { meant } from "../../../kernel/nearest.ts";
import { ConfigError } from "../../../kernel/yaml/fault.ts";
import type { BotConfig, QuotedMarket } from "../../config/config.ts";
import { marketConflicts } from "../../config/footprint.ts";
import { marketHash, shortHash } from "../../config/market-hash.ts";
import { limitsPath, placePath, type Setting, SettingError } from "../../config/setting.ts";
import {
  type AccountLimits,
  accountRows,
  type LimitRow,
  marketRows,
  tightenAccount,
  tightenMarket,
} from "../../risk/limits/limits.ts";
import { fieldsOf, isAccountNumber, isMarketNumber, malformed, type OperatorRefusal } from "./trading-state.ts";

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
/** A name as in the schema: no dot gets through, so no path leaves the market. */
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

const PATH = /^accounts\.(\d{1,20})(?:\.markets\.(\d{1,5}))?\.(params|limits)\.(\w{1,64})$/;

/** The change of one setting, which its path names: `accounts.12.markets.1.params.halfSpreadBps`, `accounts.12.limits.maxLoss`. */
export function requestOf(path: string, value: unknown, reason: unknown): ParamsRequest | OperatorRefusal {
  const [, account, market, part, name] = PATH.exec(path) ?? [];
  if (account === undefined || part === undefined || name === undefined)
    return malformed("the path must be accounts.ID.markets.ID.params.NAME, ….limits.NAME or accounts.ID.limits.NAME");
  const ofMarket = market === undefined ? {} : { market: Number(market) };
  return readParamsRequest(JSON.stringify({ reason, account, ...ofMarket, [part]: { [name]: value } }));
}

/** `instead`: text to use in place of the file on disk. Rejects with ConfigError and SettingError. */
export type ReadConfig = (settings: readonly Setting[], instead?: string) => Promise<BotConfig>;

/** Returns the configuration with the requested change, ready for a reload; a refusal where the schema or a running limit forbids it. */
export async function changedConfig(
  request: ParamsRequest,
  running: BotConfig,
  read: ReadConfig,
): Promise<BotConfig | OperatorRefusal> {
  if (isOfLimits(request)) return tightenedConfig(request, running);
  let config: BotConfig;
  try {
    config = await read(settingsWith(request, running));
  } catch (error) {
    if (error instanceof ConfigError)
      return malformed(error.faults.map(({ path, message }) => `${path}: ${message}`).join("; "));
    if (error instanceof SettingError) return malformed(messageOf(error));
    throw error;
  }
  const denied = deniedBy(request, running, config);
  return raised(request, running, config) ?? (denied.length > 0 ? malformed(denied.join("; ")) : config);
}

/** True without parameters: then no strategy and no file is needed. */
export const isOfLimits = ({ params }: ParamsRequest): boolean => Object.keys(params).length === 0;

/** Returns the running configuration with the limits of the request; a refusal as above. */
export function tightenedConfig(request: ParamsRequest, running: BotConfig): BotConfig | OperatorRefusal {
  const { accountId: id, marketId } = request;
  const account = running.accounts.find((each) => each.accountId === id);
  const market = account?.markets.find((each) => each.marketId === marketId);
  if (account === undefined || (market === undefined && marketId !== null))
    return malformed(`${placePath(id, marketId)} names nothing: it does not run here`);
  const rows = market === undefined ? accountRows : marketRows;
  const { limits, faults } = limitsOf(request, rows);
  if (faults.length > 0) return malformed(faults.join("; "));
  const next =
    market === undefined
      ? { ...account, limits: withLimits(account.limits, limits) }
      : { ...account, markets: account.markets.map((each) => (each === market ? marketWith(market, limits) : each)) };
  const settings = settingsWith(request, running);
  const accounts = running.accounts.map((each) => (each === account ? next : each));
  const config = { ...running, accounts, settings, hash: shortHash({ hash: running.hash, settings }) };
  const denied = market === undefined ? [] : newConflicts(market, marketWith(market, limits));
  return raised(request, running, config) ?? (denied.length > 0 ? malformed(denied.join("; ")) : config);
}

/** Returns the paths that name the change: those that it sets, and those that follow. */
export function pathsOf(request: ParamsRequest): readonly string[] {
  const paths = settingsOf(request).map(({ path }) => path);
  const follows = "maxLoss" in request.limits ? [`${limitsPath(request.accountId, request.marketId)}.maxDrawdown`] : [];
  return [...paths, ...follows];
}

/** Earlier settings that the request does not replace. */
function settingsWith(request: ParamsRequest, running: BotConfig): readonly Setting[] {
  const wanted = settingsOf(request);
  return [...running.settings.filter(({ path }) => wanted.every((setting) => setting.path !== path)), ...wanted];
}

function settingsOf({ accountId: account, marketId, params, limits }: ParamsRequest): readonly Setting[] {
  const under = (part: string, values: Values) =>
    Object.entries(values).map(([name, value]) => ({ path: `${placePath(account, marketId)}.${part}.${name}`, value }));
  return [...under("params", params), ...under("limits", limits)];
}

/** As the schema reads them. */
function limitsOf(
  { accountId: id, marketId, limits }: ParamsRequest,
  rows: Readonly<Record<string, LimitRow>>,
): { readonly limits: Values; readonly faults: readonly string[] } {
  const read: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, value] of Object.entries(limits)) {
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    const parsed = row?.schema.safeParse(value);
    const why =
      parsed === undefined
        ? `unknown key${meant([name], Object.keys(rows))}`
        : parsed.error?.issues.map(({ message }) => message).join("; ");
    if (why !== undefined) faults.push(`${limitsPath(id, marketId)}.${name}: ${why}`);
    else read[name] = parsed?.data;
  }
  return { limits: read, faults };
}

/** `maxDrawdown` follows `maxLoss` where they are equal. */
const withLimits = <L extends Pick<AccountLimits, "maxLoss" | "maxDrawdown">>(running: L, limits: Values): L => ({
  ...running,
  ...(running.maxDrawdown === running.maxLoss && "maxLoss" in limits ? { maxDrawdown: limits.maxLoss } : {}),
  ...limits,
});

function marketWith(running: QuotedMarket, values: Values): QuotedMarket {
  const market = { ...running, limits: withLimits(running.limits, values) };
  return { ...market, hash: marketHash(market) };
}

/** Returns what the tighter limits deny and the earlier ones did not. */
function newConflicts(running: QuotedMarket, wanted: QuotedMarket): readonly string[] {
  const [before, after] = [running, wanted].map((market) => {
    const { strategy, shadow, limits, premiumBook } = market;
    const under = (place: string, of: Pick<QuotedMarket, "strategy" | "limits">): [string, string][] =>
      marketConflicts(of).map(({ path, message }) => [[place, ...path].join("."), message]);
    const most = premiumBook?.maxContracts ?? 0n;
    return new Map([
      ...under("params", { strategy, limits }),
      ...(shadow === null ? [] : under("shadow.params", { strategy: shadow.strategy, limits })),
      ...(most > limits.maxPosition ? [["premiumBook.maxContracts", "is above limits.maxPosition"] as const] : []),
    ]);
  });
  return [...(after ?? [])].flatMap(([path, message]) => (before?.has(path) ? [] : [`${path}: ${message}`]));
}

/** Returns a refusal where a limit of the request is looser than the running one; null: none is. */
function raised(request: ParamsRequest, running: BotConfig, wanted: BotConfig): OperatorRefusal | null {
  const names = raisedLimits(request, running, wanted);
  if (names.length === 0) return null;
  return malformed(
    `${names.join(", ")} would let more pass than now: you can only tighten limits here; to loosen one, edit the file and send SIGHUP`,
  );
}

/** Returns the request's limits that are looser than running ones. Others in the file wait for SIGHUP, as at every reload. */
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

/** Returns parameters that current limits would deny, where the file's looser ones wait for SIGHUP. */
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
