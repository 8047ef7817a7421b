// The machine's reads: each has a number, under which it comes back as a fact, a list, or a failure. The schedule decides which are due. A
// failed read changes nothing: its fact ages, and it is read again. An implausible answer makes its subject stale at once.

import type { Account, OpenOrders, Positions } from "../../../domain/account.ts";
import type { ReadEvent, VenueEvent } from "../../../domain/event.ts";
import type { Trade } from "../../../domain/fill.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import { readsWanted } from "../../account/resync.ts";
import { createReadLog, dueReads, type ReadRequest, readAsked, readEnded } from "../../market/schedule.ts";
import type { MarketState } from "../../market/state.ts";
import { loopTiming } from "../../timing.ts";
import type { Listed, Unread } from "../input.ts";
import type { Output, Request } from "../output.ts";
import type { Answer, Work } from "../work.ts";

/** Markets whose reads are sent together: other work waits for one slice, not for all. */
export const SLICE = 16;

export type ReadModules = {
  readonly state: BotState;
  readonly clock: Clocks;
  readonly after: Work["after"];
  readonly put: (output: Output) => void;
  readonly fold: (event: VenueEvent) => void;
};

/** The result; for a fact the event, once it is folded. */
type Result = { readonly event: ReadEvent } | { readonly listed: Listed } | { readonly unread: Unread };

export class Reads {
  readonly #modules: ReadModules;
  readonly #log = createReadLog();
  readonly #asked = new Map<number, (result: Result) => void>();
  /** Scheduled reads, and when they were sent, monotonic ms. */
  readonly #scheduled = new Map<number, { readonly request: ReadRequest; readonly askedMs: number }>();
  #reads = 0;
  /** Slices of the timer's round that have not been sent. */
  #slicesLeft = 0;
  #isStopped = false;

  constructor(modules: ReadModules) {
    this.#modules = modules;
  }

  /** Sends every read that is due. */
  run(): void {
    this.#leave();
  }

  /** The same for the timer, each `loopTiming.tickMs`: reads of many markets spread over the period; a late round skips the next. */
  tick(): void {
    if (this.#slicesLeft > 0) return;
    const { state, after } = this.#modules;
    const markets = [...state.markets.values()];
    const count = Math.max(1, Math.ceil(markets.length / SLICE));
    this.#slicesLeft = count;
    const leaveSlice = (at: number): void => {
      this.#slicesLeft -= 1;
      this.#leave(markets.slice(at * SLICE, (at + 1) * SLICE));
    };
    for (let at = 1; at < count; at += 1) after((at * loopTiming.tickMs) / count, () => leaveSlice(at));
    leaveSlice(0);
  }

  /** Sends no more scheduled reads, and ignores the answers of those on their way. */
  stop(): void {
    this.#isStopped = true;
  }

  readonly readAccount = (accountId: AccountId, onEnd: (answer: Answer<Account>) => void): void =>
    this.#ask({ kind: "account", accountId }, (result) =>
      onEnd(
        "event" in result && result.event.kind === "accountRead" ? { value: result.event.account } : failed(result),
      ),
    );

  readonly readTrades = (marketId: MarketId, onEnd: (answer: Answer<readonly Trade[]>) => void): void =>
    this.#ask({ kind: "trades", marketId }, (result) =>
      onEnd("event" in result && result.event.kind === "tradesRead" ? { value: result.event.trades } : failed(result)),
    );

  readonly listOrders = (accountId: AccountId, onEnd: (answer: Answer<OpenOrders>) => void): void =>
    this.#ask({ kind: "ordersAlone", accountId }, (result) =>
      onEnd("listed" in result && result.listed.of === "orders" ? { value: result.listed.list } : failed(result)),
    );

  readonly listPositions = (accountId: AccountId, onEnd: (answer: Answer<Positions>) => void): void =>
    this.#ask({ kind: "positions", accountId }, (result) =>
      onEnd("listed" in result && result.listed.of === "positions" ? { value: result.listed.list } : failed(result)),
    );

  /** Call it before a fact that was read is folded. False: do not fold it. */
  takes(read: number): boolean {
    const scheduled = this.#scheduled.get(read);
    if (scheduled === undefined) return true;
    this.#scheduled.delete(read);
    if (this.#isStopped) return false;
    readEnded(this.#log, scheduled.request, "folded");
    return true;
  }

  /** Call it once a fact that was read is folded. */
  folded(read: number, event: ReadEvent): void {
    this.#end(read, { event });
  }

  listed(read: number, listed: Listed): void {
    this.#end(read, { listed });
  }

  unread(read: number, unread: Unread): void {
    const scheduled = this.#scheduled.get(read);
    if (scheduled === undefined) {
      this.#end(read, { unread });
      return;
    }
    this.#scheduled.delete(read);
    if (this.#isStopped) return;
    const { request, askedMs } = scheduled;
    readEnded(this.#log, request, "failed");
    const { kind } = request;
    if (!unread.isImplausible || (kind !== "market" && kind !== "oracle" && kind !== "funding")) return;
    const { marketId } = request;
    const receivedMs = this.#modules.clock.monotonicMs();
    this.#modules.fold({ kind: "implausibleRead", what: kind, marketId, askedMs, receivedMs });
  }

  #end(read: number, result: Result): void {
    const onEnd = this.#asked.get(read);
    this.#asked.delete(read);
    onEnd?.(result);
  }

  #ask(request: Request, onEnd: (result: Result) => void): void {
    this.#asked.set(this.#put(request), onEnd);
  }

  #put(request: Request): number {
    this.#reads += 1;
    this.#modules.put({ kind: "read", read: this.#reads, request });
    return this.#reads;
  }

  #leave(markets?: Iterable<MarketState>): void {
    if (this.#isStopped) return;
    const { state, clock } = this.#modules;
    const nowMs = clock.monotonicMs();
    const accounts = Array.from(state.accounts.values(), (account) => readsWanted(account, state, nowMs));
    for (const request of dueReads(state, accounts, this.#log, nowMs, markets)) {
      readAsked(this.#log, request, nowMs);
      this.#scheduled.set(this.#put(request), { request, askedMs: nowMs });
    }
  }
}

const failed = (result: Result): { readonly why: string } => ({
  why: "unread" in result ? result.unread.why : "the answer is another read's",
});
