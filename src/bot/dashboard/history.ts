// The page's history of the last week: samples of each market (fewer for older times), fills, and log sentences. Bounded; stored as lines
// of text, it survives a restart of the daemon.

import { createOldestOutMap, createRing } from "../../kernel/bounded.ts";
import type { Detail, FillLine } from "./detail.ts";
import type { Status } from "./status.ts";

/**
 * One market: oracle, fair value, mid, our best bid and ask, position, PnL at the print and at the mid, and its shadow's PnL at the mid, if
 * any; null if unknown.
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

/** A tier of samples: at least `everyMs` apart, the newest `count`. */
export type HistoryTier = { readonly everyMs: number; readonly count: number };

const NOTES_MAX = 300;
const FILLS_MAX = 500;
/** Most numbers in the samples sent to a page, so that its size does not grow with the markets. */
const NUMBERS_MAX = 40_000;

export const placeOf = (accountId: string, marketId: number): string => `${accountId}/${marketId}`;

export class History {
  readonly #tiers;
  readonly #notes = createRing<HistoryEntry>(NOTES_MAX);
  /** By key: a later copy adds what the first lacked. */
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
      // If the clock was set back, the tier starts over.
      if (entry.atMs >= tier.lastMs && entry.atMs - tier.lastMs < tier.everyMs) continue;
      tier.lastMs = entry.atMs;
      tier.ring.push(entry);
    }
  }

  /** Oldest first: from each tier the samples older than those of all finer tiers. */
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

  /** Everything, oldest first within its kind; fewer samples if there are many markets. */
  shown(): readonly HistoryEntry[] {
    const samples = this.#samples();
    const newest = samples.at(-1);
    const width = newest?.kind === "sample" ? Object.keys(newest.markets).length * 8 : 1;
    const step = Math.max(1, Math.ceil((samples.length * width) / NUMBERS_MAX));
    const thinned = samples.filter((_, index) => (samples.length - 1 - index) % step === 0);
    return [...thinned, ...this.#fills.values(), ...this.#notes.items()];
  }

  /** Whether the fill is unknown, or known without its fee. */
  isNews({ key, fee }: FillLine): boolean {
    const known = this.#fills.get(key)?.fill;
    return known === undefined || (known.fee === null && fee !== null);
  }

  get lines(): number {
    return this.#samples().length + this.#notes.length() + this.#fills.size();
  }

  /** Content of its file. */
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

/** Reads an entry of the file; undefined if the line is not ours or was cut off. */
export function readEntry(line: string): HistoryEntry | undefined {
  try {
    const entry = JSON.parse(line) as HistoryEntry;
    return ["sample", "note", "fill"].includes(entry.kind) && Number.isFinite(entry.atMs) ? entry : undefined;
  } catch {
    return undefined;
  }
}
