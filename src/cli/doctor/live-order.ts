// Transactions that a check sends: a cancel of no order, and the round trip of one post-only order far from the market. The order must
// appear in both lists of the account's orders, be canceled and disappear; the lag of each list is measured. In every case no test order
// stays, and no other order is touched.

import { type BotConfig, withoutPaper } from "../../bot/config/config.ts";
import { footprintOf } from "../../bot/config/footprint.ts";
import type { AgentKey } from "../../bot/execution/agent-key.ts";
import {
  byNode,
  type LocklessCancelResult,
  locklessCancel,
  locklessSender,
} from "../../bot/execution/lockless-cancel.ts";
import { sendTimes } from "../../bot/execution/send-time.ts";
import type { Venue } from "../../bot/venue/port.ts";
import type { Account, OpenOrders, Positions } from "../../domain/account.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import type { Lane } from "../../domain/lane.ts";
import type { Market } from "../../domain/market.ts";
import { snapToTick, usdOf } from "../../domain/rounding.ts";
import { type AccountId, BPS, nonce, type OrderId, orderId, type Price, price, type Size } from "../../domain/units.ts";
import { type Clock, sleep } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { durationText } from "../../kernel/text.ts";
import { commandText } from "../../kernel/typed-command.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { plainTerms } from "../../wire/transaction/trading.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import type { Facts } from "./facts.ts";
import { judged, notChecked, type Verdict } from "./finding.ts";

export type Modules = { readonly clock: Clock; readonly venue: Venue };
export type LiveTest = {
  /** The configuration's file. */
  readonly file: string;
  readonly chainId: string;
  readonly readLagMaxMs: number;
  readonly account: Account;
  readonly market: Market;
  readonly size: Size;
  readonly agentKey: AgentKey;
  /** Chain time minus the machine's time. */
  readonly offsetMs: number;
};

/** Most of the price band, at most a fifth: far from the market, and still a price that the exchange accepts. */
const BAND_SHARE = 9n;
const BAND_PARTS = 10n;
const FARTHEST_BPS = 2000n;
const SEEN_MS_MAX = 5000;
const LOOK_EVERY_MS = 50;

/** An order for the first market of the first account. A verdict when none can be made. */
export function liveTestOf(config: BotConfig, facts: Facts, keys: ReadonlyMap<bigint, AgentKey>): LiveTest | Verdict {
  const [quoted] = withoutPaper(config).accounts;
  const [first] = quoted?.markets ?? [];
  const account = quoted && facts.accounts.get(quoted.accountId);
  const market = first && facts.markets.get(first.marketId);
  const agentKey = quoted && keys.get(quoted.accountId);
  if (!facts.node.ok || account?.ok !== true || market?.ok !== true || agentKey === undefined || first === undefined)
    return notChecked("the checks before it failed");
  const wanted = footprintOf(first.strategy.params).size ?? first.limits.maxOrderSize;
  const { status, wallMs } = facts.node.value;
  return {
    file: config.file,
    chainId: config.venue.chainId,
    readLagMaxMs: config.venue.readLagMaxMs,
    account: account.value,
    market: market.value,
    size: wanted < first.limits.maxOrderSize ? wanted : first.limits.maxOrderSize,
    agentKey,
    offsetMs: status.blockTimestampSec * 1000 - wallMs,
  };
}

