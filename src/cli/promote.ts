// `quoin promote`: the running daemon lets a market's shadow strategy trade, and writes it into its configuration's file.

import type { Promoted } from "../bot/service/operator/promotions.ts";
import { findDaemon, postToDaemon } from "../daemon/running/ask-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { readForStart } from "./read-config.ts";

export type PromoteOptions = {
  readonly config: string;
  readonly account: string;
  readonly market: number;
  readonly json: boolean;
};

/** The daemon reads and tries the strategies again. */
const ANSWER_MS_MAX = 30_000;

/** Exit 1 without a shadow, when no daemon answers or it refuses; 2 when the configuration is wrong or has no such account or market. */
export async function promote({ config: file, account, market, json }: PromoteOptions, host: Host): Promise<ExitCode> {
  const config = await readForStart(file, host);
  if (config === undefined) return EXIT_USAGE;
  const quoted = config.accounts.find(({ accountId }) => `${accountId}` === account);
  const named = quoted?.markets.find(({ marketId }) => marketId === market);
  if (quoted === undefined) return endWith(EXIT_USAGE, `${file} has no account ${account}`, host);
  if (named === undefined)
    return endWith(EXIT_USAGE, `account ${account} does not quote market ${market} in ${file}`, host);
  if (named.shadow === null)
    return endWith(
      EXIT_FAILED,
      `market ${market} of account ${account} has no shadow to promote; give it one: shadow: { strategy, params }`,
      host,
    );
  const daemon = await findDaemon(config, host);
  const answer = await postToDaemon(daemon, "/promote", { account, market }, ANSWER_MS_MAX);
  if (answer.kind === "nobody") return endWith(EXIT_FAILED, `no daemon answers at ${daemon.url}`, host);
  if (answer.kind === "refused") return endWith(EXIT_FAILED, answer.why, host);
  const promoted = answer.body as Promoted;
  host.stdout(json ? `${JSON.stringify(promoted)}\n` : `${lineOf(promoted)}\n`);
  return EXIT_DONE;
}

const lineOf = ({ accountId, marketId, from, to, kept, canceled }: Promoted): string =>
  `account ${accountId} market ${marketId}: ${to} trades in place of ${from}; kept ${kept}, canceled ${canceled} orders`;
