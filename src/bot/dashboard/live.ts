// The live stream of the page, GET /events: a snapshot first, then one update per second, made once for all readers. A reader that is too
// slow is dropped; nothing is buffered for it.

import type { Clock, Timer } from "../../kernel/clock.ts";
import type { Sink } from "../telemetry/http.ts";
import { reportTiming } from "../timing.ts";
import type { Detail } from "./detail.ts";
import { History, type HistoryEntry, placeOf, readEntry, sampleOf } from "./history.ts";
import { notesBetween } from "./notes.ts";
import type { Status } from "./status.ts";

/** Where history outlives the process. Neither throws. */
export type HistoryStore = {
  readonly load: () => readonly string[];
  readonly append: (lines: readonly string[]) => void;
  readonly replace: (lines: readonly string[]) => void;
};

export type LiveModules = {
  readonly clock: Clock;
  readonly status: () => Status;
  readonly detail: () => Detail;
  readonly store: HistoryStore;
};

/** The store is rewritten once it has this many lines more than the history. */
const SPARE_LINES = 5000;

/** When each gate last changed, wall ms, by `account/market/gate`. */
type Since = Record<string, number>;

export class Live {
  readonly #modules: LiveModules;
  readonly #history = new History(reportTiming.historyTiers);
  readonly #readers = new Set<Sink>();
  readonly #timer: Timer;
  readonly #gates = new Map<string, { readonly open: boolean; readonly sinceMs: number }>();
  #before: Status | null = null;
  #sampledMs = Number.NEGATIVE_INFINITY;
  #storedLines: number;

  constructor(modules: LiveModules) {
    this.#modules = modules;
    const lines = modules.store.load();
    this.#storedLines = lines.length;
    for (const entry of lines.map(readEntry)) if (entry !== undefined) this.#history.add(entry);
    this.#timer = modules.clock.every(reportTiming.pageEveryMs, () => this.#look());
  }

  open(sink: Sink): void {
    const status = this.#modules.status();
    const snapshot = { ...this.#shown(status, this.#modules.detail()), history: this.#history.shown() };
    if (!sink.write(message("snapshot", snapshot))) return;
    this.#readers.add(sink);
    sink.onClose(() => this.#readers.delete(sink));
  }

  /** What changed, oldest first: the page's log. */
  notes(): readonly HistoryEntry[] {
    return this.#history.shown().filter(({ kind }) => kind === "note");
  }

  get readers(): number {
    return this.#readers.size;
  }

  close(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const status = this.#modules.status();
    const detail = this.#modules.detail();
    const news: HistoryEntry[] = [];
    if (this.#before !== null)
      for (const text of notesBetween(this.#before, status)) news.push({ kind: "note", atMs: status.nowMs, text });
    this.#before = status;
    for (const { accountId, marketId, fills } of detail.markets) {
      for (const fill of fills) {
        if (!this.#history.isNews(fill)) continue;
        news.push({ kind: "fill", atMs: fill.atMs, place: placeOf(accountId, marketId), fill });
      }
    }
    if (status.nowMs - this.#sampledMs >= reportTiming.historyEveryMs || status.nowMs < this.#sampledMs) {
      this.#sampledMs = status.nowMs;
      news.push(sampleOf(status, detail));
    }
    this.#keep(news);
    if (this.#readers.size === 0) {
      this.#noteGates(status);
      return;
    }
    const text = message("update", { ...this.#shown(status, detail), history: news });
    for (const reader of this.#readers) if (!reader.write(text)) this.#readers.delete(reader);
  }

  #keep(news: readonly HistoryEntry[]): void {
    if (news.length === 0) return;
    for (const entry of news) this.#history.add(entry);
    this.#storedLines += news.length;
    if (this.#storedLines <= this.#history.lines + SPARE_LINES) {
      this.#modules.store.append(news.map((entry) => JSON.stringify(entry)));
      return;
    }
    const all = this.#history.all();
    this.#storedLines = all.length;
    this.#modules.store.replace(all.map((entry) => JSON.stringify(entry)));
  }

  #shown(status: Status, detail: Detail) {
    return { status, detail, since: this.#noteGates(status) };
  }

  #noteGates({ accounts, nowMs }: Status): Since {
    const since: Since = {};
    for (const { accountId, markets } of accounts) {
      for (const { marketId, gates } of markets) {
        for (const { gate, open } of gates) {
          const name = `${placeOf(accountId, marketId)}/${gate}`;
          const known = this.#gates.get(name);
          const sinceMs = known?.open === open ? known.sinceMs : nowMs;
          this.#gates.set(name, { open, sinceMs });
          since[name] = sinceMs;
        }
      }
    }
    return since;
  }
}

export const message = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
