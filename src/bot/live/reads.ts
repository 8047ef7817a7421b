// Sends the reads that the schedule finds due, and folds their answers. A read that fails changes nothing: its fact ages, and the
// schedule asks again. An implausible answer makes what it was about stale at once. What throws while an answer is folded is a fault of
// ours and no failed read: nobody catches it here.

import type { Account } from "../../domain/account.ts";
import type { ReadEvent } from "../../domain/event.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import { readsWanted } from "../account/resync.ts";
import { createReadLog, dueReads, type ReadRequest, readAsked, readEnded } from "../market/schedule.ts";
import type { MarketState } from "../market/state.ts";
import { loopTiming } from "../timing.ts";
import { isImplausibleRead, type VenueReads } from "../venue/port.ts";
import { Rounds } from "./rounds.ts";

export type ReadLoop = {
  /** Lets every read leave that is due now. */
  readonly run: () => void;
  /** The same for the timer, which calls it each `loopTiming.tickMs`: those of many markets leave spread over the period. */
  readonly tick: () => void;
  /** No read leaves from now on, and the answers of those on their way change nothing. */
  readonly stop: () => void;
};

export type ReadModules = {
  readonly state: BotState;
  readonly reads: VenueReads;
  readonly clock: Clock;
  readonly apply: (event: ReadEvent) => void;
  readonly onFailure: (request: ReadRequest, error: unknown) => void;
};

export function createReadLoop({ state, reads, clock, apply, onFailure }: ReadModules): ReadLoop {
  const asked = createReadLog();
  const rounds = new Rounds(loopTiming.tickMs, clock);
  let stopped = false;

  function leave(markets?: Iterable<MarketState>): void {
    if (stopped) return;
    const nowMs = clock.monotonicMs();
    const accounts = Array.from(state.accounts.values(), (account) => readsWanted(account, state, nowMs));
    for (const request of dueReads(state, accounts, asked, nowMs, markets)) void carryOut(request);
  }

  async function carryOut(request: ReadRequest): Promise<void> {
    const askedMs = clock.monotonicMs();
    readAsked(asked, request, askedMs);
    const answer = await read(reads, request).then(
      (fact) => ({ fact }),
      (error: unknown) => ({ error }),
    );
    if (stopped) return;
    const times = { askedMs, receivedMs: clock.monotonicMs() };
    readEnded(asked, request, "fact" in answer ? "folded" : "failed");
    if ("fact" in answer) return apply({ ...answer.fact, ...times });
    onFailure(request, answer.error);
    if (!isImplausibleRead(answer.error)) return;
    const { kind } = request;
    if (kind === "market" || kind === "oracle" || kind === "funding")
      apply({ kind: "implausibleRead", what: kind, marketId: request.marketId, ...times });
  }

  return {
    run: () => leave(),
    tick: () => rounds.run([...state.markets.values()], leave),
    stop() {
      stopped = true;
    },
  };
}

type ReadNow<K extends keyof VenueReads> = Pick<ReadModules, "clock" | "apply"> & {
  readonly reads: Pick<VenueReads, K>;
};

/** Reads an account now and folds the answer. Rejects with VenueError. */
export async function readAccount(accountId: AccountId, { reads, clock, apply }: ReadNow<"account">): Promise<Account> {
  const askedMs = clock.monotonicMs();
  const account = await reads.account(accountId);
  apply({ kind: "accountRead", account, askedMs, receivedMs: clock.monotonicMs() });
  return account;
}

/** Reads the public trades of a market and folds them. Rejects with VenueError. */
export async function readTrades(marketId: MarketId, { reads, clock, apply }: ReadNow<"trades">): Promise<void> {
  const askedMs = clock.monotonicMs();
  const trades = await reads.trades(marketId);
  apply({ kind: "tradesRead", marketId, trades, askedMs, receivedMs: clock.monotonicMs() });
}

/** A read event without its times. */
type Fact = ReadEvent extends infer Event
  ? Event extends ReadEvent
    ? Omit<Event, "askedMs" | "receivedMs">
    : never
  : never;

async function read(reads: VenueReads, request: ReadRequest): Promise<Fact> {
  switch (request.kind) {
    case "market":
      return { kind: "marketRead", market: await reads.market(request.marketId) };
    case "oracle":
      return { kind: "oracleRead", oracle: await reads.oracle(request.marketId) };
    case "oracleHistory":
      return { kind: "oracleHistoryRead", history: await reads.oracleHistory(request.marketId) };
    case "book":
      return { kind: "bookRead", book: await reads.book(request.marketId) };
    case "funding":
      return { kind: "fundingRead", funding: await reads.funding(request.marketId) };
    case "trades":
      return { kind: "tradesRead", marketId: request.marketId, trades: await reads.trades(request.marketId) };
    case "account":
      return { kind: "accountRead", account: await reads.account(request.accountId) };
    case "orders": {
      const { accountId } = request;
      return { kind: "ordersRead", accountId, orders: await reads.orders(accountId) };
    }
    case "rateLimit": {
      const { accountId } = request;
      return { kind: "rateLimitRead", accountId, rateLimit: await reads.rateLimit(accountId) };
    }
    case "feeTiers":
      return { kind: "feeTiersRead", feeTiers: await reads.feeTiers() };
    case "openOrderCap":
      return { kind: "openOrderCapRead", openOrderCap: await reads.openOrderCap() };
  }
}
