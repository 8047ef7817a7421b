// What a recording holds, in order: for each run of the bot one `Start`, then its inputs as the machine took them, each with both clocks, with
// the readings where they are others than before, with what was decided, and with a digest of its outputs. From the starts and inputs alone every
// decision can be worked out again.

import { crc32 } from "node:zlib";
import type { Allowance, EarlierHolder } from "../../domain/allowance.ts";
import type { Dialect } from "../../domain/dialect.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Quotes } from "../../domain/quotes.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Instant } from "../../kernel/clock.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { QuotedAccount, QuotedMarket } from "../config/config.ts";
import type { InputBody, Readings } from "../decider/input.ts";
import { exactText } from "./exact-text.ts";

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

/** What was read of the ledger, by name and arguments. */
export type KeptRow = readonly [name: string, value: unknown];

/** What a run began with. `kept`: what it read of its ledger. */
export type Start = {
  readonly instant: Instant;
  readonly readings: RecordedReadings;
  /** Of Quoin, as the recording was written. */
  readonly version: string;
  readonly chainId: string;
  readonly readLagMaxMs: number;
  readonly landingBoundMs: number;
  readonly watchdogSilenceMs: number;
  readonly seed: bigint;
  readonly accounts: readonly RecordedAccount[];
  readonly publicKeys: readonly (readonly [AccountId, string])[];
  readonly earlierHolders: readonly RecordedHolder[];
  /** What the configuration said of the exchange's dialect; absent: nothing. */
  readonly dialect?: Dialect;
  readonly ledgerLost: string | null;
  /** The operator's words that every account was halted with at the start. */
  readonly halt: string | null;
  readonly kept: readonly KeptRow[];
};

/** Its map as pairs, its set as a list. */
export type RecordedReadings = Omit<Readings, "nonceRefusals" | "keysElsewhere"> & {
  readonly nonceRefusals: readonly (readonly [AccountId, Facts | null])[];
  readonly keysElsewhere: readonly AccountId[];
};

/** An input without what cannot be written: strategies by their texts, the ledger by what was read of it. */
export type RecordedInput =
  | Exclude<InputBody, { readonly kind: "account" | "take" | "requote" | "start" }>
  | { readonly kind: "start"; readonly lastOrderedMs: readonly (readonly [AccountId, number])[] }
  | { readonly kind: "account"; readonly quoted: RecordedAccount }
  | (Omit<Extract<InputBody, { readonly kind: "requote" }>, "quoted"> & { readonly quoted: RecordedMarket })
  | {
      readonly kind: "take";
      readonly accountId: AccountId;
      readonly quoted: RecordedMarket;
      readonly kept: readonly KeptRow[];
    };

/** What a turn came to. */
export type Decided = {
  readonly of: "turn";
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Null: the turn threw. */
  readonly turn: TurnDecision | null;
};

/** `approved` is what was sent, or waits to be. */
export type TurnDecision = {
  readonly quotes: Quotes;
  /** Why the strategy gave none. */
  readonly fault: string | null;
  readonly permitted: string;
  readonly closed: readonly unknown[];
  readonly approved: readonly unknown[];
  readonly denied: readonly unknown[];
};

/** `readings`: where they are others than before. `mayTurn` absent: true. `folded`: what the machine told itself. `digest`: of the other outputs. */
export type Entry = RecordedInput & {
  readonly instant: Instant;
  readonly readings?: RecordedReadings | undefined;
  readonly mayTurn?: false | undefined;
  readonly decided?: Decided | undefined;
  readonly folded?: readonly VenueEvent[] | undefined;
  readonly digest?: number | undefined;
};

/** A checksum of the outputs as exact text; undefined: there are none. */
export function digestOf(outputs: readonly unknown[]): number | undefined {
  return outputs.length === 0 ? undefined : crc32(exactText(outputs));
}

export const recordedReadings = ({ nonceRefusals, keysElsewhere, ...readings }: Readings): RecordedReadings => ({
  ...readings,
  nonceRefusals: [...nonceRefusals],
  keysElsewhere: [...keysElsewhere],
});

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
