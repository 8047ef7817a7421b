// Carries out the reads that the feed's schedule finds due, and folds what comes back. A read that fails changes nothing:
// its fact grows old by itself, and the schedule asks again.

import type { Account } from "../domain/account.ts";
import type { ReadEvent } from "../domain/event.ts";
import type { AccountId } from "../domain/units.ts";
import { createReadLog, dueReads, type ReadRequest, readAsked, readEnded } from "../feed/schedule.ts";
import type { FeedState } from "../feed/state.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import type { VenueReads } from "../venue/port.ts";

export type ReadLoop = {
  /** Lets every read leave that is due now. */
  readonly run: () => void;
  /** Resolves when no read is on its way any more. Nothing leaves after it was called. */
  readonly stop: () => Promise<void>;
};

export type ReadModules = {
  readonly state: FeedState;
  readonly reads: VenueReads;
  readonly clock: Clock;
  readonly apply: (event: ReadEvent) => void;
  readonly onFailure: (request: ReadRequest, message: string) => void;
};

export function createReadLoop({ state, reads, clock, apply, onFailure }: ReadModules): ReadLoop {
  const asked = createReadLog();
  const pending = new Set<Promise<void>>();
  let stopped = false;

  async function carryOut(request: ReadRequest): Promise<void> {
    const askedMs = clock.monotonicMs();
    readAsked(asked, request, askedMs);
    try {
      const fact = await read(reads, request);
      readEnded(asked, request, "folded");
      apply({ ...fact, askedMs, receivedMs: clock.monotonicMs() });
    } catch (error) {
      readEnded(asked, request, "failed");
      onFailure(request, messageOf(error));
    }
  }

  return {
    run() {
      if (stopped) return;
      for (const request of dueReads(state, asked, clock.monotonicMs())) {
        const reading = carryOut(request);
        pending.add(reading);
        void reading.finally(() => pending.delete(reading));
      }
    },
    async stop() {
      stopped = true;
      await Promise.all(pending);
    },
  };
}

/** Reads an account now and folds it. Rejects when that failed. */
export async function readAccount(
  account: AccountId,
  { reads, clock, apply }: Pick<ReadModules, "clock" | "apply"> & { readonly reads: Pick<VenueReads, "account"> },
): Promise<Account> {
  const askedMs = clock.monotonicMs();
  const read = await reads.account(account);
  apply({ kind: "accountRead", account: read, askedMs, receivedMs: clock.monotonicMs() });
  return read;
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
    case "book":
      return { kind: "bookRead", book: await reads.book(request.marketId) };
    case "funding":
      return { kind: "fundingRead", funding: await reads.funding(request.marketId) };
    case "trades":
      return { kind: "tradesRead", marketId: request.marketId, trades: await reads.trades(request.marketId) };
    case "account":
      return { kind: "accountRead", account: await reads.account(request.accountId) };
    case "rateLimit": {
      const { accountId } = request;
      return { kind: "rateLimitRead", accountId, rateLimit: await reads.rateLimit(accountId) };
    }
    case "node":
      return { kind: "nodeRead", node: await reads.node() };
    case "feeTiers":
      return { kind: "feeTiersRead", feeTiers: await reads.feeTiers() };
    case "openOrderCap":
      return { kind: "openOrderCapRead", openOrderCap: await reads.openOrderCap() };
  }
}
