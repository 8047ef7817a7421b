// Cost for a turn of writing before sending: intents written ahead of the ledger's commit, so that they survive the death of the process;
// the commit that follows; and both with a disk flush each time. The reservation of nonces, off the loop, covers loss of power.

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ledger } from "../src/bot/ledger/ledger.ts";
import { openSqlite } from "../src/bot/ledger/sqlite/sqlite.ts";
import type { Intent } from "../src/domain/intent.ts";
import { accountId, nonce, price, size } from "../src/domain/units.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { plainPlace } from "../test/support/plain-bot.ts";
import { type Bench, median, medianOf } from "./measure.ts";

const TURNS = 4000;
const TURNS_QUICK = 1000;
/** A requote of two levels on both sides. */
const INTENTS = 4;
/** Bytes of a commit of one log page: the page and its header. */
const PAGE_BYTES = 4120;

export const journal: Bench = {
  name: "journal",
  async run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), "quoin-journal-"));
    const turns = quick ? TURNS_QUICK : TURNS;
    try {
      const ledger = new Ledger(
        {},
        { engine: openSqlite({ file: join(folder, "ledger.sqlite") }), clock: systemClock },
      );
      const micros = medianOf(5, () => microsAhead(turns, ledger, INTENTS));
      const one = medianOf(5, () => microsAhead(turns, ledger, 1));
      const forty = medianOf(5, () => microsAhead(turns / 10, ledger, 40));
      const committed = medianOf(5, () => microsOf(turns, () => turn(ledger, INTENTS, () => ledger.commit())));
      const synced = await medianSync(ledger);
      const flushed = medianOf(3, () => microsOf(turns / 20, () => flushedTurn(ledger)));
      ledger.close();
      const bare = bareWrite(join(folder, "bare"), turns);
      return {
        name: "journal",
        value: micros,
        unit: "us/turn",
        reference: "the same, flushed",
        referenceValue: flushed,
        ratio: flushed / micros,
        beside: {
          oneIntentUs: one,
          fortyIntentsUs: forty,
          commitUs: committed,
          reservationUs: synced,
          bareWriteUs: bare,
        },
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

let id = 0;
function turn(ledger: Ledger, intents: number, write: () => boolean): void {
  for (let n = 0; n < intents; n += 1) {
    id += 1;
    ledger.intent(intentOf(id));
  }
  if (!write()) throw new Error("the disk failed");
}

/** Time for which the orders of a turn wait; the commit that follows is not counted. */
const microsAhead = (turns: number, ledger: Ledger, intents: number): number =>
  microsOf(
    turns,
    () => turn(ledger, intents, () => ledger.writeAhead()),
    () => ledger.commit(),
  );

/** A latch is the only record that is flushed before anything continues. */
function flushedTurn(ledger: Ledger): void {
  for (let n = 1; n < INTENTS; n += 1) ledger.intent(intentOf(n));
  const event = { kind: "lifted", accountId: accountId(12n), marketId: null, latch: null, reason: "bench" } as const;
  if (!ledger.keep({ kind: "latch", event, atMs: 0 })) throw new Error("the disk failed");
}

const intentOf = (at: number): Intent => ({
  accountId: accountId(12n),
  signer: "0123456789abcdef",
  nonce: nonce(1_790_000_000_000n + BigInt(at)),
  command: plainPlace({ accountId: accountId(12n), price: price(21_694_000_000n), size: size(500_000n) }),
  bytesHash: "ab".repeat(32),
  timestampSec: 1_790_000_000,
  createdMs: 1_790_000_000_000,
});

/** Median of single runs, because on a busy machine a mean includes the waits in between. `after` is not counted. */
function microsOf(times: number, work: () => void, after: () => void = () => {}): number {
  const samples: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const startedMs = performance.now();
    work();
    samples.push((performance.now() - startedMs) * 1000);
    after();
  }
  return median(samples);
}

async function medianSync(ledger: Ledger): Promise<number> {
  const samples: number[] = [];
  for (let n = 0; n < 21; n += 1) {
    const startedMs = performance.now();
    if (!(await ledger.reserve("0123456789abcdef", nonce(BigInt(n))))) throw new Error("the disk failed");
    samples.push((performance.now() - startedMs) * 1000);
  }
  return median(samples);
}

function bareWrite(path: string, turns: number): number {
  const file = openSync(path, "w");
  const page = Buffer.alloc(PAGE_BYTES);
  try {
    return medianOf(5, () => microsOf(turns, () => void writeSync(file, page)));
  } finally {
    closeSync(file);
  }
}
