// What the exchange's facts mean for a configuration that is about to go live. Pure: facts in, verdicts out.

import type { BotConfig, QuotedMarket } from "../../bot/config/config.ts";
import { footprintOf } from "../../bot/config/footprint.ts";
import type { AgentKey } from "../../bot/execution/agent-key.ts";
import { moveThatLoses } from "../../bot/risk/scenarios.ts";
import { sizeAdvice, sizeAdviceText } from "../../bot/risk/size-advice.ts";
import { approvedOn, elsewhereText } from "../../bot/service/lifecycle/other-accounts.ts";
import { type Account, unreadableText } from "../../domain/account.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import { contractsOf, usdcOf, usdOf } from "../../domain/rounding.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import { countText, durationText } from "../../kernel/text.ts";
import type { MarketSizes } from "../market-sizes.ts";
import type { Facts, Read } from "./facts.ts";
import { type CheckName, judged, notChecked, type Verdict } from "./finding.ts";
import { outcomeText } from "./live-order.ts";

export type Subject = {
  readonly config: BotConfig;
  readonly facts: Facts;
  /** Only markets whose book, trades and past prints could be read. */
  readonly sizes: ReadonlyMap<MarketId, MarketSizes>;
  /** Only accounts whose key could be read. */
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
  /** The outcome of the one test transaction. Null: none was sent. */
  readonly posted: SubmitOutcome | null;
  /** Names of environment variables that name a proxy. */
  readonly proxies: readonly string[];
};

type ExchangeCheck = Extract<
  CheckName,
  | "reachable"
  | "chainId"
  | "clock"
  | "agentKey"
  | "otherAccounts"
  | "account"
  | "markets"
  | "oracle"
  | "budget"
  | "collateral"
>;

/** A block's time is in whole seconds and lags by up to a block. */
const BLOCK_TIME_STEP_MS = 2000;

