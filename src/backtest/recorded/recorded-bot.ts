// The bot of a recording as a configuration, so that the recorded time can run again.

import type { BotConfig } from "../../bot/config/config.ts";
import { readWithoutMarkets } from "../../bot/config/load.ts";
import type { RecordedAccount, Start } from "../../bot/recording/entry.ts";
import { recordedIn } from "../../bot/recording/reader.ts";
import { loadAccount } from "../../bot/service/replay/recorded-config.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { filesOf } from "../../kernel/yaml/files.ts";
import { SessionError } from "./session.ts";

export type RecordedBot = {
  readonly bot: BotConfig;
  /** The configuration of a market or account changed later in the recording. */
  readonly isChanged: boolean;
};

/**
 * As it was at the start of the recording. Accounts on paper are left out where others trade. Rejects with RecordingError, with SessionError
 * if it has no account, and with StrategyFault if a strategy can no longer be loaded.
 */
export async function recordedBot(path: string): Promise<RecordedBot> {
  let start: Start | null = null;
  let isChanged = false;
  for (const recorded of recordedIn(path, { withDecisions: false })) {
    if (recorded.kind === "life") start ??= recorded.start;
    else if (recorded.kind === "entry") isChanged ||= changing.has(recorded.entry.kind);
  }
  const accounts = start === null ? [] : tradingAccounts(start.accounts);
  if (start === null || accounts.length === 0) throw new SessionError("it holds no account of a bot");
  const shell = readWithoutMarkets(path, filesOf(new Map([[path, shellText(start, accounts)]])), () => start);
  return { bot: { ...shell, accounts: await Promise.all(accounts.map(loadAccount)), settings: [] }, isChanged };
}

const changing: ReadonlySet<string> = new Set(["account", "requote", "take"]);

function tradingAccounts(accounts: readonly RecordedAccount[]): readonly RecordedAccount[] {
  const real = accounts.filter(({ paper }) => paper === null);
  return real.length > 0 ? real : accounts;
}

/** A recording has the accounts as they ran, and little else of the file: the rest are defaults. */
function shellText({ chainId, readLagMaxMs, landingBoundMs }: Start, accounts: readonly RecordedAccount[]): string {
  const limits = { maxPosition: 1, maxOrderSize: 1, maxOpenOrders: 1, maxLoss: 1 };
  return stringifyJson({
    venue: { chainId, embedded: "none", readLagMaxMs, landingBoundMs },
    accounts: accounts.map(({ accountId, markets }) => ({
      accountId,
      markets: markets.map(({ marketId }) => ({ marketId, strategy: "flatten", limits })),
    })),
  });
}
