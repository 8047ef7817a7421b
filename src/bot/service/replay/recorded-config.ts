// A recording's configuration made runnable: its strategies are loaded from where they came from.

import type { QuotedAccount, QuotedMarket } from "../../config/config.ts";
import { botSchema } from "../../config/schema.ts";
import type { Entry, RecordedAccount, RecordedMarket } from "../../recording/entry.ts";
import { builtinStrategies, loadStrategy, recordedStrategy } from "../../strategy/loader.ts";

/** Values of keys that the recording's version did not have. */
function defaults(): Pick<QuotedMarket, "limits" | "requoteDepths" | "queueTicks" | "printSchedule" | "signals"> {
  const market = botSchema.shape.accounts.element.shape.markets.element;
  const limits = { maxPosition: 1, maxOrderSize: 1, maxOpenOrders: 1, maxLoss: 1 };
  const { limits: all, requoteDepths, queueTicks } = market.parse({ marketId: 0, strategy: "any", limits });
  return { limits: all, requoteDepths, queueTicks, printSchedule: null, signals: [] };
}

/** Rejects with StrategyFault where a strategy is missing, or does not take its parameters. */
export async function loadMarket({
  strategy: { name, folder, texts, written },
  ...quoted
}: RecordedMarket): Promise<QuotedMarket> {
  const source = folder === null ? builtinStrategies : recordedStrategy(folder, texts ?? {});
  const { limits, ...others } = defaults();
  const known = { ...others, ...quoted, limits: { ...limits, ...quoted.limits } };
  return { ...known, shadow: null, strategy: await loadStrategy(name, written, source) };
}

export async function loadAccount({ markets, ...account }: RecordedAccount): Promise<QuotedAccount> {
  const none = { agentKeyFile: null, formerKeyFiles: [], watchdogKeyFile: null };
  return { ...account, ...none, markets: await Promise.all(markets.map(loadMarket)) };
}

/** Loads what an entry needs before it is played. */
export async function loadFor(entry: Entry, loaded: WeakMap<object, QuotedMarket | QuotedAccount>): Promise<void> {
  if (entry.kind === "account") loaded.set(entry.quoted, await loadAccount(entry.quoted));
  else if (entry.kind === "requote" || entry.kind === "take") loaded.set(entry.quoted, await loadMarket(entry.quoted));
}

export const needsLoading = ({ kind }: Entry): boolean => kind === "account" || kind === "requote" || kind === "take";
