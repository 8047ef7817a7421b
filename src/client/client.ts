// A client for the whole interface (S4 to S6): every read of both hosts, every transaction by every path, every channel. One client is one
// environment: a fixed chain and its two hosts (S9). The bot uses a narrower port; this is for all other programs.

import { type Account, type Position, type Unreadable, unreadableText } from "../domain/account.ts";
import type { Block } from "../domain/block.ts";
import type { StreamEvent } from "../domain/event.ts";
import type { Order } from "../domain/order.ts";
import type { AccountId } from "../domain/units.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { systemEntropy } from "../kernel/entropy.ts";
import { createPrng, type Prng } from "../kernel/prng.ts";
import { createListReads } from "../wire/lists.ts";
import { isMissing, ReadError } from "../wire/read-answer.ts";
import * as reads from "../wire/reads.ts";
import type { FillRow } from "../wire/rest/history.ts";
import type { Signer } from "../wire/signing.ts";
import type { ChannelRef } from "../wire/stream/client.ts";
import { type FundedAccountEnd, type FundedAccountOptions, openFundedAccount } from "./funded-account.ts";
import { type Fetch, type Host, openHost } from "./http.ts";
import { createSender, type Sender } from "./sender.ts";
import { streamTiming } from "./stream/heartbeat.ts";
import { type LiveStream, openStream, wsUrlOf } from "./stream/live-stream.ts";
import type { Report } from "./stream/report.ts";
import { connectWith, type StandardWebSocket } from "./stream/socket.ts";
import { createUnsendable, type UnsendableOptions } from "./unsendable.ts";

/**
 * Identifies the caller (S5): opaque, sent only in its header. The interface does not show how a session is sent: here as a bearer token
 * (NS-18).
 */
export type Credential =
  | { readonly kind: "apiKey"; readonly key: string }
  | { readonly kind: "session"; readonly token: string };

export type ClientOptions = Partial<UnsendableOptions> & {
  /** The chain id that is signed, whatever the node reports. */
  readonly chainId: string;
  /** http or https; its path is the prefix of every path of the interface. */
  readonly validatorUrl: string;
  /** Host of history and hosted transactions; null (default): the validator's address. */
  readonly restUrl?: string | null;
  /** ws or wss; null (default): the validator's address with path /v1/ws. */
  readonly wsUrl?: string | null;
  /** Null (default): none; authenticated reads and the hosted path are then refused. */
  readonly credential?: Credential | null;
  /** Timeouts, 5000 ms each by default. */
  readonly readTimeoutMs?: number;
  readonly submitTimeoutMs?: number;
};

/** Environment of the client; defaults to the machine's own. */
export type ClientModules = {
  /** Its wall time must agree with the chain's: it makes nonces and timestamps. */
  readonly clock?: Clock;
  /** Randomizes the waits before a stream reconnects. */
  readonly prng?: Prng;
  readonly fetch?: Fetch;
  readonly WebSocket?: new (url: string) => StandardWebSocket;
  /** Receives every problem of the streams. */
  readonly report?: Report;
};

type Table = Readonly<Record<string, (...of: never[]) => reads.Read<unknown>>>;
/** The reads of a table as functions. Each throws ReadError if the read failed, was refused or did not parse. */
type Asking<T extends Table> = {
  readonly [K in keyof T]: T[K] extends (...of: infer Of) => reads.Read<infer Found>
    ? (...of: Of) => Promise<Found>
    : never;
};

const asking = <T extends Table>(host: Host, table: T): Asking<T> =>
  Object.fromEntries(
    Object.entries(table).map(([name, read]) => [name, (...of: never[]) => host.get(read(...of))]),
  ) as Asking<T>;

type AccountReads = Omit<Asking<typeof reads.accountReads>, "byId" | "byOwner" | "positions" | "openOrders"> & {
  /** Reads lists separately if the account's answer lacks them. */
  readonly byId: (account: AccountId) => Promise<Account>;
  /** The key's personal account, in the same way. */
  readonly byOwner: (owner: string) => Promise<Account>;
  /** Throws if one of them cannot be read; `byId` returns the others. */
  readonly positions: (account: AccountId) => Promise<readonly Position[]>;
  /** Throws like `positions`. On the REST host the same path is the history of all orders (S4.3). */
  readonly openOrders: (account: AccountId) => Promise<readonly Order[]>;
};

type HistoryReads = Asking<typeof reads.historyReads> & {
  /** All matching fills, through CSV: the filter's page is ignored. */
  readonly fillsCsv: (account: AccountId, filter?: reads.HistoryFilter) => Promise<readonly FillRow[]>;
};

