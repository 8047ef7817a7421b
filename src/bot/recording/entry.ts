// What a recording holds, in order: for each run of the bot one `Start`, then its entries. An entry is one call into what decides: an
// event folded, a turn taken, a command checked again, an operator's act. It carries both clocks, which stand still while it is worked on;
// what it heard from outside; the entries that came of it while it called out (`inner`: the transactions that a turn sent, as events
// `sent`); and what it decided. From the starts and entries alone every decision can be worked out again. Whoever wants the events alone
// takes `eventsOf(entry)`.

import type { Allowance, EarlierHolder } from "../../domain/allowance.ts";
import type { Command } from "../../domain/command.ts";
import type { Dialect } from "../../domain/dialect.ts";
import type { SubmitOutcome, VenueEvent } from "../../domain/event.ts";
import type { Latch, Liftable } from "../../domain/latch.ts";
import type { Order } from "../../domain/order.ts";
import type { Quotes } from "../../domain/quotes.ts";
import type { AccountId, MarketId, OrderId } from "../../domain/units.ts";
import type { Instant } from "../../kernel/clock.ts";
import type { QuotedAccount, QuotedMarket } from "../config/config.ts";

/**
 * A strategy by what it was loaded from. `folder`: URL; null: Quoin's own. `texts`: of a file that is not, and of what it imports by path, by
 * address, since it may be edited before the recording is replayed. `written`: its parameters as the configuration has them.
 */
export type RecordedStrategy = {
  readonly name: string;
  readonly version: string | null;
  readonly folder: string | null;
  readonly texts: Readonly<Record<string, string>> | null;
  readonly written: unknown;
};

/** Without its shadow, which is another bot. */
export type RecordedMarket = Omit<QuotedMarket, "strategy" | "shadow"> & { readonly strategy: RecordedStrategy };

/** Without the files of its keys. */
export type RecordedAccount = Omit<QuotedAccount, "markets" | "agentKeyFile" | "formerKeyFiles" | "watchdogKeyFile"> & {
  readonly markets: readonly RecordedMarket[];
};

/** Its allowances as pairs: a map is no plain data. */
export type RecordedHolder = Omit<EarlierHolder, "allowances"> & {
  readonly allowances: readonly (readonly [MarketId, Allowance])[];
};

/** What a run began with. `told`: what it read of its ledger before the first entry. */
export type Start = {
  readonly instant: Instant;
  /** Of Quoin, as the recording was written. */
  readonly version: string;
  readonly chainId: string;
  readonly readLagMaxMs: number;
  readonly landingBoundMs: number;
  readonly seed: bigint;
  readonly accounts: readonly RecordedAccount[];
  readonly publicKeys: readonly (readonly [AccountId, string])[];
  readonly earlierHolders: readonly RecordedHolder[];
  /** What the configuration said of the exchange's dialect; absent: nothing. */
  readonly dialect?: Dialect;
  readonly ledgerLost: string | null;
  /** The operator's words that every account was halted with at the start. */
  readonly halt: string | null;
  readonly told: readonly Told[];
};

/** Something received from outside, by name; it holds until the same name is given again. */
export type Told = readonly [name: string, value: unknown];

export type Act =
  | { readonly kind: "event"; readonly event: VenueEvent }
  /** `causeMs`: when the event was received that it follows, monotonic; null: time alone. */
  | {
      readonly kind: "turn";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly causeMs: number | null;
    }
  /** Fills were measured without a turn; `view` is written no more. */
  | { readonly kind: "measure" | "view"; readonly accountId: AccountId; readonly marketId: MarketId }
  /** The timer; a look at the clocks alone; what waited for the turns to be over; no turn follows. */
  | { readonly kind: "tick" | "look" | "records" | "stop" }
  /** A queued command at its start; one that closes a position. */
  | { readonly kind: "recheck" | "judge"; readonly command: Command }
  /** A command that adds risk has left. */
  | { readonly kind: "added"; readonly command: Command }
  | { readonly kind: "outcome"; readonly command: Command; readonly outcome: SubmitOutcome }
  | { readonly kind: "dropped"; readonly command: Command; readonly reason: string }
  | { readonly kind: "trip"; readonly latch: Latch; readonly wallMs: number }
  | {
      readonly kind: "lift";
      readonly accountId: AccountId;
      readonly marketId: MarketId | null;
      readonly latch: Liftable | null;
      readonly reason: string;
      readonly wallMs: number;
    }
  /** Another configuration: of the account, of a market, with another market. */
  | { readonly kind: "account"; readonly quoted: RecordedAccount }
  /** `goesOn`: the strategy before goes on where it was. */
  | {
      readonly kind: "requote";
      readonly accountId: AccountId;
      readonly quoted: RecordedMarket;
      readonly goesOn?: boolean | undefined;
    }
  | { readonly kind: "take"; readonly accountId: AccountId; readonly quoted: RecordedMarket }
  | { readonly kind: "drain" | "drop"; readonly accountId: AccountId; readonly marketId: MarketId }
  | { readonly kind: "rekey"; readonly accountId: AccountId; readonly publicKey: string }
  /** Orders that the exchange listed at the start: asked whether they landed late, taken as ours, or left as foreign ones. */
  | { readonly kind: "late"; readonly accountId: AccountId; readonly order: Order }
  | { readonly kind: "claim"; readonly accountId: AccountId; readonly orderIds: readonly OrderId[] }
  | { readonly kind: "keep"; readonly accountId: AccountId; readonly orders: readonly Order[] };

/** What a turn came to: `approved` went to the queue. */
export type TurnDecision = {
  readonly quotes: Quotes;
  /** Why the strategy gave none. */
  readonly fault: string | null;
  readonly permitted: string;
  readonly closed: readonly unknown[];
  readonly approved: readonly unknown[];
  readonly denied: readonly unknown[];
};

/** `hole`: of an inner entry, which of its parent's calls to the outside it came of, from 1. `decided`: of turns and checks. */
export type Entry = Act & {
  readonly instant: Instant;
  readonly hole?: number | undefined;
  readonly told?: readonly Told[] | undefined;
  readonly inner?: readonly Entry[] | undefined;
  readonly decided?: unknown;
};

/** The events of an entry, in the order in which they were folded. */
export function* eventsOf(entry: Entry): Generator<VenueEvent> {
  if (entry.kind === "event") yield entry.event;
  for (const inner of entry.inner ?? []) yield* eventsOf(inner);
}

/** Beside the sources. */
const OWN_FOLDER = new URL("../../../strategies/", import.meta.url).href;

export function recordedMarket({ strategy, shadow: _, ...quoted }: QuotedMarket): RecordedMarket {
  const { name, version, texts, origin } = strategy;
  const isOurs = origin.folder === OWN_FOLDER;
  const from = isOurs ? { folder: null, texts: null } : { folder: origin.folder, texts };
  return { ...quoted, strategy: { name, version, ...from, written: origin.written } };
}

export const recordedAccount = ({
  agentKeyFile: _,
  formerKeyFiles: __,
  watchdogKeyFile: ___,
  ...quoted
}: QuotedAccount): RecordedAccount => ({ ...quoted, markets: quoted.markets.map(recordedMarket) });
