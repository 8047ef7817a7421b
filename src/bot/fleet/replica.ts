// Sends what must outlive a machine from an account's ledger to the database: written behind the ledger's own commit, kept in a file until
// the database has it, sent in order, at least once, under the lease's epoch. Only a reservation of nonces waits for it. PostgreSQL is not
// a ledger engine itself: an engine answers within the turn and writes an intent before each send. So the machine's engine stays SQLite,
// and the copy has a law of its own: a ledger made from the database equals the previous machines' ledger.

import { type Clock, sleep } from "../../kernel/clock.ts";
import type { LedgerEngine, LedgerRecord } from "../ledger/store.ts";
import { fleetTiming } from "../timing.ts";
import { type Database, FleetError } from "./database.ts";
import type { Leftover, OutboxFile } from "./outbox-file.ts";
import { lineOf, type Numbered, parseLine, parseRecord, recordText, slotOf } from "./record-text.ts";
import { fence, type Taken } from "./shards.ts";

const BATCH_MAX = 1000;
/** Rows per page, well within the time limit of a statement. */
const PAGE = 2000;

export class Replica {
  readonly #lease: Pick<Taken, "account" | "epoch">;
  readonly #database: Database;
  readonly #outbox: OutboxFile;
  readonly #clock: Clock;
  #waiting: Numbered[] = [];
  #number = 0;
  /** Oldest first. */
  #confirmed: { readonly atMs: number; readonly record: Numbered }[] = [];
  #sending: Promise<void> | null = null;
  /** Why it ended: the database refuses this epoch, or the replica was closed. */
  #ended: unknown = null;

  constructor(
    lease: Pick<Taken, "account" | "epoch">,
    modules: { readonly database: Database; readonly outbox: OutboxFile; readonly clock: Clock },
  ) {
    this.#lease = lease;
    this.#database = modules.database;
    this.#outbox = modules.outbox;
    this.#clock = modules.clock;
  }

  /** The same engine, which also sends what it commits. `sync` resolves when the database has it too. */
  behind(engine: LedgerEngine): LedgerEngine {
    let applied: LedgerRecord[] = [];
    return {
      ...engine,
      isForLater: true,
      begin() {
        applied = [];
        engine.begin();
      },
      apply(record) {
        engine.apply(record);
        applied.push(record);
      },
      commit: () => {
        engine.commit();
        this.#put(applied);
        applied = [];
      },
      rollback() {
        applied = [];
        engine.rollback();
      },
      sync: async () => {
        await engine.sync();
        await this.flush();
      },
    };
  }

  /** Resolves when the database has everything so far; retries while it does not answer. Rejects once the lease has ended. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#ended !== null) throw this.#ended;
      await this.#send().catch(() => {});
    }
  }

  /**
   * Sends recently confirmed records again, because the database may lack them. A record that it has stays the same, in any order of
   * arrival.
   */
  resend(): void {
    const records = this.#confirmed.map(({ record }) => record);
    this.#confirmed = [];
    if (records.length === 0 || this.#ended !== null) return;
    this.#outbox.append(records.map(lineOf));
    this.#waiting.push(...records);
    void this.#send().catch(() => {});
  }

  /** Records that have not arrived stay in the file. */
  close(): void {
    this.#ended ??= new FleetError("refused", "the lease has ended");
    this.#outbox.close(this.#waiting.length === 0);
  }

  #put(records: readonly LedgerRecord[]): void {
    const numbered = records.flatMap((record): Numbered[] => {
      const slot = slotOf(record);
      if (slot === undefined) return [];
      this.#number += 1;
      return [{ number: this.#number, slot, text: recordText(record) }];
    });
    if (numbered.length === 0 || this.#ended !== null) return;
    this.#outbox.append(numbered.map(lineOf));
    this.#waiting.push(...numbered);
    void this.#send().catch(() => {});
  }

  /** One at a time, so that records arrive in order. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendSome().finally(() => {
      this.#sending = null;
      if (this.#waiting.length > 0 && this.#ended === null) void this.#send().catch(() => {});
    });
    return this.#sending;
  }

  async #sendSome(): Promise<void> {
    const some = this.#waiting.slice(0, BATCH_MAX);
    try {
      await writeRecords(this.#database, this.#lease, some);
      if (this.#ended !== null) return;
      this.#waiting = this.#waiting.slice(some.length);
      const atMs = this.#clock.monotonicMs();
      this.#confirmed = this.#confirmed.filter((one) => atMs - one.atMs < fleetTiming.rememberedMs);
      this.#confirmed.push(...some.map((record) => ({ atMs, record })));
      if (this.#waiting.length === 0) this.#outbox.empty();
    } catch (error) {
      if (error instanceof FleetError && error.code === "refused") this.#ended = error;
      else await sleep(this.#clock, fleetTiming.retryMs);
      throw error;
    }
  }
}

/** Sends the records that an ended run left in its file; false: the account has another epoch, and the exchange's state must explain it. */
export async function sendLeftover(database: Database, account: string, { epoch, lines }: Leftover): Promise<boolean> {
  try {
    await writeRecords(database, { account, epoch }, lines.map(parseLine));
    return true;
  } catch (error) {
    if (error instanceof FleetError && error.code === "refused") return false;
    throw error;
  }
}

/** In one transaction with the check that the epoch is the newest; an existing record stays the same. */
const writeRecords = (
  database: Database,
  { account, epoch }: Pick<Taken, "account" | "epoch">,
  some: readonly Numbered[],
) =>
  database.inTransaction(async (ask) => {
    await fence(ask, account, epoch);
    const all = some.filter(({ slot }) => slot === null);
    await ask(
      `insert into quoin.records (account, epoch, number, record)
         select $1, $2, n, r from unnest($3::bigint[], $4::text[]) t (n, r) on conflict do nothing`,
      [account, epoch, all.map(({ number }) => number), all.map(({ text }) => text)],
    );
    const newest = [
      ...new Map(some.flatMap((record) => (record.slot === null ? [] : [[record.slot, record]]))).values(),
    ];
    await ask(
      `insert into quoin.newest as o (account, slot, epoch, number, record)
         select $1, s, $2, n, r from unnest($3::text[], $4::bigint[], $5::text[]) t (s, n, r)
         on conflict (account, slot) do update
           set epoch = excluded.epoch, number = excluded.number, record = excluded.record
           where (o.epoch, o.number) < (excluded.epoch, excluded.number)`,
      [
        account,
        epoch,
        newest.map(({ slot }) => slot),
        newest.map(({ number }) => number),
        newest.map(({ text }) => text),
      ],
    );
  });

/**
 * Writes everything that the database has of the account into an empty ledger, page by page, in writing order; records of an ended chain
 * are archived there too. Resolves with the number of records.
 */
export async function fillLedger(
  { ask }: Pick<Database, "ask">,
  account: string,
  engine: LedgerEngine,
): Promise<number> {
  let count = 0;
  let [epoch, number]: unknown[] = [0, 0];
  for (;;) {
    const rows = await ask(
      `select epoch, number, record from (
           select epoch, number, record from quoin.records where account = $1
           union all select epoch, number, record from quoin.newest where account = $1
         ) as written
         where (epoch, number) > ($2, $3) order by epoch, number limit ${PAGE}`,
      [account, epoch, number],
    );
    engine.begin();
    for (const { record } of rows) engine.apply(parseRecord(String(record)));
    engine.commit();
    count += rows.length;
    const last = rows[PAGE - 1];
    if (last === undefined) break;
    ({ epoch, number } = last);
  }
  engine.syncNow();
  return count;
}
