// The venue of a bot with paper accounts: market facts come from the real exchange, everything about a paper account from the paper
// exchange, which receives everything that the bot receives. A paper account's transactions never reach the real exchange.

import type { Channel, Venue, VenueReads } from "../bot/venue/port.ts";
import type { StreamEvent } from "../domain/event.ts";
import type { AccountId } from "../domain/units.ts";
import { bytesOfHex } from "../kernel/hex.ts";
import type { PublicEvent } from "./mirror.ts";
import type { PaperExchange } from "./paper-exchange.ts";

export type PaperVenueOptions = {
  readonly real: Venue;
  readonly paper: PaperExchange;
  readonly accounts: readonly { readonly accountId: AccountId; readonly publicKey: string }[];
  readonly nowMs: () => number;
};

export function createPaperVenue({ real, paper, accounts, nowMs }: PaperVenueOptions): Venue {
  const ids = new Set(accounts.map(({ accountId }) => accountId));
  // How `sealEnvelope` writes a signer.
  const signers = accounts.map(({ publicKey }) => `"signer":[${bytesOfHex(publicKey).join(",")}]`);
  const isOnPaper = (channel: Channel): boolean => "accountId" in channel && ids.has(channel.accountId);
  return {
    reads: readsOf(real.reads, paper, { ids, nowMs }),
    submit(body, lane) {
      const venue = signers.some((signer) => body.includes(signer)) ? paper.venue : real;
      return venue.submit(body, lane);
    },
    stream(channels, onEvent) {
      const paperChannels = channels.filter(isOnPaper);
      const streams = {
        real: real.stream(
          channels.filter((channel) => !isOnPaper(channel)),
          (event) => {
            paper.apply(event);
            onEvent(event);
          },
        ),
        // Connections of the paper exchange open and close with those of the real one.
        paper: paper.venue.stream(paperChannels, (event) => {
          if (isOfAccount(event)) onEvent(event);
        }),
      };
      return {
        close() {
          streams.real.close();
          streams.paper.close();
        },
        resubscribe: (channel) => streams[isOnPaper(channel) ? "paper" : "real"].resubscribe(channel),
      };
    },
    async close() {
      await real.close();
      await paper.close();
    },
  };
}

const isOfAccount = ({ kind }: StreamEvent): boolean =>
  kind === "execution" || kind === "liquidation" || kind.startsWith("order");

function readsOf(
  real: VenueReads,
  paper: PaperExchange,
  { ids, nowMs }: { readonly ids: ReadonlySet<AccountId>; readonly nowMs: () => number },
): VenueReads {
  const of = (account: AccountId): VenueReads => (ids.has(account) ? paper.venue.reads : real);
  /** Returns what was read, after applying it to the paper exchange. */
  async function applied<T>(
    read: Promise<T>,
    eventOf: (value: T, at: { askedMs: number; receivedMs: number }) => PublicEvent,
  ) {
    const askedMs = nowMs();
    const value = await read;
    paper.apply(eventOf(value, { askedMs, receivedMs: nowMs() }));
    return value;
  }
  return {
    ...real,
    market: (id) => applied(real.market(id), (market, at) => ({ kind: "marketRead", market, ...at })),
    oracle: (id) => applied(real.oracle(id), (oracle, at) => ({ kind: "oracleRead", oracle, ...at })),
    funding: (id) => applied(real.funding(id), (funding, at) => ({ kind: "fundingRead", funding, ...at })),
    trades: async (id) => [...paper.trades(id), ...(await real.trades(id))],
    account: (id) => of(id).account(id),
    orders: (id) => of(id).orders(id),
    positions: (id) => of(id).positions(id),
    rateLimit: (id) => of(id).rateLimit(id),
  };
}
