// The steps that send: two orders that must be turned away, and one post-only order far from the market that is placed, modified and
// canceled to learn how the exchange words that. If one of the first two is accepted, it takes the place of the third. In every case no
// order stays.

import { remainingLines } from "../../bot/decider/acting/remaining-text.ts";
import { ReadError, type VenueReads, type VenueStream } from "../../bot/venue/port.ts";
import { type Dialect, type DialectKey, dialectWords } from "../../domain/dialect.ts";
import type { OrderId } from "../../domain/units.ts";
import { messageOf } from "../../kernel/errors.ts";
import { commandText } from "../../kernel/typed-command.ts";
import { accountReads } from "../../wire/reads.ts";
import { cancelTest, farBid, farOrder, type LiveTest, outcomeText, type Send, senderOf } from "../doctor/live-order.ts";
import {
  type Learner,
  type Lesson,
  learnBudget,
  learnCancel,
  learnEmptyList,
  learnListing,
  learnName,
  learnRepricing,
  learnResizing,
} from "./lessons.ts";
import { type Seen, type Step, type Subject, seen } from "./step.ts";
import type { Learned } from "./written-dialect.ts";

const stepsOf = {
  otherChain: { row: "51", assumption: "an order that is signed for another chain is rejected" },
  oldTimestamp: { row: "52, NS-29", assumption: "an order older than venue.landingBoundMs is rejected" },
  named: { row: "92, NS-19", assumption: "an event, a frame or the list names an order that was placed" },
  listed: { row: "24, 29, NS-1", assumption: "the account and its list of orders show it as it was sent" },
  repriced: { row: "60a, NS-19", assumption: "what a modify of its price did is shown" },
  resized: { row: "60a, NS-19", assumption: "what a modify of its size did is shown" },
  canceled: { row: "58, NS-19", assumption: "an event, a frame or both lists tell of its cancel" },
  gone: { row: "58, 81", assumption: "CancelOrder ends it, and the account shows that" },
  emptyList: { row: "28, 29", assumption: "an empty list is a list, or HTTP 404" },
  budget: { row: "30, NS-11", assumption: "the budget of requests counts our own transactions" },
} as const;
type Name = keyof typeof stepsOf;

export type Sent = Learned & {
  /** In the order of sending. */
  readonly steps: readonly (Omit<Step, "look"> & Seen)[];
  /** A line per order of the probe that may still rest. */
  readonly survivors: readonly string[];
};

/** Sends nothing more once it is stopped. Never rejects. */
export async function sendSteps(subject: Subject): Promise<Sent> {
  const test = subject.isStopped() ? STOPPED : subject.test;
  const results: Results = new Map();
  const { survivors, why } =
    typeof test === "string" ? { survivors: [], why: test } : await send(test, subject, results);
  results.set("emptyList", await learnEmptyList(subject));
  const taught: Partial<Dialect> = Object.assign({}, ...[...results.values()].map((lesson) => lesson.learned ?? {}));
  const reason = (key: DialectKey): string => {
    const { holds = null, seen: text = why } = results.get(taughtBy[key]) ?? {};
    return holds === true && needsFill.has(key) ? "needs a partial fill" : text;
  };
  const isLearned = (key: DialectKey): boolean => taught[key] !== undefined;
  return {
    steps: (Object.keys(stepsOf) as Name[]).map((name) => {
      const { holds, seen: text } = results.get(name) ?? seen(null, why);
      return { ...stepsOf[name], holds, seen: text };
    }),
    learned: Object.fromEntries(allKeys.filter(isLearned).map((key) => [key, taught[key]])),
    notLearned: Object.fromEntries(allKeys.filter((key) => !isLearned(key)).map((key) => [key, reason(key)])),
    survivors,
  };
}

const allKeys = Object.keys(dialectWords) as DialectKey[];
/** Orders far from the market get no fill. */
const needsFill: ReadonlySet<DialectKey> = new Set(["modifySize", "rowSize"]);

const taughtBy: Readonly<Record<DialectKey, Name>> = {
  modifyPrice: "repriced",
  modifySize: "resized",
  cancel: "canceled",
  rowSize: "listed",
  emptyList: "emptyList",
  budget: "budget",
};

const STOPPED = "the probe was stopped";

type Results = Map<Name, Lesson>;