/** Never rejects. */
export async function tryLiveOrder(test: LiveTest, modules: Modules): Promise<Verdict> {
  const { clock } = modules;
  const cancelAll = commandText("cancel-all", test.file);
  const startMs = clock.monotonicMs();
  const before = new Set(test.account.openOrders.map(({ orderId }) => orderId));
  const at = farBid(test.market);
  try {
    const outcome = await senderOf(test, modules)(farOrder(test, at), "place");
    const placedMs = clock.monotonicMs();
    const shown = outcome.kind === "executed" ? await lateLists(test, modules, isFresh(before), placedMs) : null;
    const { confirmed, canceledMs } = await cancelTest(test, before, placedIn(outcome), modules);
    const gone = confirmed ? await lateLists(test, modules, (listed) => !isFresh(before)(listed), canceledMs) : null;
    const held = await latePositions(test, modules);
    const took = durationText(clock.monotonicMs() - startMs);
    const what = `one post-only bid at ${usdOf(at)} in market ${test.market.marketId}`;
    if (outcome.kind === "unknown")
      return judged(
        [`${what}: no answer came (${outcome.why}), it may still land; run ${cancelAll} in two minutes`],
        "",
      );
    if (gone === null || gone.includes(null)) return judged([`${what} may still rest; run ${cancelAll}`], "");
    if (outcome.kind !== "executed") return judged([`${what} was not placed: ${outcomeText(outcome)}`], "");
    if (shown === null || shown.includes(null))
      return judged([`${what} was placed, and not both lists of open orders have shown it; it is canceled`], "");
    if (held === null) return judged(["the account and its list of positions do not say the same"], "");
    const lateMs = Math.round(Math.max(...[...shown, ...gone].map(Number), held));
    const done = `${what}: placed, seen resting, canceled, seen gone in ${took}; lists of orders and positions up to ${lateMs} ms late`;
    if (lateMs <= test.readLagMaxMs / 2) return judged([], done);
    const advice = `venue.readLagMaxMs is ${test.readLagMaxMs}; set it to ${Math.min(2 * lateMs, READ_LAG_MAX_MS)} or more`;
    return judged([`${done}; ${advice}`], "", "warn");
  } catch (error) {
    return judged([`${messageOf(error)}; run ${cancelAll}`], "");
  }
}

/** The largest lag that the configuration allows. */
const READ_LAG_MAX_MS = 60_000;

type Listed = ReadonlySet<OrderId>;

const isFresh =
  (before: Listed) =>
  (listed: Listed): boolean =>
    [...listed].some((orderId) => !before.has(orderId));

/** How late each of the two lists showed the wanted state. */
function lateLists(
  { account: { accountId } }: LiveTest,
  { clock, venue: { reads } }: Modules,
  isWanted: (listed: Listed) => boolean,
  sinceMs: number,
): Promise<readonly (number | null)[]> {
  const lists = [() => reads.account(accountId), () => reads.orders(accountId)];
  return Promise.all(lists.map((list) => lateMs(async () => isWanted(idsOf(await list())), sinceMs, clock)));
}

const idsOf = ({ openOrders }: OpenOrders): Listed => new Set(openOrders.map(({ orderId }) => orderId));

/** How late the account and the list of positions agreed. */
function latePositions({ account: { accountId } }: LiveTest, { clock, venue: { reads } }: Modules) {
  const agree = async (): Promise<boolean> => {
    const [one, other] = await Promise.all([reads.account(accountId), reads.positions(accountId)]);
    return heldText(one) === heldText(other);
  };
  return lateMs(agree, clock.monotonicMs(), clock);
}

const heldText = ({ positions, unreadable }: Positions): string =>
  [
    ...positions.map(({ marketId, side, size }) => `${marketId} ${side} ${size}`),
    ...unreadable.flatMap(({ what, marketId }) => (what === "position" ? `${marketId} unreadable` : [])),
  ]
    .toSorted()
    .join();

/**
 * How long after `sinceMs` (monotonic) the first answer was asked for that is right: 0 where none before it was wrong. Null: none was right
 * within five seconds, or answered.
 */
export async function lateMs(isRight: () => Promise<boolean>, sinceMs: number, clock: Clock): Promise<number | null> {
  const endMs = clock.monotonicMs() + SEEN_MS_MAX;
  for (let wasWrong = false; clock.monotonicMs() < endMs; await sleep(clock, LOOK_EVERY_MS)) {
    const askedMs = clock.monotonicMs();
    const right = await isRight().catch(() => null);
    if (right === true) return wasWrong ? askedMs - sinceMs : 0;
    wasWrong ||= right === false;
  }
  return null;
}

/** No exchange has had so many orders, and every language reads the number exactly. */
const NO_ORDER = orderId(BigInt(Number.MAX_SAFE_INTEGER));

/**
 * One real transaction of the first account whose key the exchange knows: a CancelOrder of an order that is not there. Executed or refused,
 * it changes nothing and takes no nonce (S5). Null where none can be sent: no answer, another chain, no approved key. Never rejects.
 */
