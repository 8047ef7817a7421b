// Learns from test orders what the interface does not show: how the exchange names a placed order, whether it understands a modify, how it
// reports a cancel, how an empty list looks, and whether there is a request budget. It places one order at a time, post-only, far from the
// market and no larger than the configured orders.

import type { OpenOrders, RateLimit } from "../../domain/account.ts";
import type { Dialect, DialectWord } from "../../domain/dialect.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import type { Order } from "../../domain/order.ts";
import { type OrderId, type Price, price, type Size, size } from "../../domain/units.ts";
import { sleep } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { durationText } from "../../kernel/text.ts";
import { accountReads } from "../../wire/reads.ts";
import { farOrder, type LiveTest, outcomeText, type Send } from "../doctor/live-order.ts";
import { type Answer, type Item, listIn, nameOf, orderIn, says } from "./heard.ts";
import { type Seen, type Subject, seen } from "./step.ts";

/** `orderId`: the order's id after the action. */
export type Lesson = Seen & { readonly learned?: Partial<Dialect>; readonly orderId?: OrderId };

export type Learner = {
  readonly subject: Subject;
  readonly test: LiveTest;
  readonly send: Send;
  /** Orders that rested before. */
  readonly before: ReadonlySet<OrderId>;
};

const LOOK_EVERY_MS = 50;
/** How long to wait beyond the lag of reads for answers that may never come. */
const ANSWER_MS_MAX = 5000;
const QUIET_MS = 300;
const QUIET_MS_MAX = 3000;
const PRICES = ["price", "limit_price", "limitPrice", "new_price", "newPrice"];
const SIZES = [
  ...["size", "new_size", "newSize", "original_size", "originalSize", "quantity"],
  ...["remaining", "remaining_size", "remainingSize"],
];

/** Places an order. `orderId` is absent when nothing names the order. */
export async function learnName(learner: Learner, at: Price): Promise<Lesson> {
  const { subject, test, before } = learner;
  const { heard, venue } = subject;
  heard.mark();
  const outcome = await learner.send(farOrder(test, at), "place");
  if (outcome.kind !== "executed") return seen(false, outcomeText(outcome));
  const unknown = unknownText(outcome);
  const byEvent = onlyOrder(heard.events, before);
  if (byEvent !== undefined) return named(byEvent, `by an event, ${nameIn(heard.events, byEvent)}${unknown}`);
  const byFrame = await eventually(learner, async () => onlyOrder(heard.frames, before));
  if (byFrame.found !== undefined)
    return named(byFrame.found, `by a frame, ${nameIn(heard.frames, byFrame.found)}; no event${unknown}`);
  const byList = await eventually(learner, async () => {
    const rows = fresh(await venue.reads.account(test.account.accountId), before);
    const [row, ...others] = rows.filter((order) => isAs(order, test, at));
    return others.length === 0 ? row?.orderId : undefined;
  });
  return byList.found === undefined
    ? seen(false, `no event, frame or list${unknown}${failureText(byList)}`)
    : named(byList.found, `by the list of open orders; no event, no frame${unknown}`);
}

const named = (orderId: OrderId, how: string): Lesson => ({ ...seen(true, `order ${orderId} ${how}`), orderId });

/** Whether both lists show the order with its price and size. */
export async function learnListing(learner: Learner, orderId: OrderId, at: Price): Promise<Lesson> {
  const { subject, test } = learner;
  const { account, orders } = subject.venue.reads;
  const { accountId } = test.account;
  const listed = await eventually(learner, async () => {
    const lists = await Promise.all([account(accountId), orders(accountId)]);
    const isThere = (order: Order): boolean => order.orderId === orderId && isAs(order, test, at);
    return lists.every(({ openOrders }) => openOrders.some(isThere)) || undefined;
  });
  return listed.found === undefined
    ? seen(false, `not in both lists${failureText(listed)}`)
    : seen(true, `in both lists after ${durationText(listed.tookMs)}`);
}

/** Moves the order by a tick, further from the market. */
export function learnRepricing(learner: Learner, orderId: OrderId, at: Price): Promise<Lesson> {
  const newPrice = price(at - learner.test.market.tickSize);
  return learnModify(learner, orderId, { newPrice, newSize: null }, (order) => order.price === newPrice);
}

/** Halves the order's size. */
export function learnResizing(learner: Learner, orderId: OrderId): Promise<Lesson> {
  const newSize = size(learner.test.size / 2n);
  if (newSize === 0n) return Promise.resolve(seen(null, "the order is too small to be made smaller"));
  return learnModify(learner, orderId, { newPrice: null, newSize }, (order) => order.remainingSize === newSize);
}

type Change = { readonly newPrice: Price | null; readonly newSize: Size | null };

