// The steps that only read: they check shapes, units, clocks and the stream.

import type { StreamEvent } from "../../domain/event.ts";
import { usdOf } from "../../domain/rounding.ts";
import type { MarketId } from "../../domain/units.ts";
import { sleep } from "../../kernel/clock.ts";
import { countText, durationText } from "../../kernel/text.ts";
import { type Step, type Subject, seen } from "./step.ts";

const MARKET_STATUSES = ["Active", "Paused", "Settling", "Settled"];
const HOUR_SECS = 3600;
const BLOCKS_MS = 2000;
const STREAM_MS_MAX = 4000;
/** A block's time is in whole seconds, and may lag. */
const STEP_MS = 2000;

const firstMarket = ({ config }: Subject): MarketId => config.accounts[0]?.markets[0]?.marketId ?? 0;

export const readSteps: readonly Step[] = [
  {
    row: "19",
    assumption: "node info names the chain that transactions are signed for",
    async look({ facts: { node }, config }) {
      if (!node.ok) return seen(false, node.why);
      return seen(node.value.status.chainId === config.venue.chainId, node.value.status.chainId);
    },
  },
  {
    row: "128",
    assumption: "block time is in seconds, and near this machine's clock",
    async look({ facts: { node } }) {
      if (!node.ok) return seen(null, "node info cannot be read");
      const offsetMs = node.value.status.blockTimestampSec * 1000 - node.value.wallMs;
      return seen(Math.abs(offsetMs) < STEP_MS + node.value.tookMs, `off by ${durationText(offsetMs)}`);
    },
  },
  {
    row: "8",
    assumption: "blocks follow each other within two seconds, and height never goes back",
    async look({ venue, clock }) {
      const before = await venue.reads.node();
      await sleep(clock, BLOCKS_MS);
      const blocks = (await venue.reads.node()).blockHeight - before.blockHeight;
      return seen(blocks > 0, `${blocks} blocks in ${durationText(BLOCKS_MS)}`);
    },
  },
  {
    row: "10",
    assumption: "the list of markets has the configured ones",
    async look({ venue, facts }) {
      const listed = await venue.reads.marketIds();
      return seen(
        [...facts.markets.keys()].every((id) => listed.includes(id)),
        `${listed.length} listed`,
      );
    },
  },
  {
    row: "88, NS-5",
    assumption: `a market's status is one of ${MARKET_STATUSES.join(", ")}`,
    async look({ facts }) {
      const all = [...facts.markets.values()].flatMap((read) => (read.ok ? [read.value.status] : []));
      if (all.length < facts.markets.size) return seen(false, "a market cannot be read");
      return seen(
        all.every((status) => MARKET_STATUSES.includes(status)),
        all.join(", "),
      );
    },
  },
  {
    row: "12",
    assumption: "the order book is readable and not crossed",
    async look(subject) {
      const { bids, asks } = await subject.venue.reads.book(firstMarket(subject));
      const [bid, ask] = [bids[0], asks[0]];
      const isRight = bid === undefined || ask === undefined || bid.price < ask.price;
      return seen(isRight, `${bids.length} bids, ${asks.length} asks`);
    },
  },
  {
    row: "14",
    assumption: "public trades are readable",
    look: async (subject) =>
      seen(true, countText((await subject.venue.reads.trades(firstMarket(subject))).length, "trade")),
  },
  {
    row: "15, 89",
    assumption: "the oracle has a price, a status and a validity in Unix seconds",
    async look(subject) {
      const { price, status, validUntilSec } = await subject.venue.reads.oracle(firstMarket(subject));
      return seen(validUntilSec > 1e9 && validUntilSec < 1e11, `${usdOf(price)}, ${status}, until ${validUntilSec}`);
    },
  },
  {
    row: "16",
    assumption: "the oracle's history is readable, oldest first",
    async look(subject) {
      const { prices } = await subject.venue.reads.oracleHistory(firstMarket(subject));
      return seen(
        prices.every(({ timeSec }, at) => timeSec >= (prices[at - 1]?.timeSec ?? 0)),
        countText(prices.length, "print"),
      );
    },
  },
  {
    row: "121b",
    assumption: "funding settles hourly",
    async look(subject) {
      const { fundingIntervalSecs } = await subject.venue.reads.funding(firstMarket(subject));
      return seen(fundingIntervalSecs === HOUR_SECS, `every ${fundingIntervalSecs} s`);
    },
  },
  {
    row: "17, 122",
    assumption: "the fee schedule is readable, and no taker fee is above assumedFeeBps",
    async look({ venue, config, measured }) {
      const fees = (await venue.reads.feeTiers()).map(({ takerFeeBps }) => takerFeeBps);
      const most = Math.max(0, ...fees);
      measured.takerFeeBps = most;
      const assumed = Math.min(...config.accounts.flatMap(({ markets }) => markets.map((m) => m.limits.assumedFeeBps)));
      return seen(fees.length > 0 && most <= assumed, `${fees.length} tiers, ${most} bps at most`);
    },
  },
  {
    row: "119, NS-3, NS-27",
    assumption: "the treasury configuration tells the cap of open orders",
    async look({ venue, measured }) {
      const cap = await venue.reads.openOrderCap();
      if (cap !== null) measured.openOrderCap = cap;
      return seen(cap !== null, cap === null ? "no cap that is known by name" : `${cap} orders`);
    },
  },
  {
    row: "24, NS-1",
    assumption: "the accounts are readable, with every order's id, side, price and size",
    async look({ facts }) {
      const failed = [...facts.accounts.values()].flatMap((read) => (read.ok ? [] : [read.why]));
      return seen(failed.length === 0, failed[0] ?? `${facts.accounts.size} read`);
    },
  },
  {
    row: "30, NS-11",
    assumption: "the budget of requests has a shape that is understood",
    async look({ facts }) {
      const [read] = facts.budgets.values();
      if (read === undefined || !read.ok) return seen(false, read?.why ?? "no account");
      const { requestsUsed, requestsRemaining, isUnitUnknown } = read.value;
      if (isUnitUnknown) return seen(null, "a count whose names do not say what is counted");
      const isKnown = requestsUsed !== null || requestsRemaining !== null;
      // A known field may be null when there is no limit.
      return isKnown
        ? seen(true, `${requestsRemaining ?? "no limit"} left`)
        : seen(null, "no number in a field that is known by name");
    },
  },
  {
    row: "93",
    assumption: "the stream answers a ping with height and block time in milliseconds",
    look: (subject) =>
      hearStream(subject, (event) => {
        if (event.kind !== "pong") return undefined;
        const offsetMs = event.blockTimeMs - subject.clock.wallMs();
        return seen(Math.abs(offsetMs) < STEP_MS, `height ${event.height}, off by ${durationText(offsetMs)}`);
      }),
  },
  {
    row: "94, 103",
    assumption: "a subscription to the order book begins with a whole snapshot",
    look: (subject) =>
      hearStream(subject, (event) => (event.kind === "book" ? seen(true, "a snapshot came") : undefined)),
  },
];

/** The first event that says something; whatever says nothing in time is not there. */
async function hearStream(subject: Subject, judge: (event: StreamEvent) => ReturnType<typeof seen> | undefined) {
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof seen>>();
  const channels = [{ channel: "orderbook", marketId: firstMarket(subject) }] as const;
  const stream = subject.venue.stream(channels, (event) => {
    const found = judge(event);
    if (found !== undefined) resolve(found);
  });
  const waited = durationText(STREAM_MS_MAX);
  const timer = subject.clock.after(STREAM_MS_MAX, () => resolve(seen(false, `nothing within ${waited}`)));
  try {
    return await promise;
  } finally {
    timer.cancel();
    stream.close();
  }
}
