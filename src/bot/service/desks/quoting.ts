// Whether one market is quoted, from turn to turn: its standing of now, told to metrics and log. Where the words come from is standing.ts.

import { type Side, sides } from "../../../domain/units.ts";
import type { MarketMetrics } from "../../telemetry/bound.ts";
import type { Turn } from "../loop/turn.ts";
import type { QuotingReport } from "./quoting-report.ts";
import { type NotQuotingReason, notStarted, type Standing, standingOf, stopped } from "./standing.ts";

export type QuotingModules = {
  readonly metrics: Pick<MarketMetrics<never, never, never, never, NotQuotingReason>, "quoting" | "notQuoting">;
  readonly report: QuotingReport;
};

export class Quoting {
  readonly #modules: QuotingModules;
  /** As of the last turn. */
  standing: Standing = notStarted;
  /** What the metrics show, and since when, monotonic ms. */
  #shown: { readonly standing: Standing; readonly sinceMs: number } | null = null;

  constructor(modules: QuotingModules) {
    this.#modules = modules;
  }

  turned(turn: Turn): void {
    this.standing = standingOf(turn);
  }

  /** Once a turn's orders are on their way, since nothing waits for metrics and log. `name`: of the market; `nowMs`: the turn's. */
  show(name: string, nowMs: number): void {
    this.#showMetrics(nowMs);
    this.#modules.report.look(this.standing, name, nowMs);
  }

  /** No turn follows. */
  stop(nowMs: number): void {
    this.standing = stopped;
    this.#showMetrics(nowMs);
  }

  /** What was shown held until now. */
  #showMetrics(nowMs: number): void {
    const { quoting, notQuoting } = this.#modules.metrics;
    const seconds = this.#shown === null ? 0 : (nowMs - this.#shown.sinceMs) / 1000;
    for (const side of sides) {
      const before = this.#shown === null ? null : reasonOf(this.#shown.standing, side);
      if (before !== null && seconds > 0) notQuoting(side, before).inc(seconds);
      quoting[side].set(this.standing[side].rests ? 1 : 0);
    }
    this.#shown = { standing: this.standing, sinceMs: nowMs };
  }
}

/** Why nothing rests on the side; null: something does. */
const reasonOf = (standing: Standing, side: Side): NotQuotingReason | null =>
  standing[side].rests ? null : (standing[side].why[0]?.reason ?? null);