async function learnModify(
  learner: Learner,
  orderId: OrderId,
  change: Change,
  isDone: (order: Order) => boolean,
): Promise<Lesson> {
  const { subject, test, before } = learner;
  const { heard, venue } = subject;
  const [what, names, value] =
    change.newPrice === null
      ? (["size", SIZES, change.newSize] as const)
      : (["price", PRICES, change.newPrice] as const);
  const isIt = (item: Item): boolean => orderIn(item) !== undefined && says(item, names, value ?? 0n);
  await quiet(learner);
  heard.mark();
  const outcome = await learner.send({ type: "ModifyOrder", orderId, ...change }, "modify");
  if (outcome.kind !== "executed") return { ...seen(false, outcomeText(outcome)), orderId };
  const event = heard.events.find(isIt);
  const listed = await eventually(learner, async () =>
    fresh(await venue.reads.account(test.account.accountId), before).find(isDone),
  );
  const frame = event ?? (await eventually(learner, async () => heard.frames.find(isIt))).found;
  const told = [
    event === undefined ? "no event says so" : `event ${nameOf(event)}`,
    ...(event === undefined ? [frame === undefined ? "no frame says so" : `frame ${nameOf(frame)}`] : []),
    listed.found === undefined
      ? `the account does not list it with its new ${what}`
      : `listed with its new ${what} after ${durationText(listed.tookMs)}`,
  ];
  const text = `${told.join(", ")}${unknownText(outcome)}${failureText(listed)}`;
  const rests = listed.found?.orderId ?? orderId;
  if (frame === undefined && listed.found === undefined)
    return { ...seen(null, `executed; ${text}`), orderId: rests, learned: { modifySize: "none" } };
  const learned: Partial<Dialect> = change.newPrice === null ? {} : { modifyPrice: "total" };
  return { ...seen(true, text), orderId: rests, learned };
}

/** How the exchange reports an executed cancel: if nothing else does, both lists lack the order. */
export async function learnCancel(learner: Learner, orderId: OrderId): Promise<Lesson> {
  const { subject, test } = learner;
  const { heard, venue, clock } = subject;
  const isIt = (item: Item): boolean => orderIn(item) === orderId;
  await quiet(learner);
  heard.mark();
  const outcome = await learner.send({ type: "CancelOrder", orderId }, "cancel");
  if (outcome.kind !== "executed") return seen(false, outcomeText(outcome));
  const unknown = unknownText(outcome);
  const event = heard.events.find(isIt);
  if (event !== undefined)
    return { ...seen(true, `by an event, ${nameOf(event)}${unknown}`), learned: { cancel: "event" } };
  const { found: frame } = await eventually(learner, async () => heard.frames.find(isIt));
  if (frame !== undefined)
    return { ...seen(true, `by a frame, ${nameOf(frame)}; no event${unknown}`), learned: { cancel: "event" } };
  await sleep(clock, test.readLagMaxMs);
  const { accountId } = test.account;
  const gone = await eventually(learner, async () => {
    const lists = await Promise.all([venue.reads.account(accountId), venue.reads.orders(accountId)]);
    return lists.every(({ openOrders }) => openOrders.every((order) => order.orderId !== orderId)) || undefined;
  });
  return gone.found === undefined
    ? seen(false, `executed; no event, no frame, and not both lists lack the order${unknown}${failureText(gone)}`)
    : {
        ...seen(true, `by both lists, which lack the order; no event, no frame${unknown}`),
        learned: { cancel: "list" },
      };
}

/** The lists of orders or positions that the account's own read shows as empty. */
export async function learnEmptyList({ config, venue, heard }: Subject): Promise<Lesson> {
  const accountId = config.accounts[0]?.accountId;
  if (accountId === undefined) return seen(null, "no account");
  const account = await venue.reads.account(accountId).catch(() => null);
  if (account === null || account.unreadable.length > 0) return seen(null, "the account cannot be read");
  const empty = [
    ...(account.openOrders.length === 0
      ? [{ path: accountReads.openOrders(accountId).path, read: venue.reads.orders }]
      : []),
    ...(account.positions.length === 0
      ? [{ path: accountReads.positions(accountId).path, read: venue.reads.positions }]
      : []),
  ];
  if (empty.length === 0) return seen(null, "orders rest and positions are held: no list is empty");
  const words = new Set<DialectWord<"emptyList">>();
  const told: string[] = [];
  for (const { path, read } of empty) {
    await read(accountId).catch(() => {});
    const answer = heard.answer(path);
    const list = answer?.httpStatus === 200 ? listIn(answer.json) : undefined;
    if (answer?.httpStatus === NOT_FOUND) words.add("404");
    else if (list?.length === 0) words.add("list");
    told.push(`GET ${path} answers ${answerText(answer)}`);
  }
  const text = told.join("; ");
  const [word, ...contradicting] = words;
  if (word === undefined || contradicting.length > 0) return seen(null, text);
  return { ...seen(true, text), learned: { emptyList: word } };
}

