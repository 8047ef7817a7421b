// What the page tells of the last week: samples of each market, the older the fewer, fills, and the log in sentences. Bounded; as lines of
// text it survives a restart of the daemon.

import { createOldestOutMap, createRing } from "../../kernel/bounded.ts";
import type { Detail, FillLine } from "./detail.ts";
import type { Status } from "./status.ts";

/**
 * Of one market: oracle, fair value, mid, our best bid and ask, position, PnL at the print and at the mid, and that of its shadow at the mid where
 * it has one; null what was unknown.
 */
export type Sample = readonly (number | null)[];

export type HistoryEntry =
  | {
      readonly kind: "sample";
      readonly atMs: number;
      /** By `account/market`. */
      readonly markets: Readonly<Record<string, Sample>>;
      readonly equity: Readonly<Record<string, number | null>>;
    }
  | { readonly kind: "note"; readonly atMs: number; readonly text: string }
  | FillEntry;
type FillEntry = { readonly kind: "fill"; readonly atMs: number; readonly place: string; readonly fill: FillLine };

/** Of samples: no two closer than `everyMs`, the newest `count`. */
export type HistoryTier = { readonly everyMs: number; readonly count: number };

const NOTES_MAX = 300;
const FILLS_MAX = 500;
/** Numbers of samples that a page is given: its size stays flat however many markets there are. */
const NUMBERS_MAX = 40_000;

export const placeOf = (accountId: string, marketId: number): string => `${accountId}/${marketId}`;

export class History {
  readonly #tiers;
  readonly #notes = createRing<HistoryEntry>(NOTES_MAX);
  /** By key: a later copy brings what the first lacked. */
  readonly #fills = createOldestOutMap<string, FillEntry>(FILLS_MAX);

  /** The finest tier first. */
  constructor(tiers: readonly HistoryTier[]) {
    this.#tiers = tiers.map(({ everyMs, count }) => ({ everyMs, lastMs: 0, ring: createRing<HistoryEntry>(count) }));
  }

  add(entry: HistoryEntry): void {
    if (entry.kind === "sample") this.#addSample(entry);
    else if (entry.kind === "note") this.#notes.push(entry);
    else this.#fills.set(entry.fill.key, entry);
  }

  #addSample(entry: HistoryEntry): void {
    for (const tier of this.#tiers) {
      // A clock that was set back starts the tier over.
      if (entry.atMs >= tier.lastMs && entry.atMs - tier.lastMs < tier.everyMs) continue;
      tier.lastMs = entry.atMs;
      tier.ring.push(entry);
    }
  }

  /** Oldest first: of each tier what is older than all that the finer ones hold. */
  #samples(): readonly HistoryEntry[] {
    let oldestMs = Number.POSITIVE_INFINITY;
    const samples: HistoryEntry[] = [];
    for (const { ring } of this.#tiers) {
      const older = ring.items().filter(({ atMs }) => atMs < oldestMs);
      samples.unshift(...older);
      oldestMs = Math.min(oldestMs, older[0]?.atMs ?? oldestMs);
    }
    return samples;
  }

  /** Everything, oldest first within its kind; of many markets fewer samples. */
  shown(): readonly HistoryEntry[] {
    const samples = this.#samples();
    const newest = samples.at(-1);
    const width = newest?.kind === "sample" ? Object.keys(newest.markets).length * 8 : 1;
    const step = Math.max(1, Math.ceil((samples.length * width) / NUMBERS_MAX));
    const thinned = samples.filter((_, index) => (samples.length - 1 - index) % step === 0);
    return [...thinned, ...this.#fills.values(), ...this.#notes.items()];
  }

  /** Not known yet, or only without its fee. */
  isNews({ key, fee }: FillLine): boolean {
    const known = this.#fills.get(key)?.fill;
    return known === undefined || (known.fee === null && fee !== null);
  }

  get lines(): number {
    return this.#samples().length + this.#notes.length() + this.#fills.size();
  }

  /** What a file of it holds. */
  all(): readonly HistoryEntry[] {
    return [...this.#samples(), ...this.#fills.values(), ...this.#notes.items()];
  }
}

export function sampleOf(status: Status, detail: Detail): HistoryEntry {
  const mids = new Map(detail.markets.map(({ accountId, marketId, mid }) => [placeOf(accountId, marketId), mid]));
  return {
    kind: "sample",
    atMs: status.nowMs,
    markets: Object.fromEntries(
      status.accounts.flatMap(({ accountId, markets }) =>
        markets.map(({ marketId, oraclePrice, fairValue, bids, asks, position, pnl, pnlAtMid, shadow }) => {
          const place = placeOf(accountId, marketId);
          const quotes = [bids[0]?.price ?? null, asks[0]?.price ?? null];
          const shadowed = shadow === null ? [] : [shadow.pnlAtMid.total];
          const prices = [oraclePrice, fairValue, mids.get(place) ?? null, ...quotes];
          return [place, [...prices, position, pnl.total, pnlAtMid.total, ...shadowed]];
        }),
      ),
    ),
    equity: Object.fromEntries(status.accounts.map(({ accountId, equityUsdc }) => [accountId, equityUsdc])),
  };
}

/** An entry of a file; undefined: the line is none of ours or was cut off. */
export function readEntry(line: string): HistoryEntry | undefined {
  try {
    const entry = JSON.parse(line) as HistoryEntry;
    return ["sample", "note", "fill"].includes(entry.kind) && Number.isFinite(entry.atMs) ? entry : undefined;
  } catch {
    return undefined;
  }
}
