// Publishes the newest hash of the audit outside the ledger's file, once a day (UTC) and at the start: in the log, and by webhook. Whoever
// rewrites the file cannot rewrite these.

import { type Clock, DAY_MS } from "../../../kernel/clock.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../telemetry/log.ts";
import type { CriticalEvent } from "../../telemetry/webhook-shapes.ts";

export type AuditHeadModules = {
  readonly ledger: Pick<Ledger, "auditHead">;
  readonly clock: Clock;
  readonly log: Log;
  readonly tell: (event: CriticalEvent) => void;
};

export class AuditHead {
  readonly #modules: AuditHeadModules;
  #day: number | null = null;

  constructor(modules: AuditHeadModules) {
    this.#modules = modules;
  }

  /** Call at the start and every minute. */
  look(): void {
    const { ledger, clock, log, tell } = this.#modules;
    const atMs = clock.wallMs();
    const day = Math.floor(atMs / DAY_MS);
    if (day === this.#day) return;
    const isStart = this.#day === null;
    this.#day = day;
    const head = ledger.auditHead;
    if (head === "") return;
    const reason = `the audit's newest row has the hash ${head}; quoin ledger verify compares`;
    log.info({ event: "audit.head", head }, reason);
    if (!isStart) tell({ event: "audit.head", account: null, market: null, reason, atMs });
  }
}
