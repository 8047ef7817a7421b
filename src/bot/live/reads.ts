// Sends the machine's reads and feeds their results back under their numbers.

import type { ReadEvent } from "../../domain/event.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { InputBody, Listed } from "../decider/input.ts";
import type { Output, Request } from "../decider/output.ts";
import { isImplausibleRead, type VenueReads } from "../venue/port.ts";

export type ReadModules = {
  readonly reads: VenueReads;
  readonly clock: Clock;
  readonly feed: (body: InputBody) => void;
  readonly onFailure: (request: Request, error: unknown) => void;
};

type Wanted = Extract<Output, { readonly kind: "read" }>;

/** A read event without its times. */
type Fact = ReadEvent extends infer Event
  ? Event extends ReadEvent
    ? Omit<Event, "askedMs" | "receivedMs">
    : never
  : never;

export function reader({ reads, clock, feed, onFailure }: ReadModules): (wanted: Wanted) => void {
  return ({ read: number, request }) => {
    const askedMs = clock.monotonicMs();
    read(reads, request).then(
      (found) => {
        if ("of" in found) feed({ kind: "listed", read: number, listed: found });
        else feed({ kind: "event", event: { ...found, askedMs, receivedMs: clock.monotonicMs() }, read: number });
      },
      (error: unknown) => {
        onFailure(request, error);
        const unread = { why: messageOf(error), isImplausible: isImplausibleRead(error) };
        feed({ kind: "unread", read: number, unread });
      },
    );
  };
}

async function read(reads: VenueReads, request: Request): Promise<Fact | Listed> {
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
    case "ordersAlone":
      return { of: "orders", list: await reads.orders(request.accountId) };
    case "positions":
      return { of: "positions", list: await reads.positions(request.accountId) };
  }
}
