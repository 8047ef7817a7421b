// Watches the heap after garbage collections. Growth there may come from variables in the modules of the operator's own strategies. It
// cannot be attributed to one of them, so the warning names them all.

import { constants, PerformanceObserver } from "node:perf_hooks";
import type { BotConfig } from "../../bot/config/config.ts";
import { builtinStrategies, type LoadedStrategy } from "../../bot/strategy/loader.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import type { Clock } from "../../kernel/clock.ts";
import { bytesText } from "../../kernel/text.ts";

const MB = 1024 * 1024;
/** The page's history, connections and compiled code grow first. */
const SETTLES_MS = 30_000;
const GROWTH_BYTES = 48 * MB;

/** Detects growth that two collections in a row show. A single one may be work in progress. */
export class HeapGrowth {
  readonly #startMs: number;
  #least: { readonly bytes: number; readonly atMs: number } | null = null;
  #before = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /**
   * Takes the `bytes` left after a collection at monotonic `nowMs`. Returns the growth since the smallest heap, and its duration. Null: no
   * growth.
   */
  collected(bytes: number, nowMs: number): { readonly bytes: number; readonly forMs: number } | null {
    if (nowMs - this.#startMs < SETTLES_MS) return null;
    if (this.#least === null || bytes < this.#least.bytes) this.#least = { bytes, atMs: nowMs };
    const grown = Math.min(bytes, this.#before) - this.#least.bytes;
    this.#before = bytes;
    if (grown < GROWTH_BYTES) return null;
    const news = { bytes: bytes - this.#least.bytes, forMs: nowMs - this.#least.atMs };
    this.#least = { bytes, atMs: nowMs };
    this.#before = bytes;
    return news;
  }
}

type Strategies = Pick<BotConfig, "accounts">;

/** Names and places of the operator's own strategies. Empty: all strategies are shipped ones. */
export function ownStrategies({ accounts }: Strategies): readonly string[] {
  const isOwn = ({ origin }: LoadedStrategy): boolean => origin.folder !== builtinStrategies.folder.href;
  return accounts.flatMap(({ accountId, markets }) =>
    markets.flatMap(({ marketId, strategy, shadow }) => [
      ...(isOwn(strategy) ? [`${strategy.name} (account ${accountId} market ${marketId})`] : []),
      ...(shadow !== null && isOwn(shadow.strategy) ? [`${shadow.strategy.name} (its shadow)`] : []),
    ]),
  );
}

/**
 * Logs growth while strategies of the operator's own run. `config` returns the running configuration. Returns a function that stops the
 * watch.
 */
export function watchHeap(
  config: () => Strategies,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): () => void {
  const growth = new HeapGrowth(clock.monotonicMs());
  const observer = new PerformanceObserver((collections) => {
    if (!collections.getEntries().some(isOfAll)) return;
    const { heapUsed, external } = process.memoryUsage();
    const grown = growth.collected(heapUsed + external, clock.monotonicMs());
    const own = ownStrategies(config());
    if (grown === null || own.length === 0) return;
    log.warn(
      { event: "process.memory", bytes: grown.bytes, forMs: Math.round(grown.forMs), strategies: own.join(", ") },
      `the process keeps ${bytesText(grown.bytes)} more than ${Math.round(grown.forMs / 1000)} s ago; strategies of your own run in it, and what they keep outside of their memory stays: ${own.join(", ")}`,
    );
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => observer.disconnect();
}

/** A minor collection looks at young objects only. */
const isOfAll = (entry: unknown): boolean =>
  ((entry as { readonly detail?: { readonly kind?: number } }).detail?.kind ?? 0) ===
  constants.NODE_PERFORMANCE_GC_MAJOR;