export const exchangeChecks: Readonly<Record<ExchangeCheck, (subject: Subject) => Verdict>> = {
  reachable({ config, facts: { node }, posted, proxies }) {
    const direct = `${proxies.join(", ")} ${proxies.length === 1 ? "is" : "are"} set, and Quoin connects to the exchange directly, through no proxy`;
    const proxy = proxies.length === 0 ? [] : [direct];
    if (!node.ok)
      return judged(
        [
          node.isAnswered ? node.why : `the exchange does not answer: ${node.why}; correct venue.validatorUrl`,
          ...proxy,
        ],
        "",
      );
    const { status, tookMs } = node.value;
    const which = config.venue.kind === "embedded" ? "a fresh embedded exchange, started for this check; " : "";
    const answered = `${which}height ${status.blockHeight}, answered in ${durationText(tookMs)}`;
    const isTaken = posted === null || posted.kind === "executed" || posted.kind === "refused";
    if (!isTaken)
      return judged([`reads are answered, a signed POST was not executed (${outcomeText(posted)})`, ...proxy], "");
    const right =
      posted === null ? answered : `${answered}; took a signed POST, a cancel of an order that is not there`;
    return judged(proxy.length === 0 ? [] : [...proxy, right], right, "warn");
  },
  chainId({ config, facts: { node } }) {
    if (!node.ok) return notChecked(notRead(node));
    const [{ chainId: there }, { chainId: here }] = [node.value.status, config.venue];
    return judged(
      there === here ? [] : [`the exchange is ${there}, the configuration says ${here}; correct venue.chainId`],
      here,
    );
  },
  clock({ config, facts: { node } }) {
    if (!node.ok) return notChecked(notRead(node));
    const { status, tookMs, wallMs } = node.value;
    const offsetMs = status.blockTimestampSec * 1000 - wallMs;
    const allowedMs = Math.min(...quotedMarkets(config).map(({ limits }) => limits.maxClockOffsetMs));
    const seenMs = Math.abs(offsetMs);
    const off = `this machine's clock is ${durationText(offsetMs)} ${offsetMs < 0 ? "ahead of" : "behind"} the chain's`;
    return judged(
      seenMs > allowedMs + tookMs + BLOCK_TIME_STEP_MS
        ? [`${off}, ${durationText(allowedMs)} are allowed; set the clock, or run NTP`]
        : [],
      `within ${durationText(allowedMs)} of the chain's, as far as whole seconds show`,
    );
  },
  agentKey({ config, facts, keys }) {
    if (!facts.node.ok) return notChecked(notRead(facts.node));
    const nowMs = facts.node.value.status.blockTimestampSec * 1000;
    return eachAccount(facts.accounts, (account) => {
      const key = keys.get(account.accountId);
      if (key === undefined) return { problem: `not checked: the key of account ${account.accountId} cannot be read` };
      return keyStanding(account, key.publicKey, nowMs, marginMs(config, account.accountId));
    });
  },
  otherAccounts({ facts, keys }) {
    if (!facts.node.ok) return notChecked("the exchange does not answer");
    const nowSec = facts.node.value.status.blockTimestampSec;
    const known = [...facts.others].flatMap(([id, found]) => {
      const key = keys.get(id);
      return key === undefined ? [] : [{ id, found, key: key.publicKey }];
    });
    const elsewhere = known.flatMap(({ id, found, key }) => {
      const ids = approvedOn(found, key, nowSec);
      return ids.length === 0 ? [] : [elsewhereText(id, key, ids)];
    });
    if (elsewhere.length > 0) return judged(elsewhere, "");
    const unread = [...facts.accounts.keys()].flatMap((id) => {
      const found = known.find((one) => one.id === id)?.found;
      if (found === undefined) return [`account ${id}: not checked`];
      return found.unread.map((why) => `account ${id}: ${why}`);
    });
    const right = known.map(({ id, found }) => `account ${id}: ${countText(found.others.length, "other account")}`);
    if (right.length === 0) return judged(unread, "no account is traded with a key", "warn");
    return judged(unread, `the keys are approved on none of the owner's other accounts (${right.join("; ")})`, "warn");
  },
  account: ({ facts }) =>
    eachAccount(facts.accounts, ({ accountId, pendingActivation, positions, openOrders, unreadable }) => {
      const unread = facts.lists.get(accountId) ?? [];
      if (unread.length > 0) return { problem: `account ${accountId}: ${unread.join("; ")}: nothing is quoted` };
      return pendingActivation
        ? { problem: `account ${accountId} is not activated; its owner pays the activation fee first` }
        : unreadable.length > 0
          ? { problem: `account ${accountId}: ${unreadable.map(unreadableText).join("; ")}: no new exposure there` }
          : {
              right: `account ${accountId}: ${countText(positions.length, "position")}, ${countText(openOrders.length, "open order")}`,
            };
    }),
  markets({ config, facts, sizes }) {
    const { markets } = facts;
    const problems = [...markets].flatMap(([id, read]) => {
      if (!read.ok) return [read.isMissing ? `market ${id} does not exist; correct marketId` : read.why];
      const { status } = read.value;
      return status === "Active" ? [] : [`market ${id} is ${status}; nothing is quoted there`];
    });
    for (const [id, why] of facts.trades) if (markets.get(id)?.ok) problems.push(why);
    return judged(
      problems,
      config.accounts
        .flatMap((account) => account.markets.map((quoted) => marketText(quoted, account.accountId, facts, sizes)))
        .join(", "),
    );
  },
  oracle({ facts: { oracles, node } }) {
    if (!node.ok) return notChecked(notRead(node));
    const nowSec = node.value.status.blockTimestampSec;
    const right: string[] = [];
    const problems = [...oracles].flatMap(([id, read]) => {
      if (!read.ok) return [`market ${id}: ${read.why}`];
      const { status, validUntilSec, price } = read.value;
      if (status !== "Active") return [`the oracle of market ${id} is ${status}; nothing is quoted until it is Active`];
      if (validUntilSec === 0)
        return [`the exchange does not say until when the print of market ${id} is valid; nothing is quoted`];
      const leftMs = (validUntilSec - nowSec) * 1000;
      if (leftMs <= 0) return [`the print of market ${id} expired ${durationText(leftMs)} ago; wait for the next one`];
      right.push(`market ${id}: ${usdOf(price)}, valid for ${durationText(leftMs)}`);
      return [];
    });
    return judged(problems, right.join("; "));
  },
  budget({ config, facts }) {
    if (!facts.node.ok) return notChecked(notRead(facts.node));
    const reserve = Math.max(...quotedMarkets(config).map(({ limits }) => limits.budgetReserve));
    const right: string[] = [];
    let isUnknown = false;
    const problems = [...facts.budgets].flatMap(([id, read]) => {
      const told = read.ok && read.value.isUnitUnknown !== true ? read.value : null;
      const left = told?.requestsRemaining ?? null;
      if (left === null && told !== null && told.requestsUsed !== null) {
        right.push(`account ${id}: no limit is named`);
        return [];
      }
      if (left === null) {
        isUnknown = true;
        return [`account ${id}: no readable request budget; Quoin slows down only when refused (normal on the devnet)`];
      }
      right.push(`account ${id}: ${left} requests left`);
      return left > BigInt(reserve)
        ? []
        : [
            `account ${id} has ${left} requests left, ${reserve} of which are kept for cancels; nothing would be placed`,
          ];
    });
    return judged(problems, right.join("; "), isUnknown ? "warn" : "fail");
  },
  collateral: ({ config, facts }) =>
    eachAccount(facts.accounts, ({ accountId, collateral, availableCollateral }) => {
      const needed = marginForOneOrderEach(config, accountId, facts);
      const available = usdcOf(availableCollateral ?? collateral);
      const what = availableCollateral === null ? "USDC of collateral (available part unknown)" : "USDC available";
      return available > needed
        ? { right: `account ${accountId}: ${available} ${what}, ${needed.toFixed(2)} needed for an order a market` }
        : {
            problem: `account ${accountId} has ${available} ${what}, ${needed.toFixed(2)} are needed for an order a market; deposit, or lower size`,
          };
    }),
};

