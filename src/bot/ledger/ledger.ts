// The ledger that the bot writes to: intents before they are sent, money once however often it is told, halts that stay, and what
// each turn decided. Writing never throws for the disk: one that fails shows in `health` and closes nothing but new exposure.

import type { Fill } from "../../domain/fill.ts";
import type { Ending, Intent, SettlingStep, StoredIntent } from "../../domain/intent.ts";
import type { LatchEvent } from "../../domain/latch.ts";
import type { KnownOrder } from "../../domain/order.ts";
import { type AccountId, type Nonce, usdc } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Batch, type BatchOptions, coverName, fillName, type LedgerHealth, namesOf } from "./batch.ts";
import { residual } from "./identity.ts";
import {
  type Decision,
  type EquitySnapshot,
  type FundingPayment,
  type LedgerEngine,
  type LedgerReads,
  type LedgerRecord,
  noTotals,
  type Retention,
  type StoredResult,
  type Totals,
  type Transfer,
} from "./store.ts";

export type { LedgerHealth } from "./batch.ts";

export type LedgerOptions = BatchOptions & { readonly retention: Retention };

/** Two hundred thousand rows are days of a busy bot and about 100 MB a table; feed remembers as many orders; what waits is an hour. */
const defaults: LedgerOptions = {
  retention: { decisions: 200_000, intents: 200_000, snapshots: 200_000, orders: 20_000 },
  waitingMax: 100_000,
  onCommit: () => {},
};

export class Ledger {
  readonly #retention: Retention;
  readonly #engine: LedgerEngine;
  readonly #batch: Batch;
  readonly #totals = new Map<AccountId, Totals>();
  #nextIntentId: number;
  #closed = false;

  /** Throws LedgerError `malformed`, and what the storage throws. Writing throws LedgerError `closed` after `close`, and nothing else. */
  constructor(options: Partial<LedgerOptions>, modules: { readonly engine: LedgerEngine; readonly clock: Clock }) {
    const { retention, ...batching } = { ...defaults, ...options };
    this.#retention = retention;
    this.#engine = modules.engine;
    this.#batch = new Batch(batching, modules);
    const { read } = modules.engine;
    this.#nextIntentId = read.lastIntentId() + 1;
    for (const account of read.accounts()) this.#totals.set(account, read.totals(account));
  }

  get read(): LedgerReads {
    return this.#engine.read;
  }

  /** Names a transaction before it is sent; the name survives the death of the process once `commit` returned true. */
  intent(intent: Intent): number {
    const id = this.#nextIntentId;
    this.#nextIntentId += 1;
    this.#batch.put({ kind: "intent", intent: { ...intent, id } });
    return id;
  }

  end(ending: Ending): void {
    this.#batch.put({ kind: "ending", ending });
  }

  settling(step: SettlingStep): void {
    this.#batch.put({ kind: "settling", step });
  }

  /** Sent, and not known to have ended: after a start, each is an unknown that must be settled before quoting. */
  openIntents(): readonly StoredIntent[] {
    return this.read.openIntents();
  }

