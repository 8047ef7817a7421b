// Faults on demand as values, and their decoder for requests of the control listener. A lasting rule says where it strikes (route, action,
// channel) and how often (count, probability, time); an act strikes once, now.

import type { MarketId } from "../../../domain/units.ts";
import type { Fields } from "../../../wire/description.ts";
import { WireError } from "../../../wire/errors.ts";
import { bool, count, has, nullable, objectOf, oneOf, onlyKeys, text, u16 } from "../control/fields.ts";
import type { Channel } from "../stream/frames.ts";
import { type ForeignUnknown, type ForeignWords, foreignWords } from "./foreign-words.ts";

/** Null means no limit. A rule ends when its count is used up or its time is over, whichever is first. */
type HowOften = {
  readonly count: number | null;
  /** Chance per opportunity, 0 to 1; drawn with the devnet's seed. */
  readonly probability: number;
  readonly forMs: number | null;
};

/** Strikes requests. `route` is a method and pattern such as `POST /v1/tx`, `action` a transaction's variant; null means all. */
export type RequestFault = HowOften & {
  readonly kind: "delay" | "dropBefore" | "dropAfter" | "status" | "garbage" | "halfOpen";
  readonly route: string | null;
  readonly action: string | null;
  /** Delay before the handler runs and delay before the answer is sent. */
  readonly delayMs: number;
  readonly delayAnswerMs: number;
  /** For kind `status`. */
  readonly status: number;
  readonly retryAfterSecs: number | null;
  /** Whether the handler runs although its answer is lost; for kinds `status`, `garbage` and `halfOpen`. */
  readonly executes: boolean;
};

/** Strikes stream frames on their way to one connection, the snapshot of a new subscriber, or a new connection. */
export type StreamFault = HowOften & {
  readonly kind: "swallowFrames" | "duplicateFrames" | "staleSnapshot" | "refuseStream";
  /** Null means all. */
  readonly channel: Channel | null;
};

export type LastingFault = RequestFault | StreamFault;

/** Strikes at once: every open stream connection, a market, its oracle, or the clock. `forMs`: duration, null for no end. */
export type FaultAct =
  | { readonly kind: "muteStream" | "dropStream" }
  | { readonly kind: "marketPaused" | "oracleHalted"; readonly marketId: MarketId; readonly forMs: number | null }
  /** Delays the market's prints by `lateMs` from now on; 0 ends it. */
  | { readonly kind: "oracleLate"; readonly marketId: MarketId; readonly lateMs: number }
  | { readonly kind: "oracleJump"; readonly marketId: MarketId; readonly bps: number }
  /** Shifts the chain's clock by `offsetMs`, positive or negative, from now on; 0 ends it. */
  | { readonly kind: "clockOffset"; readonly offsetMs: number }
  /** Words answers and frames differently from now on; an empty object ends it. */
  | { readonly kind: "foreignWords"; readonly words: ForeignWords };

const requestKinds = ["delay", "dropBefore", "dropAfter", "status", "garbage", "halfOpen"] as const;
const streamKinds = ["swallowFrames", "duplicateFrames", "staleSnapshot", "refuseStream"] as const;
const actKinds = [
  "muteStream",
  "dropStream",
  "marketPaused",
  "oracleHalted",
  "oracleLate",
  "oracleJump",
  "clockOffset",
  "foreignWords",
] as const;
const channels = [
  "orderbook",
  "trades",
  "funding",
  "oracleUpdates",
  "fills",
  "orders",
  "liquidations",
  "positions",
  "explorer",
] as const satisfies readonly Channel[];

/** One day: a longer fault belongs in a configuration. */
const MS_MAX = 86_400_000;
const TEXT_BYTES_MAX = 100;
const BPS_MAX = 9000;

export const faultKeys = [
  "kind",
  "route",
  "action",
  "channel",
  "count",
  "probability",
  "forMs",
  "delayMs",
  "delayAnswerMs",
  "status",
  "retryAfterSecs",
  "executes",
  "marketId",
  "lateMs",
  "bps",
  "offsetMs",
  "words",
];

/** Throws WireError. */
export function readFault(fields: Fields): LastingFault | FaultAct {
  const kind = oneOf(fields, "kind", [...requestKinds, ...streamKinds, ...actKinds]);
  if (isOf(requestKinds, kind)) return { kind, ...howOften(fields), ...requestPart(fields, kind) };
  if (isOf(streamKinds, kind)) {
    return {
      kind,
      ...howOften(fields),
      channel: nullable(fields, "channel", (from, key) => oneOf(from, key, channels)),
    };
  }
  return readAct(fields, kind);
}

function readAct(fields: Fields, kind: (typeof actKinds)[number]): FaultAct {
  switch (kind) {
    case "muteStream":
    case "dropStream":
      return { kind };
    case "marketPaused":
    case "oracleHalted":
      return { kind, marketId: u16(fields, "marketId"), forMs: nullable(fields, "forMs", milliseconds) };
    case "oracleLate":
      return { kind, marketId: u16(fields, "marketId"), lateMs: milliseconds(fields, "lateMs") };
    case "oracleJump":
      return { kind, marketId: u16(fields, "marketId"), bps: signed(fields, "bps", BPS_MAX) };
    case "clockOffset":
      return { kind, offsetMs: signed(fields, "offsetMs", MS_MAX) };
    case "foreignWords":
      return { kind, words: wordsOf(objectOf(fields.words ?? {}, "words")) };
  }
}

function wordsOf(fields: Fields): ForeignWords {
  const unknowns = Object.keys(foreignWords) as ForeignUnknown[];
  onlyKeys(fields, new Set(unknowns));
  const named = unknowns.filter((unknown) => has(fields, unknown));
  return Object.fromEntries(named.map((unknown) => [unknown, oneOf(fields, unknown, foreignWords[unknown])]));
}

function howOften(fields: Fields): HowOften {
  return {
    count: nullable(fields, "count", count),
    probability: has(fields, "probability") ? share(fields, "probability") : 1,
    forMs: nullable(fields, "forMs", milliseconds),
  };
}

function requestPart(fields: Fields, kind: RequestFault["kind"]): Omit<RequestFault, "kind" | keyof HowOften> {
  const named = (key: string) => nullable(fields, key, (from, name) => text(from, name, TEXT_BYTES_MAX));
  const status = kind === "status" ? count(fields, "status") : 0;
  if (kind === "status" && (status < 400 || status > 599)) {
    throw new WireError("field_range", "status", "must be from 400 to 599");
  }
  return {
    route: named("route"),
    action: named("action"),
    delayMs: nullable(fields, "delayMs", milliseconds) ?? 0,
    delayAnswerMs: nullable(fields, "delayAnswerMs", milliseconds) ?? 0,
    status,
    retryAfterSecs: nullable(fields, "retryAfterSecs", count),
    executes: nullable(fields, "executes", bool) ?? kind !== "status",
  };
}

function milliseconds(fields: Fields, key: string): number {
  const value = count(fields, key);
  if (value > MS_MAX) throw new WireError("field_range", key, `must be from 0 to ${MS_MAX}`);
  return value;
}

function signed(fields: Fields, key: string, most: number): number {
  const value = fields[key];
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= most) return value;
  throw new WireError("field_range", key, `must be a whole number from -${most} to ${most}`);
}

function share(fields: Fields, key: string): number {
  const value = fields[key];
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw new WireError("field_range", key, "must be a number from 0 to 1");
}

const isOf = <T extends string>(kinds: readonly T[], kind: string): kind is T => kinds.some((known) => known === kind);
