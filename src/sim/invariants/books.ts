// Laws on money, S3 and S7: the ledger must agree with the exchange's record of fills and with the account.

import { inventoryIn } from "../../bot/accounting/account-book.ts";
import { totalsOf } from "../../bot/accounting/totals.ts";
import { bookOf } from "../../bot/ledger/rebuild.ts";
import type { LedgerReads } from "../../bot/ledger/store.ts";
import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import { type Account, inventoryOf } from "../../domain/account.ts";
import { fillsOf } from "../../domain/fill.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Accuse } from "./law.ts";

/** Log lines about changes that no fill explains, and about transfers. */
const POSTING = /"event":"(position\.unattributed|collateral\.transfer|reconcile\.mismatch|start\.changedAway)"/;

export class Books {
  readonly #account: AccountId;
  readonly #opening: bigint;
  readonly #held: () => Account | undefined;
  /** By key: the time of each fill. */
  readonly #fills = new Map<string, number>();
  #collateral: bigint;
  /** When the log last named a posting. */
  #postedMs = Number.NEGATIVE_INFINITY;
  /** When money or fills last changed, ms. */
  changedMs = 0;

  /** `held`: reads the exchange's account now. */
  constructor(account: AccountId, held: () => Account | undefined) {
    this.#account = account;
    this.#held = held;
    this.#opening = held()?.collateral ?? 0n;
    this.#collateral = this.#opening;
  }

  get fillCount(): number {
    return this.#fills.size;
  }

  observe({ events }: EventBatch, nowMs: number): void {
    for (const event of events)
      for (const { key } of event.type === "Fill" ? fillsOf(event.execution, this.#account) : []) {
        this.#fills.set(key, nowMs);
        this.changedMs = nowMs;
      }
    const { collateral = this.#collateral } = this.#held() ?? {};
    if (collateral !== this.#collateral) this.changedMs = nowMs;
    this.#collateral = collateral;
  }

  logged(line: string, nowMs: number): void {
    if (POSTING.test(line)) this.#postedMs = nowMs;
  }

  /** `ledger`: what a restart would load. `whole`: the same with the archive. */
  judge(
    { ledger, whole }: { readonly ledger: LedgerReads; readonly whole: LedgerReads },
    markets: readonly MarketId[],
    accuse: Accuse,
  ): void {
    const { collateral = 0n, positions = [] } = this.#held() ?? {};
    const booked = new Map<string, number>();
    for (const { fill } of whole.fills(this.#account)) booked.set(fill.key, (booked.get(fill.key) ?? 0) + 1);
    for (const [key, count] of booked) {
      if (count > 1) accuse("S3", `fill ${key} is in the ledger ${count} times`);
      if (!this.#fills.has(key)) accuse("S3", `the exchange knows no fill ${key}`);
    }
    for (const [key, atMs] of this.#fills)
      if (!booked.has(key) && atMs > this.#postedMs)
        accuse("S3", `fill ${key} is not in the ledger, and no posting stands for it`);
    const book = bookOf(ledger, this.#account);
    for (const marketId of markets) {
      const held = inventoryOf(positions.find((position) => position.marketId === marketId));
      const known = inventoryIn(book, marketId);
      if (held !== known) accuse("S7", `the ledger has ${known} of market ${marketId}, the account holds ${held}`);
    }
    const { realizedPnl, fees, funding, transfers } = totalsOf(book);
    const sum = realizedPnl - fees + funding + transfers + this.#unbooked(whole);
    if (sum !== collateral) {
      const parts = `realized ${realizedPnl}, fees ${fees}, funding ${funding}, transfers ${transfers}`;
      accuse("S7", `the ledger sums to ${sum} (${parts}), the account holds ${collateral}`);
    }
  }

  /** The account's initial collateral, unless the ledger has it among its transfers. */
  #unbooked(ledger: LedgerReads): bigint {
    for (const { reason } of ledger.transfers(this.#account)) if (reason === "opening") return 0n;
    return this.#opening;
  }
}
