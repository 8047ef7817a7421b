// The identity of the book over any stream of money, told in any order and any number of times, with crashes between.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openBook } from "../../../../src/bot/ledger/book.ts";
import { expectedCollateral, recount, residual } from "../../../../src/bot/ledger/identity.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { verifyLedger } from "../../../../src/bot/ledger/verify.ts";
import type { Fill } from "../../../../src/domain/fill.ts";
import { accountId, orderId, price, size, usdc } from "../../../../src/domain/units.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";

const account = accountId(12n);
const fillOf = (n: number, money: { readonly fee: bigint | null; readonly realizedPnl: bigint | null }): Fill => ({
  accountId: account,
  marketId: 1,
  orderId: orderId(BigInt(n)),
  side: n % 2 === 0 ? "buy" : "sell",
  liquidity: "maker",
  price: price(1n),
  size: size(1n),
  fee: money.fee === null ? null : usdc(money.fee),
  realizedPnl: money.realizedPnl === null ? null : usdc(money.realizedPnl),
  txHash: "f",
  timestampMs: null,
  key: `${n}`,
});

type Told =
  | { readonly kind: "fill"; readonly n: number; readonly bare: boolean }
  | { readonly kind: "funding"; readonly n: number; readonly amount: bigint }
  | { readonly kind: "transfer"; readonly n: number; readonly amount: bigint }
  | { readonly kind: "kill" };

const amount = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const told: fc.Arbitrary<Told> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("fill" as const), n: fc.nat(15), bare: fc.boolean() }) },
  fc.record({ kind: fc.constant("funding" as const), n: fc.nat(5), amount }),
  fc.record({ kind: fc.constant("transfer" as const), n: fc.nat(5), amount }),
  fc.record({ kind: fc.constant("kill" as const) }),
);

test("law: collateral = realized + funding - fees + transfers, each booked once, whoever tells it how often and whenever it dies", () => {
  fc.assert(
    fc.property(
      fc.array(told, { maxLength: 60 }),
      fc.array(amount, { minLength: 32, maxLength: 32 }),
      (stream, money) => {
        const disk = new MemoryDisk();
        let ledger = new Ledger({}, { engine: disk.open(), clock: systemClock });
        openBook(ledger, { accountId: account, collateral: usdc(1_000n), atMs: 0 });
        let truth = 1_000n;
        const seen = new Set<string>();
        const priced = new Set<number>();
        for (const each of stream) {
          if (each.kind === "kill") {
            ledger.commit();
            disk.killProcess();
            ledger = new Ledger({}, { engine: disk.open(), clock: systemClock });
          } else if (each.kind === "fill") {
            const fee = money[each.n] ?? 0n;
            const realizedPnl = money[each.n + 16] ?? 0n;
            ledger.fill(fillOf(each.n, each.bare ? { fee: null, realizedPnl: null } : { fee, realizedPnl }), 1);
            if (!each.bare && !priced.has(each.n)) truth += realizedPnl - fee;
            if (!each.bare) priced.add(each.n);
          } else {
            const name = `${each.kind} ${each.n}`;
            if (each.kind === "funding") {
              ledger.funding({ accountId: account, marketId: 1, atSec: each.n, amount: usdc(each.amount) });
            } else {
              const { n } = each;
              ledger.transfer({
                accountId: account,
                key: `${n}`,
                reason: "inflow",
                amount: usdc(each.amount),
                atMs: n,
              });
            }
            if (!seen.has(name)) truth += each.amount;
            seen.add(name);
          }
        }
        expect(expectedCollateral(ledger.totals(account))).toBe(truth);
        expect(recount(ledger.read, account)).toEqual(ledger.totals(account));
        expect(residual(ledger.totals(account), usdc(truth + 3n))).toBe(3n);
      },
    ),
    { numRuns: 300 },
  );
});

test("a fill is new once, completed by what it lacked, and known from then on", () => {
  const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
  const bare = fillOf(1, { fee: null, realizedPnl: null });
  const whole = fillOf(1, { fee: 3n, realizedPnl: 10n });
  expect([bare, bare, whole, whole, bare].map((told) => ledger.fill(told, 1))).toEqual([
    ...["new", "known"],
    ...["completed", "known", "known"],
  ]);
});

describe("opening", () => {
  const read = (collateral: bigint, atMs: number) => ({ accountId: account, collateral: usdc(collateral), atMs });

  test("the first balance is the opening; what changed while away is booked under that name; nothing changed, nothing booked", () => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    expect(openBook(ledger, read(500n, 1))).toBe(500n);
    ledger.fill(fillOf(1, { fee: 3n, realizedPnl: 10n }), 2);
    expect(openBook(ledger, read(507n, 2))).toBe(0n);
    expect(openBook(ledger, read(400n, 3))).toBe(-107n);
    expect([...ledger.read.transfers(account)].map(({ reason, amount: moved }) => [reason, moved])).toEqual([
      ["opening", 500n],
      ["whileAway", -107n],
    ]);
    expect(expectedCollateral(ledger.totals(account))).toBe(400n);
  });

  test("an account that held nothing has an opening all the same", () => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    openBook(ledger, read(0n, 1));
    openBook(ledger, read(70n, 2));
    expect([...ledger.read.transfers(account)].map(({ reason }) => reason)).toEqual(["opening", "whileAway"]);
  });
});

describe("verify", () => {
  const faultless = { faults: () => [] };

  test("a ledger that balances has no faults", () => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    openBook(ledger, { accountId: account, collateral: usdc(500n), atMs: 1 });
    ledger.fill(fillOf(1, { fee: 3n, realizedPnl: 10n }), 2);
    ledger.equity({ accountId: account, atMs: 3, collateral: usdc(507n), unrealizedPnl: usdc(9n) });
    expect(verifyLedger({ ...faultless, read: ledger.read })).toEqual({
      faults: [],
      accounts: [
        {
          accountId: account,
          totals: { realizedPnl: 10n, fees: 3n, funding: 0n, transfers: 500n },
          expected: 507n,
          seen: { collateral: 507n, atMs: 3 },
        },
      ],
      openIntents: 0,
    });
  });

  test("what moves after the last snapshot is not held against it", () => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    openBook(ledger, { accountId: account, collateral: usdc(500n), atMs: 1 });
    ledger.equity({ accountId: account, atMs: 2, collateral: usdc(500n), unrealizedPnl: usdc(0n) });
    ledger.fill(fillOf(1, { fee: 3n, realizedPnl: 10n }), 3);
    expect(verifyLedger({ ...faultless, read: ledger.read }).faults).toEqual([]);
  });

  test("what is not explained, what does not add up and what the storage says are named", () => {
    const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
    ledger.fill(fillOf(1, { fee: 3n, realizedPnl: 10n }), 2);
    ledger.equity({ accountId: account, atMs: 3, collateral: usdc(8n), unrealizedPnl: usdc(0n) });
    const wrong = { ...ledger.read.totals(account), fees: usdc(4n) };
    const read = { ...ledger.read, totals: () => wrong };
    expect(verifyLedger({ faults: () => ["page 7 is torn"], read }).faults).toEqual([
      "page 7 is torn",
      "account 12: fees is kept as 4, its rows come to 3",
      "account 12: 1 base units of collateral are not explained",
    ]);
  });
});