  /** `completed`: it was known, and this copy told a fee, a profit or a time that the first one lacked. */
  fill(told: Fill, receivedMs: number): "new" | "completed" | "known" {
    const waiting = this.#batch.waiting(fillName(told));
    const known =
      waiting?.kind === "fill" ? waiting.fill : this.#asking((read) => read.fill(told.accountId, told.key), undefined);
    const fee = known?.fee ?? told.fee;
    const realizedPnl = known?.realizedPnl ?? told.realizedPnl;
    const timestampMs = known?.timestampMs ?? told.timestampMs;
    const money = known === undefined || fee !== known.fee || realizedPnl !== known.realizedPnl;
    if (!money && timestampMs === known.timestampMs) return "known";
    this.#batch.put({ kind: "fill", fill: { ...told, fee, realizedPnl, timestampMs }, receivedMs });
    if (money && !(known !== undefined && this.#isCovered(told))) {
      this.#book(told.accountId, {
        fees: usdc((fee ?? 0n) - (known?.fee ?? 0n)),
        realizedPnl: usdc((realizedPnl ?? 0n) - (known?.realizedPnl ?? 0n)),
      });
    }
    return known === undefined ? "new" : "completed";
  }

  /** False when this settlement is booked already. */
  funding(payment: FundingPayment): boolean {
    const { accountId, marketId, atSec, amount } = payment;
    const record: LedgerRecord = { kind: "funding", payment };
    if (this.#waits(record) || this.#asking((read) => read.hasFunding(accountId, marketId, atSec), false)) return false;
    this.#batch.put(record);
    this.#book(accountId, { funding: amount });
    return true;
  }

  /** False when a movement of this key is booked already. */
  transfer(transfer: Transfer): boolean {
    const { accountId, key, amount } = transfer;
    const record: LedgerRecord = { kind: "transfer", transfer };
    if (this.#waits(record) || this.#asking((read) => read.hasTransfer(accountId, key), false)) return false;
    this.#batch.put(record);
    this.#book(accountId, { transfers: amount });
    return true;
  }

  /** To be told of collateral that the exchange has just confirmed: what the book does not expect of it is kept beside it. */
  equity(snapshot: EquitySnapshot): void {
    const unexplained = residual(this.totals(snapshot.accountId), snapshot.collateral);
    this.#batch.put({ kind: "equity", snapshot: { ...snapshot, unexplained } });
  }

  /** In the batch of what changed it: after any death the result is that of the fills which are there. */
  result(result: StoredResult): void {
    this.#batch.put({ kind: "result", result });
  }

  decision(decision: Decision): void {
    this.#batch.put({ kind: "decision", decision });
  }

  /** Everything ever booked of the account. */
  totals(account: AccountId): Totals {
    return this.#totals.get(account) ?? noTotals;
  }

  /** True: it survives loss of power. False: the disk failed; halt all the same, it is written when it can be. Blocks. */
  latch(event: LatchEvent, atMs: number): boolean {
    this.#batch.put({ kind: "latch", event, atMs });
    return this.#batch.syncNow();
  }

  /** The exchange named an order of ours. */
  order(order: KnownOrder): void {
    this.#batch.put({ kind: "order", order });
  }

  /** Resolves true when the reservation survives loss of power: nonces up to `until` may be used from then on. */
  reserve(signer: string, until: Nonce): Promise<boolean> {
    this.#batch.put({ kind: "reservation", signer, until });
    return this.#batch.sync();
  }

  reservation(signer: string): Nonce | null {
    return this.read.reservation(signer);
  }

  /** True: everything so far survives the death of the process. Happens by itself at the end of each task. */
  commit(): boolean {
    return this.#batch.commit();
  }

  /** Resolves true when everything so far survives loss of power. */
  sync(): Promise<boolean> {
    return this.#batch.sync();
  }

  health(): LedgerHealth {
    return this.#batch.health();
  }

  /** Rotates old rows out and moves the log into the file; to be called about once a minute, when nothing is urgent. */
  tidy(): void {
    // Even where the commit failed: rotating may make the room that it lacked.
    this.#batch.commit();
    try {
      this.#engine.tidy(this.#retention);
    } catch (thrown) {
      this.#batch.note(thrown);
    }
  }

  /** Writes, syncs and closes. Harmless when repeated. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#batch.close();
    this.#engine.close();
  }

  /** A transfer that covers it may itself wait for the disk. */
  #isCovered(fill: Fill): boolean {
    const waits = this.#batch.waiting(coverName(fill)) !== undefined;
    return waits || this.#asking((read) => read.isCovered(fill.accountId, fill.key), false);
  }

  /** A question that a failing disk leaves open. Money may then be counted twice; it is not lost, and the identity shows it. */
  #asking<T>(ask: (read: LedgerReads) => T, otherwise: T): T {
    try {
      return ask(this.read);
    } catch (thrown) {
      this.#batch.note(thrown);
      return otherwise;
    }
  }

  #waits(record: LedgerRecord): boolean {
    const [name] = namesOf(record);
    return name !== undefined && this.#batch.waiting(name) !== undefined;
  }

  #book(account: AccountId, gained: Partial<Totals>): void {
    const before = this.totals(account);
    const totals: Totals = {
      realizedPnl: usdc(before.realizedPnl + (gained.realizedPnl ?? 0n)),
      fees: usdc(before.fees + (gained.fees ?? 0n)),
      funding: usdc(before.funding + (gained.funding ?? 0n)),
      transfers: usdc(before.transfers + (gained.transfers ?? 0n)),
    };
    this.#totals.set(account, totals);
    this.#batch.put({ kind: "totals", accountId: account, totals });
  }
}