export type StreamEvents = {
  readonly onEvent: (event: StreamEvent) => void;
  /** Blocks of the explorer channel. */
  readonly onBlock?: (block: Block) => void;
};

export type Client = Sender & {
  readonly exchange: Asking<typeof reads.exchangeReads>;
  readonly accounts: AccountReads;
  /** Needs the credential; shows the owner's transfers. */
  readonly transfers: Asking<typeof reads.transferReads>;
  /** Needs the credential; only for the owner's accounts. */
  readonly history: HistoryReads;
  readonly staking: Asking<typeof reads.stakingReads>;
  readonly devnet: Asking<typeof reads.devnetReads>;
  readonly openFundedAccount: (owner: Signer, options?: Partial<FundedAccountOptions>) => Promise<FundedAccountEnd>;
  /** Reconnects and subscribes again until it is closed. */
  readonly stream: (channels: readonly ChannelRef[], events: StreamEvents) => LiveStream;
  readonly close: () => void;
};

const TIMEOUT_MS = 5000;

/** Makes connections only when needed. Throws TypeError if an address is not a URL. */
export function createClient(options: ClientOptions, modules: ClientModules = {}): Client {
  const { chainId, validatorUrl, credential = null, unshownPayloads = "refused" } = options;
  const { readTimeoutMs = TIMEOUT_MS, submitTimeoutMs = TIMEOUT_MS } = options;
  const { clock = systemClock, report = () => undefined } = modules;
  const { prng = createPrng(new DataView(systemEntropy.bytes(8).buffer).getBigUint64(0)) } = modules;
  const connect = connectWith(modules.WebSocket ?? WebSocket);
  const host = (url: string, headers: Readonly<Record<string, string>>) =>
    openHost({ url, headers, readTimeoutMs, submitTimeoutMs }, { fetch: modules.fetch ?? fetch, clock });
  const headers = headersFor(credential);
  const validator = host(validatorUrl, {});
  const asOwner = host(validatorUrl, headers);
  const rest = host(options.restUrl ?? validatorUrl, headers);

  const lists = createListReads({ get: validator.get, isMissing, given: new Set(), isMissingEmpty: false });
  const exchange = { ...asking(validator, reads.exchangeReads), trades: lists.trades };
  const accounts: AccountReads = {
    ...asking(validator, reads.accountReads),
    byId: lists.account,
    byOwner: lists.accountOf,
    async positions(account) {
      const { positions, unreadable } = await lists.positions(account);
      return whole(positions, unreadable);
    },
    async openOrders(account) {
      const { openOrders, unreadable } = await lists.orders(account);
      return whole(openOrders, unreadable);
    },
  };
  const sender = createSender(
    { chainId },
    {
      clock,
      exchange,
      unsendable: createUnsendable({ unshownPayloads }, exchange),
      post: (body) => validator.post("/v1/tx", body),
      postHosted: (body) => rest.post("/tx/sign-and-submit", body),
    },
  );
  const { submit } = sender;
  const streams = new Set<LiveStream>();
  const address = wsUrlOf({ validatorUrl, wsUrl: options.wsUrl ?? null });
  let epoch = 0;

  return {
    ...sender,
    exchange,
    accounts,
    transfers: asking(asOwner, reads.transferReads),
    history: {
      ...asking(rest, reads.historyReads),
      fillsCsv: (account, filter) => rest.text(reads.fillsCsv(account, filter)),
    },
    staking: asking(validator, reads.stakingReads),
    devnet: asking(validator, reads.devnetReads),
    openFundedAccount: (owner, how) => openFundedAccount(owner, how ?? {}, { clock, exchange, accounts, submit }),
    stream(channels, events) {
      const stream = openStream(
        { ...streamTiming, wsUrl: address, handshakeTimeoutMs: readTimeoutMs },
        { clock, prng, report, connect, nextEpoch: () => ++epoch },
        channels,
        events,
      );
      streams.add(stream);
      return {
        ...stream,
        close() {
          streams.delete(stream);
          stream.close();
        },
      };
    },
    close() {
      for (const stream of streams) stream.close();
      streams.clear();
    },
  };
}

function headersFor(credential: Credential | null): Readonly<Record<string, string>> {
  if (credential === null) return {};
  return credential.kind === "apiKey"
    ? { "x-api-key": credential.key }
    : { authorization: `Bearer ${credential.token}` };
}

/** The list, if all its items could be read. Throws ReadError otherwise. */
function whole<T>(rows: readonly T[], unreadable: readonly Unreadable[]): readonly T[] {
  const [first] = unreadable;
  if (first !== undefined) throw new ReadError("malformed", unreadableText(first), { httpStatus: 200 });
  return rows;
}
