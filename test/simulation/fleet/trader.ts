// An account at work on a simulated node: the ledger made from the database, the copy behind it and the last look at the lease are the
// product's; in the place of the bot stands a loop that places orders and books fills.

import type { Database } from "../../../src/bot/fleet/database.ts";
import { fencedVenue } from "../../../src/bot/fleet/fenced-venue.ts";
import type { Shard, Start } from "../../../src/bot/fleet/node.ts";
import type { OutboxFile } from "../../../src/bot/fleet/outbox-file.ts";
import { fillLedger, Replica } from "../../../src/bot/fleet/replica.ts";
import { MemoryDisk } from "../../../src/bot/ledger/memory/memory.ts";
import type { LedgerEngine } from "../../../src/bot/ledger/store.ts";
import type { Venue } from "../../../src/bot/venue/port.ts";
import { accountId } from "../../../src/domain/units.ts";
import { sleep } from "../../../src/kernel/clock.ts";
import type { Prng } from "../../../src/kernel/prng.ts";
import type { ProcessRun } from "../../../src/sim/process-run.ts";
import { filled } from "../../unit/bot/accounting/books.ts";
import type { ExchangeModel, Filled, Term } from "./exchange-model.ts";

export type TraderModules = {
  readonly processRun: ProcessRun;
  readonly database: Database;
  readonly exchange: ExchangeModel;
  readonly outbox: OutboxFile;
  readonly prng: Prng;
  readonly term: Term;
};

/** What the world asks of it when all is over. */
export type Trader = Shard & { readonly fills: () => readonly number[] };

const TURN_MS = 100;
const DECIDE_MS = 3;
const LAST_MS = 2000;

export async function startTrader({ taken, halt, lost }: Start, modules: TraderModules): Promise<Trader> {
  const { processRun, database, exchange, outbox, prng, term } = modules;
  const { account } = taken;
  const { clock } = processRun;
  const disk = new MemoryDisk().open();
  await fillLedger(database, account, disk);
  const replica = new Replica(taken, { database, outbox, clock });
  const ledger = replica.behind(disk);
  if (!taken.isClean) await exchange.cancelAll(account);
  const known = new Set([...disk.read.fills(accountId(BigInt(account)))].map(({ fill }) => fill.key));
  const keep = (fill: Filled): void => {
    if (!known.has(`${fill.number}`)) keepFill(ledger, fill);
    known.add(`${fill.number}`);
  };
  const book = (fill: Filled): void => processRun.enter(() => keep(fill));
  exchange.account(account).listeners.add(book);
  for (const fill of (await exchange.read(account)).fills) keep(fill);
  let unanswered = 0;
  let isEnding = false;
  let isHalted = halt !== undefined || isLatched(ledger, account);
  if (halt !== undefined) latch(ledger, account, "halt");
  const venue = fencedVenue({ submit: () => send() } as unknown as Venue, lost);
  async function send() {
    unanswered += 1;
    if ((await exchange.place(term)) !== undefined) unanswered -= 1;
    return { kind: "executed" } as never;
  }
  const turns = clock.every(TURN_MS, () => {
    if (isEnding || isHalted || lost() !== undefined) return;
    // Between the decision and the socket lies whatever the machine does meanwhile.
    clock.after(prng.exponential(DECIDE_MS), () => {
      if (!isEnding && !isHalted) void venue.submit("", "place");
    });
  });
  // What an earlier holder sent may land late: it is seen, and goes.
  const looks = clock.every(1000, () => {
    void exchange.read(account).then(({ resting, fills }) =>
      processRun.enter(() => {
        for (const fill of fills) keep(fill);
        if (resting.some((order) => order.term !== term) || isHalted || isEnding) void exchange.cancelAll(account);
      }),
    );
  });
  return {
    state: () => (isHalted ? "halted" : "quoting"),
    async obey(verb) {
      isHalted = verb === "halt";
      latch(ledger, account, verb);
      if (isHalted) await exchange.cancelAll(account);
    },
    async end() {
      isEnding = true;
      await exchange.cancelAll(account);
      turns.cancel();
      looks.cancel();
      exchange.account(account).listeners.delete(book);
      const { resting, fills } = await exchange.read(account);
      for (const fill of fills) keep(fill);
      const flushed = replica.flush().then(
        () => true,
        () => false,
      );
      const isSent = await Promise.race([flushed, sleep(clock, LAST_MS).then(() => false)]);
      replica.close();
      return resting.length === 0 && unanswered === 0 && isSent;
    },
    resend: () => replica.resend(),
    over: new Promise(() => {}),
    fills: () => [...ledger.read.fills(accountId(BigInt(account)))].map(({ fill }) => Number(fill.key)),
  };
}

function keepFill(ledger: LedgerEngine, { number, account }: Filled): void {
  const id = accountId(BigInt(account));
  const event = filled({ key: `${number}`, side: "buy", price: 1n, size: 1n });
  ledger.begin();
  ledger.apply({ kind: "fill", event: { ...event, fill: { ...event.fill, accountId: id } }, receivedMs: 1 });
  ledger.commit();
}

const isLatched = (ledger: LedgerEngine, account: string): boolean =>
  ledger.read.latchEvents().findLast((event) => `${placeOf(event).accountId}` === account)?.kind === "tripped";

const placeOf = (event: ReturnType<LedgerEngine["read"]["latchEvents"]>[number]) =>
  event.kind === "tripped" ? event.latch : event;

function latch(ledger: LedgerEngine, account: string, verb: "halt" | "resume"): void {
  const where = { accountId: accountId(BigInt(account)), marketId: null, reason: "the fleet" };
  ledger.begin();
  ledger.apply({
    kind: "latch",
    atMs: 1,
    event:
      verb === "halt"
        ? { kind: "tripped", latch: { ...where, kind: "operator", holds: "halted", numbers: {} } }
        : { kind: "lifted", ...where, latch: null },
  });
  ledger.commit();
}
