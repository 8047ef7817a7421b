// Content of a recording, in order: for each run of the bot one `Start`, then the inputs of its decision machine, each with both clocks,
// changed readings, decisions, and a digest of its outputs. A run can be replayed from its start and inputs.

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
 * A strategy by its source. `folder`: URL; null: Quoin's own. `texts`: for other strategies, the text of the file and of its imports by
 * path, by URL, because they may be edited before a replay. `written`: its parameters as in the configuration.
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

/** Without the paths of its key files. */
export type RecordedAccount = Omit<QuotedAccount, "markets" | "agentKeyFile" | "formerKeyFiles" | "watchdogKeyFile"> & {
  readonly markets: readonly RecordedMarket[];
};

/** Allowances as pairs, because a map is not plain data. */
export type RecordedHolder = Omit<EarlierHolder, "allowances"> & {
  readonly allowances: readonly (readonly [MarketId, Allowance])[];
};

/** A read of the ledger, by name and arguments. */
export type KeptRow = readonly [name: string, value: unknown];

/** The start of a run. `kept`: what it read from its ledger. */
export type Start = {
  readonly instant: Instant;
  readonly readings: RecordedReadings;
  /** Version of Quoin that wrote the recording. */
  readonly version: string;
  readonly chainId: string;
  readonly readLagMaxMs: number;
  readonly landingBoundMs: number;
  readonly watchdogSilenceMs: number;
  readonly seed: bigint;
  readonly accounts: readonly RecordedAccount[];
  readonly publicKeys: readonly (readonly [AccountId, string])[];
  readonly earlierHolders: readonly RecordedHolder[];
  /** The exchange's dialect from the configuration; absent: none configured. */
  readonly dialect?: Dialect;
  readonly ledgerLost: string | null;
  /** The operator's reason if every account was halted at the start. */
  readonly halt: string | null;
  readonly kept: readonly KeptRow[];
};

/** Its map as pairs, its set as a list. */
export type RecordedReadings = Omit<Readings, "nonceRefusals" | "keysElsewhere"> & {
  readonly nonceRefusals: readonly (readonly [AccountId, Facts | null])[];
  readonly keysElsewhere: readonly AccountId[];
};

/** An input without parts that cannot be written: strategies as their texts, the ledger as what was read from it. */
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

/** Result of a turn. */
export type Decided = {
  readonly of: "turn";
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Null: the turn threw. */
  readonly turn: TurnDecision | null;
};

/** `approved`: sent, or waiting to be sent. */
export type TurnDecision = {
  readonly quotes: Quotes;
  /** Why the strategy gave no quotes. */
  readonly fault: string | null;
  readonly permitted: string;
  readonly closed: readonly unknown[];
  readonly approved: readonly unknown[];
  readonly denied: readonly unknown[];
};

/** `readings`: only if changed. `mayTurn` absent: true. `folded`: inputs that the machine gave itself. `digest`: of the other outputs. */
export type Entry = RecordedInput & {
  readonly instant: Instant;
  readonly readings?: RecordedReadings | undefined;
  readonly mayTurn?: false | undefined;
  readonly decided?: Decided | undefined;
  readonly folded?: readonly VenueEvent[] | undefined;
  readonly digest?: number | undefined;
};

/** A checksum of the outputs' exact text; undefined for none. */
export function digestOf(outputs: readonly unknown[]): number | undefined {
  return outputs.length === 0 ? undefined : crc32(exactText(outputs));
}

export const recordedReadings = ({ nonceRefusals, keysElsewhere, ...readings }: Readings): RecordedReadings => ({
  ...readings,
  nonceRefusals: [...nonceRefusals],
  keysElsewhere: [...keysElsewhere],
});

/** Next to the sources. */
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
