// What must be true before anything is sent: the exchange is the intended one, and the key may trade the account.

import type { Account, NodeStatus } from "../../../domain/account.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { printable } from "../../../kernel/printable.ts";
import { untilAnswered } from "../../../kernel/retry.ts";
import type { QuotedMarket } from "../../config/config.ts";
import { processTiming } from "../../timing.ts";
import { ReadError, type VenueReads } from "../../venue/port.ts";
import { StartError } from "./start-error.ts";

const WAITS = { firstMs: processTiming.startAgainMs, maxMs: processTiming.startAgainMs };
const NOT_FOUND = 404;

/** Throws StartError: `configuration` when the chain id is another one, `failed` when nothing answers. */
export async function checkChain(chainId: string, reads: VenueReads, clock: Clock): Promise<NodeStatus> {
  const node = await readAtStart("the exchange", reads.node, clock);
  if (node.chainId !== chainId) {
    throw new StartError(
      "configuration",
      `the exchange is ${printable(node.chainId, 80)}, the configuration says ${chainId}; nothing was sent`,
      { facts: { chainId: node.chainId } },
    );
  }
  return node;
}

/**
 * Throws StartError when the account does not exist, does not list the key, or lists it as expired by chain time. An approval on the
 * account's master lets a key trade it too (S5), but is not enough: CancelAllOrders, used to fence and to stop, names no account (S4.6) and
 * would act on the master.
 */
export async function checkAgent(
  account: { readonly accountId: AccountId; readonly publicKey: string },
  nowSec: number,
  reads: VenueReads,
  clock: Clock,
): Promise<Account> {
  const { accountId, publicKey } = account;
  const found = await readAtStart(`account ${accountId}`, () => reads.account(accountId), clock);
  const agent = found.agents.find(({ pubkey }) => pubkey === publicKey);
  const fix = "have the account's owner approve it; nothing was sent";
  if (agent === undefined) {
    throw new StartError(
      "failed",
      `agent key ${publicKey} is not approved on account ${accountId} itself (an approval on its master is not enough); ${fix}`,
    );
  }
  if (agent.expiresAtSec !== null && agent.expiresAtSec <= nowSec) {
    throw new StartError("failed", `agent key ${publicKey} of account ${accountId} has expired; ${fix}`);
  }
  return found;
}

/** Throws StartError for a market that the exchange denies having. One without an answer is left to the gates. */
export async function checkMarkets(
  { chainId, markets }: { readonly chainId: string; readonly markets: readonly MarketId[] },
  reads: MarketReads,
): Promise<void> {
  const absent = (await listing({ chainId, markets }, reads)).absent;
  if (absent.length === 0) return;
  throw new StartError("configuration", `${absentText(absent)}; nothing was sent`);
}

/** The market, and those whose prints are its signals. */
export const marketsOf = ({ marketId, signals }: Pick<QuotedMarket, "marketId" | "signals">): readonly MarketId[] => [
  marketId,
  ...signals.flatMap(({ parts }) => parts.flatMap((part) => part.marketId ?? [])),
];

type MarketReads = Pick<VenueReads, "node" | "market">;

/** For people. */
export const absentText = (absent: readonly MarketId[]): string =>
  `the exchange has no market ${absent.join(", ")}; correct marketId, or the market of a signal`;

/** Returns which of `markets` the exchange of this chain denies having, and which it does not answer about now. */
export async function listing(
  { chainId, markets }: { readonly chainId: string; readonly markets: readonly MarketId[] },
  reads: MarketReads,
): Promise<{ readonly absent: readonly MarketId[]; readonly unanswered: readonly MarketId[] }> {
  const node = markets.length === 0 ? undefined : await reads.node().catch(() => undefined);
  if (node?.chainId !== chainId) return { absent: [], unanswered: markets };
  const found = await Promise.all(markets.map((market) => isListed(market, reads)));
  const those = (is: boolean | null) => markets.filter((_, index) => found[index] === is);
  return { absent: those(false), unanswered: those(null) };
}

/** Null: the exchange does not say. */
async function isListed(market: MarketId, reads: Pick<VenueReads, "market">): Promise<boolean | null> {
  try {
    await reads.market(market);
    return true;
  } catch (error) {
    return error instanceof ReadError && error.httpStatus === NOT_FOUND ? false : null;
  }
}

/** Repeats the read until an answer comes, for ten seconds. Throws StartError. */
export async function readAtStart<T>(what: string, read: () => Promise<T>, clock: Clock): Promise<T> {
  const deadlineMs = clock.monotonicMs() + processTiming.firstAnswerMs;
  let cause: unknown;
  const ask = (): Promise<T | null> =>
    read().catch((thrown: unknown) => {
      cause = thrown;
      return null;
    });
  const isOver = (): boolean => clock.monotonicMs() >= deadlineMs;
  const answer = await untilAnswered(ask, WAITS, { wait: (ms) => sleep(clock, ms), isOver });
  if (answer !== null) return answer;
  throw new StartError("failed", `${what} cannot be read: ${messageOf(cause)}; nothing was sent`, { cause });
}
