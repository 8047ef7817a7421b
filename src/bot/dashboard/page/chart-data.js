// The chart's data as rows of an even time grid: the chart's axis counts rows, so all must have the same duration.

/**
 * @import { Filled, Sampled, State } from "./stream.js"
 * @typedef {{ readonly name: string; readonly spanMs: number; readonly stepMs: number }} Range
 * @typedef {"oracle" | "fair" | "mid" | "bid" | "ask" | "position" | "print" | "pnlMid" | "shadow"} Column
 * @typedef {{ readonly time: number } & Readonly<Record<Column, number | null>>} Row
 * @typedef {{ readonly id: string; readonly time: number; readonly isBuy: boolean; readonly count: number; readonly size: number; readonly price: number }} Cluster
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The grids are the tiers of the daemon's history; a grid is shown in full. */
/** @type {readonly Range[]} */
export const ranges = [
  { name: "15 m", spanMs: 15 * MINUTE_MS, stepMs: 10_000 },
  { name: "1 h", spanMs: HOUR_MS, stepMs: 10_000 },
  { name: "4 h", spanMs: 4 * HOUR_MS, stepMs: 10_000 },
  { name: "24 h", spanMs: 24 * HOUR_MS, stepMs: MINUTE_MS },
  { name: "7 d", spanMs: 168 * HOUR_MS, stepMs: 10 * MINUTE_MS },
];
/** Rows of the longest range of a grid. */
export const rowsMax = (/** @type {number} */ stepMs) =>
  Math.max(...ranges.flatMap((range) => (range.stepMs === stepMs ? [range.spanMs / stepMs] : [])));

/** In the order of `sampleOf` in history.ts. @type {readonly Column[]} */
export const columns = ["oracle", "fair", "mid", "bid", "ask", "position", "print", "pnlMid", "shadow"];
const unknown = /** @type {Record<Column, null>} */ (Object.fromEntries(columns.map((name) => [name, null])));

/**
 * A market as of the last update; the history has only one sample per ten seconds.
 *
 * @type {(state: State, place: string) => readonly (number | null)[] | null}
 */
function liveOf({ status, detail }, place) {
  for (const { accountId, markets } of status.accounts) {
    for (const { marketId, oraclePrice, fairValue, bids, asks, position, pnl, pnlAtMid, shadow } of markets) {
      if (`${accountId}/${marketId}` !== place) continue;
      const mid = detail.markets.find((of) => of.accountId === accountId && of.marketId === marketId)?.mid ?? null;
      const quotes = [bids[0]?.price ?? null, asks[0]?.price ?? null];
      return [
        oraclePrice,
        fairValue,
        mid,
        ...quotes,
        position,
        pnl.total,
        pnlAtMid.total,
        shadow?.pnlAtMid.total ?? null,
      ];
    }
  }
  return null;
}

/** How long a sample's values are used for later rows. @type {(samples: readonly Sampled[], stepMs: number) => number} */
function reachMs(samples, stepMs) {
  const last = samples.slice(-9);
  const gaps = last.slice(1).map(({ atMs }, at) => atMs - (last[at]?.atMs ?? atMs));
  return 2.5 * Math.max(stepMs, gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0);
}

/** Difference between PnL and the shadow's PnL when the shadow was first seen; added to the shadow, both lines start at one point. */
/** @type {(samples: readonly Sampled[], place: string) => number} */
function shadowStart(samples, place) {
  const [pnlAt, shadowAt] = [columns.indexOf("pnlMid"), columns.indexOf("shadow")];
  for (const { markets } of samples) {
    const shadow = markets[place]?.[shadowAt] ?? null;
    if (shadow !== null) return (markets[place]?.[pnlAt] ?? 0) - shadow;
  }
  return 0;
}

/**
 * Rows from `fromMs` until now, at most as many as the grid has. Null where there is no sample nearby.
 *
 * @type {(state: State, place: string, stepMs: number, fromMs: number) => readonly Row[]}
 */
export function rowsOf(state, place, stepMs, fromMs) {
  const { samples, status } = state;
  const nowMs = status.nowMs;
  const oldestMs = samples[0]?.atMs ?? nowMs;
  const startMs = Math.max(fromMs, oldestMs, nowMs - rowsMax(stepMs) * stepMs);
  const reach = reachMs(samples, stepMs);
  const lead = shadowStart(samples, place);
  const [first, last] = [Math.floor(startMs / stepMs), Math.floor(nowMs / stepMs)];
  /** @type {Map<number, readonly (number | null)[]>} */
  const known = new Map();
  for (let at = samples.length - 1; at >= 0; at -= 1) {
    const sample = samples[at];
    if (sample === undefined || sample.atMs < startMs - reach) break;
    const slot = Math.floor(sample.atMs / stepMs);
    const values = sample.markets[place];
    if (values !== undefined && !known.has(slot)) known.set(slot, values);
  }
  const live = liveOf(state, place);
  if (live !== null) known.set(last, live);
  /** @type {Row[]} */
  const rows = [];
  /** @type {{ readonly slot: number; readonly values: readonly (number | null)[] } | null} */
  let kept = null;
  for (let slot = first - Math.ceil(reach / stepMs); slot <= last; slot += 1) {
    const values = known.get(slot);
    if (values !== undefined) kept = { slot, values };
    if (slot < first) continue;
    const near = kept !== null && (slot - kept.slot) * stepMs <= reach ? kept.values : null;
    rows.push({ time: (slot * stepMs) / 1000, ...(near === null ? unknown : named(near, lead)) });
  }
  return rows;
}

/**
 * `lead`: added to the shadow's PnL for its line.
 *
 * @type {(values: readonly (number | null)[], lead: number) => Record<Column, number | null>}
 */
function named(values, lead) {
  const row = /** @type {Record<Column, number | null>} */ (
    Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null]))
  );
  return row.shadow === null ? row : { ...row, shadow: row.shadow + lead };
}

/**
 * Merges fills that would overlap, by side: those within `width` rows of the grid.
 *
 * @type {(fills: readonly Filled[], place: string, stepMs: number, width: number, sinceSec: number) => readonly Cluster[]}
 */
export function clustersOf(fills, place, stepMs, width, sinceSec) {
  /** @type {Map<string, { isBuy: boolean; slots: number; count: number; size: number; value: number }>} */
  const groups = new Map();
  for (const { place: of, atMs, fill } of fills) {
    const slot = Math.floor(atMs / stepMs);
    if (of !== place || (slot * stepMs) / 1000 < sinceSec) continue;
    const isBuy = fill.side === "buy";
    const id = `${isBuy ? "buy" : "sell"}/${Math.floor(slot / width)}`;
    const group = groups.get(id) ?? { isBuy, slots: 0, count: 0, size: 0, value: 0 };
    group.slots += slot;
    group.count += 1;
    group.size += fill.size;
    group.value += fill.size * fill.price;
    groups.set(id, group);
  }
  return [...groups]
    .map(([id, { isBuy, slots, count, size, value }]) => ({
      id,
      isBuy,
      count,
      size,
      price: value / size,
      time: (Math.round(slots / count) * stepMs) / 1000,
    }))
    .sort((a, b) => a.time - b.time);
}