export async function cancelNothing(
  { venue: { chainId } }: BotConfig,
  { node, accounts }: Facts,
  keys: ReadonlyMap<AccountId, AgentKey>,
  modules: Modules,
): Promise<SubmitOutcome | null> {
  if (!node.ok || node.value.status.chainId !== chainId) return null;
  const { status, wallMs } = node.value;
  const approved = [...keys].find(([id, { publicKey }]) => {
    const account = accounts.get(id);
    const agent = account?.ok ? account.value.agents.find(({ pubkey }) => pubkey === publicKey) : undefined;
    return agent !== undefined && (agent.expiresAtSec ?? Number.POSITIVE_INFINITY) > status.blockTimestampSec;
  });
  if (approved === undefined) return null;
  const [, agentKey] = approved;
  const send = await locklessSender({ chainId, agentKey, offsetMs: status.blockTimestampSec * 1000 - wallMs }, modules);
  return send({ type: "CancelOrder", orderId: NO_ORDER });
}

export function farBid({ oraclePrice, priceBandBps, tickSize, bestAsk }: Market): Price {
  const band = (BigInt(priceBandBps ?? 0) * BAND_SHARE) / BAND_PARTS;
  const distance = band === 0n || band > FARTHEST_BPS ? FARTHEST_BPS : band;
  const far = (oraclePrice * (BPS - distance)) / BPS;
  const below = bestAsk === null || far < bestAsk ? far : bestAsk - tickSize;
  return snapToTick(price(below), tickSize, "buy");
}

/** `changed`: what differs in the signed transaction. */
export type Send = (
  transaction: Transaction,
  lane: Lane,
  changed?: { readonly chainId?: string; readonly timestampSec?: number },
) => Promise<SubmitOutcome>;

/** Signs and sends. The nonce is the present time, as a daemon's is, and above the last one: the next daemon starts above it. */
export function senderOf({ chainId, agentKey, offsetMs }: LiveTest, { clock, venue }: Modules): Send {
  let last = 0;
  return (transaction, lane, changed = {}) => {
    const wallMs = clock.wallMs();
    const { first: timeMs } = sendTimes(byNode(offsetMs, wallMs), wallMs);
    last = Math.max(Math.trunc(timeMs), last + 1);
    const body = sealEnvelope({
      chainId,
      transactionText: encodeTransaction(transaction),
      nonce: nonce(BigInt(last)),
      timestampSec: Math.floor(timeMs / 1000),
      signer: agentKey.signer,
      ...changed,
    });
    return venue.submit(body, lane);
  };
}

/** A post-only bid. */
export const farOrder = ({ account, market, size }: LiveTest, at: Price): Transaction => ({
  type: "PlaceOrder",
  ...plainTerms,
  accountId: account.accountId,
  marketId: market.marketId,
  side: "buy",
  size,
  price: at,
  orderType: "Limit",
  reduceOnly: false,
  postOnly: true,
  timeInForce: "GTC",
});

/** Id of the order that the answer names. */
export function placedIn(outcome: SubmitOutcome): OrderId | undefined {
  const events = outcome.kind === "executed" ? outcome.events : [];
  return events.flatMap((event) => (event.type === "orderPlaced" ? event.orderId : []))[0];
}

/**
 * Cancels the test's orders, and returns whether the exchange has confirmed that none rests, and when a cancel was last answered. `keep`:
 * earlier orders, which stay; `placed`: canceled whatever the lists name.
 */
export async function cancelTest(
  { account: { accountId }, chainId, readLagMaxMs, agentKey }: LiveTest,
  keep: Listed,
  placed: OrderId | undefined,
  { clock, venue }: Modules,
): Promise<LocklessCancelResult & { readonly canceledMs: number }> {
  let canceledMs = clock.monotonicMs();
  const submit: Venue["submit"] = async (body, lane) => {
    const outcome = await venue.submit(body, lane);
    canceledMs = clock.monotonicMs();
    return outcome;
  };
  const deadlineMs = SEEN_MS_MAX + 2 * readLagMaxMs;
  const own = () => (placed === undefined ? [] : [{ orderId: placed, marketId: null }]);
  const listsAfterMs = placed === undefined ? readLagMaxMs : 0;
  const options = { accountId, chainId, readLagMaxMs, listsAfterMs, agentKey, keep, own, deadlineMs };
  const result = await locklessCancel(options, { clock, venue: { reads: venue.reads, submit } });
  return { ...result, canceledMs };
}

export function outcomeText(outcome: SubmitOutcome): string {
  if (outcome.kind === "executed") return outcome.kind;
  return "error" in outcome ? `${outcome.kind}: ${outcome.error}` : `${outcome.kind}: ${outcome.why}`;
}
