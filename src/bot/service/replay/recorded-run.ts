// One recorded run, worked out again: the core of the bot between recorded entries. Nothing is sent, nothing is read.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { createPrng } from "../../../kernel/prng.ts";
import { type AccountState, rekey } from "../../account/account-state.ts";
import type { QuotedAccount, QuotedMarket } from "../../config/config.ts";
import { type Core, type CoreModules, makeCore, recordedReads } from "../../decider/begin.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { takeMarkets } from "../../decider/desks/desks.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import type { DropReason } from "../../execution/queue.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { forgetfulEngine } from "../../ledger/memory/forgetful.ts";
import type { Entry, RecordedMarket, Start } from "../../recording/entry.ts";
import { createLog } from "../../telemetry/log.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { loadFor } from "./recorded-config.ts";
import { ReplayEntries } from "./replay-entries.ts";

/** Told of each entry that decides, once it has: what it decided then, and now. */
export type Judge = (entry: Entry, decided: unknown) => void;

export class ReplayedRun {
  readonly #entries: ReplayEntries;
  readonly #core: Core;
  readonly #modules: CoreModules;
  readonly #chainId: string;
  readonly #isOther: boolean;
  readonly #judge: Judge;
  readonly #loaded = new WeakMap<object, QuotedMarket | QuotedAccount>();

  /** `accounts`: as recorded; `isOther`: others in their place, which stay whatever the recording says of its own. */
  constructor(start: Start, accounts: readonly QuotedAccount[], isOther: boolean, judge: Judge) {
    const entries = new ReplayEntries(start.instant, (entry) => this.#perform(entry));
    const { clock } = entries;
    const engine = forgetfulEngine();
    this.#entries = entries;
    this.#chainId = start.chainId;
    this.#isOther = isOther;
    this.#judge = judge;
    this.#modules = {
      clock,
      entries,
      log: createLog("error", { write: () => {}, terminal: false, wallMs: clock.wallMs }),
      metrics: createMetrics(),
      prng: createPrng(start.seed),
      ledger: new Ledger({}, { engine: { ...engine, read: recordedReads(engine.read, entries) }, clock }),
      outside: {
        cancel: () => {},
        isElsewhere: () => false,
        nonceRefusal: () => null,
        submit: () => {},
        // The recorded orders are those of the recorded configuration.
        isSending: !isOther,
        wanted: () => {},
        filled: () => {},
        read: () => {},
        reconnect: () => {},
        shown: () => {},
        resubscribe: () => {},
        startAgain: () => {},
        strategyFault: () => {},
        onSlept: () => {},
      },
    };
    const { ledgerLost, halt } = start;
    const options = {
      ...start,
      accounts,
      causes: { ledgerLost, ...(halt === null ? {} : { halt }) },
      publicKeys: new Map(start.publicKeys),
      earlierHolders: start.earlierHolders.map(({ allowances, untilMs }) => ({
        allowances: new Map(allowances),
        untilMs,
      })),
    };
    this.#core = entries.begin(start.told, () => makeCore(options, this.#modules));
  }

  /** Loads the strategies that the entry brings: before `play`. Rejects with StrategyFault. */
  async prepare(entry: Entry): Promise<void> {
    if (!this.#isOther) await loadFor(entry, this.#loaded);
  }

  play(entry: Entry): void {
    this.#perform(entry);
  }

  #perform(entry: Entry): void {
    const door = this.#doors[entry.kind] as (entry: Entry) => unknown;
    const decided = this.#entries.within(entry, () => door(entry));
    if (entry.kind === "turn" || entry.kind === "recheck" || entry.kind === "judge") this.#judge(entry, decided);
  }

  #configure(entry: Entry, run: () => void): void {
    if (!this.#isOther) this.#entries.enter(entry, run);
  }

  #deskOf(accountId: AccountId): AccountDesk | undefined {
    return this.#core.desks.get(accountId);
  }

  #marketOf(accountId: AccountId, marketId: MarketId): MarketDesk | undefined {
    return this.#deskOf(accountId)?.markets.get(marketId);
  }

  #ordersOf(accountId: AccountId): AccountState["orders"] | undefined {
    return this.#core.state.accounts.get(accountId)?.orders;
  }

  #take(accountId: AccountId, quoted: RecordedMarket): void {
    const desk = this.#deskOf(accountId);
    const modules = { ...this.#modules, clock: this.#entries.clock, chainId: this.#chainId };
    if (desk !== undefined) takeMarkets(desk, [this.#loaded.get(quoted) as QuotedMarket], modules);
  }

  readonly #doors: Doors = {
    event: ({ event }) => {
      const { loop, foreignActivity } = this.#core;
      if (event.kind === "sent" || event.kind === "answered" || event.kind === "resolved") foreignActivity.note(event);
      loop.apply(event);
    },
    turn: ({ accountId, marketId, causeMs }) => this.#core.loop.turn(accountId, marketId, causeMs),
    measure: ({ accountId, marketId }) => this.#core.loop.measure(accountId, marketId),
    // Recordings of before have it: a look changed what was known of other markets.
    view: () => {},
    tick: () => this.#core.loop.look(),
    look: () => this.#core.loop.lookAtClock(),
    records: () => this.#core.loop.records(),
    stop: () => this.#core.loop.stop(),
    recheck: ({ command }) => this.#core.loop.recheck(command),
    judge: ({ command }) => this.#core.loop.judge(command),
    added: ({ command }) => this.#core.loop.added(command),
    outcome: ({ command, outcome }) => this.#core.loop.ended(command, outcome),
    dropped: ({ command, reason }) => this.#core.loop.dropped(command, reason as DropReason),
    trip: ({ latch, wallMs }) => this.#deskOf(latch.accountId)?.trip(latch, wallMs),
    lift: ({ accountId, marketId, latch, reason, wallMs }) =>
      this.#deskOf(accountId)?.lift({ marketId, latch, reason }, wallMs),
    rekey: (entry) => this.#entries.enter(entry, () => rekey(this.#core.state, entry.accountId, entry.publicKey)),
    late: (entry) =>
      this.#entries.enter(entry, () =>
        this.#ordersOf(entry.accountId)?.takeLate(entry.order, this.#entries.clock.monotonicMs()),
      ),
    claim: (entry) => this.#entries.enter(entry, () => this.#ordersOf(entry.accountId)?.claimOrders(entry.orderIds)),
    keep: (entry) =>
      this.#entries.enter(entry, () =>
        this.#ordersOf(entry.accountId)?.keepOrders(entry.orders, this.#entries.clock.monotonicMs()),
      ),
    account: (entry) =>
      this.#configure(entry, () => {
        const desk = this.#deskOf(entry.quoted.accountId);
        if (desk !== undefined) desk.quoted = this.#loaded.get(entry.quoted) as QuotedAccount;
      }),
    requote: (entry) =>
      this.#configure(entry, () => {
        const { accountId, quoted, goesOn } = entry;
        this.#marketOf(accountId, quoted.marketId)?.requote(this.#loaded.get(quoted) as QuotedMarket, goesOn);
      }),
    take: (entry) => this.#configure(entry, () => this.#take(entry.accountId, entry.quoted)),
    drain: (entry) => this.#configure(entry, () => this.#marketOf(entry.accountId, entry.marketId)?.drain()),
    drop: (entry) => this.#configure(entry, () => this.#deskOf(entry.accountId)?.drop(entry.marketId)),
  };
}

type EntryOf<K, E = Entry> = E extends { readonly kind: infer Kinds } ? (K extends Kinds ? E : never) : never;
type Doors = { readonly [K in Entry["kind"]]: (entry: EntryOf<K>) => unknown };