/** Returns the orders that may still rest, and why a step was skipped. */
async function send(
  test: LiveTest,
  subject: Subject,
  results: Results,
): Promise<{ readonly survivors: readonly string[]; readonly why: string }> {
  const { clock, venue } = subject;
  const modules = { clock, venue: { ...venue, reads: withEmptyLists(subject) } };
  const before = new Set(test.account.openOrders.map(({ orderId }) => orderId));
  const { accountId } = test.account;
  const stream = await listening(subject, test);
  let isUnknown = false;
  const sender = senderOf(test, modules);
  const learner: Learner = {
    subject: { ...subject, venue: modules.venue },
    test,
    before,
    async send(...of) {
      if (subject.isStopped()) return { kind: "notSent", why: STOPPED };
      const outcome = await sender(...of);
      isUnknown ||= outcome.kind === "unknown" && of[1] === "place";
      return outcome;
    },
  };
  let placed: OrderId | undefined;
  let why = "an order had been placed already, or none was";
  try {
    const budget = await venue.reads.rateLimit(accountId).catch(messageOf);
    if (await areTurnedAway(learner, results)) placed = await learn(learner, results);
    results.set("budget", await learnBudget(learner, budget, countShown(results)));
  } catch (error) {
    why = messageOf(error);
  } finally {
    stream.close();
  }
  const result = await cancelTest(test, before, placed, modules);
  const lines = [...remainingLines(accountId, result)];
  if (isUnknown)
    lines.push(
      `account ${accountId}: an order whose answer was lost may still rest; run ${commandText("cancel-all", test.file)} in two minutes`,
    );
  results.set("gone", seen(lines.length === 0, lines[0] ?? "nothing of the probe rests"));
  return { survivors: lines, why: subject.isStopped() ? STOPPED : why };
}

/** Transactions with a visible effect: a success without one may not have executed. */
const countShown = (results: Results): number =>
  (["named", "repriced", "resized", "canceled"] as const).filter((name) => results.get(name)?.holds === true).length;

/** From here on, frames count for the order. */
async function listening({ venue, clock }: Subject, { account: { accountId } }: LiveTest): Promise<VenueStream> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const channels = [
    { channel: "orders", accountId },
    { channel: "fills", accountId },
  ] as const;
  const stream = venue.stream(channels, ({ kind }) => {
    if (kind === "streamOpened") resolve();
  });
  const timer = clock.after(OPEN_MS_MAX, resolve);
  await promise;
  timer.cancel();
  return stream;
}

const OPEN_MS_MAX = 4000;

/** Reads that take a 404 for an empty list of orders, once the list has been read. */
function withEmptyLists({ venue: { reads }, heard }: Subject): VenueReads {
  return {
    ...reads,
    async orders(accountId) {
      try {
        return await reads.orders(accountId);
      } catch (error) {
        const isEmpty = error instanceof ReadError && error.httpStatus === NOT_FOUND;
        if (isEmpty && heard.hasListed(accountReads.openOrders(accountId).path))
          return { openOrders: [], unreadable: [] };
        throw error;
      }
    },
  };
}

const NOT_FOUND = 404;

/** False: the exchange accepted one of them. */
async function areTurnedAway({ subject, test, send: sendOne }: Learner, results: Results): Promise<boolean> {
  const at = farBid(test.market);
  const turnedAway = async (name: Name, changed: Parameters<Send>[2]): Promise<boolean> => {
    const outcome = await sendOne(farOrder(test, at), "place", changed);
    const isRight = outcome.kind === "rejected";
    results.set(name, seen(isRight, outcomeText(outcome)));
    return isRight;
  };
  const nowMs = subject.clock.wallMs() + test.offsetMs;
  const timestampSec = Math.floor(nowMs / 1000) - Math.ceil(subject.config.venue.landingBoundMs / 1000);
  return (
    (await turnedAway("otherChain", { chainId: `${test.chainId}-other` })) &&
    (await turnedAway("oldTimestamp", { timestampSec }))
  );
}

/** Returns the order that may still rest, if anything names it. */
async function learn(learner: Learner, results: Results): Promise<OrderId | undefined> {
  const at = farBid(learner.test.market);
  const name = await learnName(learner, at);
  results.set("named", name);
  const { orderId } = name;
  if (orderId === undefined) return undefined;
  results.set("listed", await learnListing(learner, orderId, at));
  const repriced = await learnRepricing(learner, orderId, at);
  results.set("repriced", repriced);
  let rests = repriced.orderId ?? orderId;
  if (repriced.learned?.modifyPrice === undefined)
    results.set("resized", seen(null, "the modify before it did not show"));
  else {
    const resized = await learnResizing(learner, rests);
    results.set("resized", resized);
    rests = resized.orderId ?? rests;
  }
  results.set("canceled", await learnCancel(learner, rests));
  return rests;
}