const NOT_FOUND = 404;

function answerText(answer: Answer | undefined): string {
  if (answer === undefined) return "nothing";
  if (answer.httpStatus !== 200) return `HTTP ${answer.httpStatus}`;
  const list = listIn(answer.json);
  return list === undefined ? "with no list" : `with a list of ${list.length}`;
}

/** `before`: the budget before `sent` transactions, or why it could not be read. Without a number nothing is learned. */
export async function learnBudget(learner: Learner, before: RateLimit | string, sent: number): Promise<Lesson> {
  if (typeof before === "string") return seen(null, before);
  if (sent === 0) return seen(null, "no transaction of the probe did anything");
  const { requestsUsed: used, requestsRemaining: left } = before;
  if (used === null && left === null) return seen(null, "no number in a field that is known by name");
  let last = before;
  const counted = await eventually(learner, async () => {
    last = await learner.subject.venue.reads.rateLimit(learner.test.account.accountId);
    const grown = used === null || last.requestsUsed === null ? null : last.requestsUsed - used;
    const fallen = left === null || last.requestsRemaining === null ? null : left - last.requestsRemaining;
    return (grown ?? fallen ?? 0n) >= BigInt(sent) || undefined;
  });
  const shown = ({ requestsUsed, requestsRemaining }: RateLimit): string =>
    requestsUsed === null ? `${requestsRemaining} left` : `${requestsUsed} used`;
  const text = `${shown(before)} before, ${shown(last)} after ${sent} transactions${failureText(counted)}`;
  if (counted.failure !== null) return seen(null, text);
  return counted.found === undefined
    ? { ...seen(null, text), learned: { budget: "none" } }
    : { ...seen(true, text), learned: { budget: "known" } };
}

type Found<T> = { readonly found: T | undefined; readonly tookMs: number; readonly failure: string | null };

/** Returns what `look` finds. Repeats until a read that was sent `readLagMaxMs` after the start finds nothing. */
async function eventually<T>(
  { subject: { clock, isStopped }, test: { readLagMaxMs } }: Learner,
  look: () => Promise<T | undefined>,
): Promise<Found<T>> {
  const startMs = clock.monotonicMs();
  for (let failure: string | null = null; ; await sleep(clock, LOOK_EVERY_MS)) {
    const askedMs = clock.monotonicMs() - startMs;
    try {
      const found = await look();
      failure = null;
      if (found !== undefined || askedMs >= readLagMaxMs || isStopped())
        return { found, tookMs: clock.monotonicMs() - startMs, failure };
    } catch (error) {
      failure = messageOf(error);
      if (askedMs >= readLagMaxMs + ANSWER_MS_MAX || isStopped()) return { found: undefined, tookMs: askedMs, failure };
    }
  }
}

/** Waits until the frames of earlier actions have arrived. */
async function quiet({ subject: { clock, heard } }: Learner): Promise<void> {
  const endMs = clock.monotonicMs() + QUIET_MS_MAX;
  for (let count = -1; count !== heard.frames.length && clock.monotonicMs() < endMs; await sleep(clock, QUIET_MS))
    count = heard.frames.length;
}

/** The only order in the events that did not rest before. */
function onlyOrder(items: readonly Item[], before: ReadonlySet<OrderId>): OrderId | undefined {
  const ids = new Set(items.flatMap((item) => orderIn(item) ?? []).filter((orderId) => !before.has(orderId)));
  const [orderId] = ids;
  return ids.size === 1 ? orderId : undefined;
}

const nameIn = (items: readonly Item[], orderId: OrderId): string =>
  items.flatMap((item) => (orderIn(item) === orderId ? nameOf(item) : []))[0] ?? "";

const fresh = ({ openOrders }: OpenOrders, before: ReadonlySet<OrderId>): readonly Order[] =>
  openOrders.filter(({ orderId }) => !before.has(orderId));

const isAs = (order: Order, { market, size: wanted }: LiveTest, at: Price): boolean =>
  order.marketId === market.marketId && order.side === "buy" && order.price === at && order.size === wanted;

/** A clause per event that Quoin does not read. */
function unknownText(outcome: SubmitOutcome): string {
  const events = outcome.kind === "executed" ? outcome.events : [];
  const names = events.flatMap((event) => (event.type === "other" ? event.name : []));
  const clause = (name: string): string =>
    KNOWN.test(name) ? `event ${name} cannot be read` : `event type ${name} is not known`;
  return [...new Set(names.map((name) => `; ${clause(name)}`))].join("");
}

const KNOWN = /^(?:fill|order(?:placed|modified|cancell?ed))$/i;

const failureText = ({ failure }: Pick<Found<unknown>, "failure">): string => (failure === null ? "" : `; ${failure}`);