const notRead = ({ isAnswered }: Extract<Facts["node"], { ok: false }>): string =>
  isAnswered ? "node info cannot be read" : "the exchange does not answer";

type Judged = { readonly problem: string } | { readonly right: string };

function eachAccount(accounts: Facts["accounts"], judge: (account: Account) => Judged): Verdict {
  const right: string[] = [];
  const problems = [...accounts].flatMap(([id, read]) => {
    if (!read.ok) return [failedRead(id, read)];
    const found = judge(read.value);
    if ("problem" in found) return [found.problem];
    right.push(found.right);
    return [];
  });
  return judged(problems, right.join("; "));
}

const failedRead = (id: AccountId, read: Extract<Read<Account>, { ok: false }>): string =>
  read.isMissing ? `account ${id} does not exist; correct accountId` : `account ${id} cannot be read: ${read.why}`;

function keyStanding({ accountId, agents }: Account, publicKey: string, nowMs: number, marginMs: number): Judged {
  const agent = agents.find(({ pubkey }) => pubkey === publicKey);
  const approve = `have the owner of account ${accountId} approve ${publicKey}`;
  if (agent === undefined) return { problem: `the agent key is not approved on account ${accountId}; ${approve}` };
  if (agent.expiresAtSec === null) return { right: `approved on account ${accountId}, without an end` };
  const leftMs = agent.expiresAtSec * 1000 - nowMs;
  if (leftMs <= 0) return { problem: `the agent key expired ${durationText(leftMs)} ago; ${approve} again` };
  const ends = `the agent key of account ${accountId} ends in ${durationText(leftMs)}`;
  return leftMs <= marginMs
    ? { problem: `${ends}; quoting stops ${durationText(marginMs)} before that: ${approve} for longer` }
    : { right: ends };
}

const marginMs = ({ accounts }: BotConfig, id: AccountId): number =>
  Math.max(
    ...accounts
      .filter(({ accountId }) => accountId === id)
      .flatMap(({ markets }) => markets.map(({ limits }) => limits.agentExpiryMarginMs)),
  );

/**
 * Also names the price move that `maxLoss` equals, since a limit that no print reaches never acts, and the size that the market carries.
 */
function marketText(
  { marketId, strategy, limits }: QuotedMarket,
  id: AccountId,
  { markets, accounts }: Facts,
  sizes: Subject["sizes"],
): string {
  const read = markets.get(marketId);
  if (!read?.ok) return `${marketId}`;
  const { name, oraclePrice } = read.value;
  const bps = moveThatLoses({ price: oraclePrice, position: limits.maxPosition }, limits.maxLoss);
  const acts = `maxLoss is a move of ${bps} bps against maxPosition`;
  const account = accounts.get(id);
  const known = sizes.get(marketId);
  if (known === undefined || account?.ok !== true) return `${marketId} ${name} (${acts})`;
  const { collateral: equity, openOrders } = account.value;
  const own = openOrders.filter((order) => order.marketId === marketId);
  const configured = footprintOf(strategy.params).size;
  const advice = sizeAdvice({ ...known.sizes, own, equity });
  const beside = configured === null ? "" : `, configured ${contractsOf(configured)}`;
  return `${marketId} ${name} (${acts}; ${sizeAdviceText(advice)}${beside})`;
}

const quotedMarkets = ({ accounts }: BotConfig): readonly QuotedMarket[] => accounts.flatMap(({ markets }) => markets);

/** USDC at the oracle price. Where the parameters give no size, the largest order that the limits allow. */
function marginForOneOrderEach({ accounts }: BotConfig, id: AccountId, { markets }: Facts): number {
  const quoted = accounts.find(({ accountId }) => accountId === id)?.markets ?? [];
  return quoted.reduce((sum, { marketId, strategy, limits }) => {
    const read = markets.get(marketId);
    if (read === undefined || !read.ok) return sum;
    const size = footprintOf(strategy.params).size ?? limits.maxOrderSize;
    return sum + contractsOf(size) * usdOf(read.value.oraclePrice) * (read.value.initialMarginRatioBps / 10_000);
  }, 0);
}
