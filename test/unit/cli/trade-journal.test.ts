// Journals of fills: lots first in, first out, through zero and back; accepted by the real hledger and Beancount, which check every sum.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalFormats } from "../../../src/cli/choices.ts";
import { type JournalFill, journal } from "../../../src/cli/trade-journal.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { isInstalled } from "../../support/installed.ts";
import { scratchFolder } from "../../support/scratch.ts";

const HOUR = 3_600_000n;
const START = BigInt(Date.parse("2026-11-26T10:00:00Z"));

const fill = (
  hour: number,
  side: "buy" | "sell",
  size: bigint,
  price: bigint,
  more: Partial<JournalFill> = {},
): JournalFill => ({
  at: START + BigInt(hour) * HOUR,
  accountId: 12n,
  marketId: 1n,
  market: "USA-HPI",
  side,
  liquidity: "maker",
  price: price * 1_000_000n,
  size: size * 100_000n,
  fee: -10_800n,
  orderId: 7n,
  txHash: "ab12",
  ...more,
});

const text = (fills: readonly JournalFill[], format: (typeof journalFormats)[number], fromMs?: number): string =>
  [...journal(fills, format, fromMs)].join("");

/** Prices in cents, sizes in tenths: two lots, a sale of one and a half of them, and one through zero. */
const flipped = [
  fill(0, "buy", 10n, 21_700n),
  fill(1, "buy", 10n, 21_750n),
  fill(2, "sell", 15n, 21_800n),
  fill(20, "sell", 20n, 21_600n),
];

test("lots leave first in, first out; a fill through zero closes the rest and opens the other side; a rebate is negative", () => {
  expect(text(flipped, "beancount")).toBe(`option "operating_currency" "USDC"
2026-11-26 open Assets:Quoin:12:Contracts "FIFO"
2026-11-26 open Assets:Quoin:12:USDC
2026-11-26 open Expenses:Quoin:12:Fees
2026-11-26 open Income:Quoin:12:Trading

2026-11-26 * "buy 1 USA-HPI at 217, maker"
  time: "2026-11-26T10:00:00.000Z"
  order: "7"
  tx: "ab12"
  Assets:Quoin:12:Contracts  1 USA-HPI {217 USDC, 2026-11-26}
  Assets:Quoin:12:USDC  -216.9892 USDC
  Expenses:Quoin:12:Fees  -0.0108 USDC

2026-11-26 * "buy 1 USA-HPI at 217.5, maker"
  time: "2026-11-26T11:00:00.000Z"
  order: "7"
  tx: "ab12"
  Assets:Quoin:12:Contracts  1 USA-HPI {217.5 USDC, 2026-11-26}
  Assets:Quoin:12:USDC  -217.4892 USDC
  Expenses:Quoin:12:Fees  -0.0108 USDC

2026-11-26 * "sell 1.5 USA-HPI at 218, maker"
  time: "2026-11-26T12:00:00.000Z"
  order: "7"
  tx: "ab12"
  Assets:Quoin:12:Contracts  -1 USA-HPI {217 USDC, 2026-11-26}
  Assets:Quoin:12:Contracts  -0.5 USA-HPI {217.5 USDC, 2026-11-26}
  Assets:Quoin:12:USDC  327.0108 USDC
  Income:Quoin:12:Trading  -1.25 USDC
  Expenses:Quoin:12:Fees  -0.0108 USDC

2026-11-27 * "sell 2 USA-HPI at 216, maker"
  time: "2026-11-27T06:00:00.000Z"
  order: "7"
  tx: "ab12"
  Assets:Quoin:12:Contracts  -0.5 USA-HPI {217.5 USDC, 2026-11-26}
  Assets:Quoin:12:Contracts  -1.5 USA-HPI {216 USDC, 2026-11-27}
  Assets:Quoin:12:USDC  432.0108 USDC
  Income:Quoin:12:Trading  0.75 USDC
  Expenses:Quoin:12:Fees  -0.0108 USDC
`);
});

test("hledger gets its symbols in quotes, and a closed lot at what it cost", () => {
  const said = text(flipped.slice(0, 3), "hledger");
  expect(said).toContain('commodity 1000.000000 "USA-HPI"\n');
  expect(said).toContain('  Assets:Quoin:12:Contracts  -0.5 "USA-HPI" {217.5 USDC} @ 217.5 USDC\n');
});

test("from a date on: what was open then is one entry at its cost, and lots keep their days", () => {
  const said = text(flipped, "beancount", Date.parse("2026-11-27"));
  expect(said).toContain(`2026-11-27 * "open lots"
  Assets:Quoin:12:Contracts  0.5 USA-HPI {217.5 USDC, 2026-11-26}
  Equity:Quoin:12:Opening  -108.75 USDC
`);
  expect(said).not.toContain("217 USDC");
});

test("a fee that the exchange has not told is none, and the entry is marked", () => {
  expect(text([fill(0, "buy", 10n, 21_700n, { fee: null })], "hledger")).toContain(`
2026-11-26 ! buy 1 USA-HPI at 217, maker
  ; the exchange has not told the fee
`);
});

test("two markets never share a symbol, and text of the exchange writes no entry of its own", () => {
  const hostile = '"\n2026-01-01 open Assets:Stolen';
  const fills = [
    fill(0, "buy", 10n, 21_700n),
    fill(1, "buy", 10n, 21_700n, { marketId: 2n }),
    fill(2, "buy", 10n, 21_700n, { marketId: 3n, market: hostile, txHash: hostile }),
    fill(3, "buy", 10n, 21_700n, { marketId: 4n, market: "usdc" }),
  ];
  const said = text(fills, "beancount");
  expect([...said.matchAll(/ 1 (\S+) \{/g)].map(([, symbol]) => symbol)).toEqual([
    "USA-HPI",
    "MARKET-2",
    "OPEN-ASSETS-STOLEN",
    "MARKET-4",
  ]);
  expect(said).not.toContain("Stolen\n");
});

/** Both sides, both accounts, flips and ties at random, with all digits that prices and sizes have. */
function random(count: number): readonly JournalFill[] {
  const prng = createPrng(7n);
  return Array.from({ length: count }, (_, nth) => ({
    ...fill(nth, prng.float() < 0.5 ? "buy" : "sell", 0n, 0n),
    accountId: prng.float() < 0.5 ? 12n : 18_446_744_073_709_551_615n,
    marketId: prng.float() < 0.5 ? 1n : 2n,
    price: 21_700_000_001n + BigInt(Math.floor(prng.float() * 3)),
    size: 1n + BigInt(Math.floor(prng.float() * 2_000_000)),
    fee: nth % 7 === 0 ? null : BigInt(nth) - 150n,
  }));
}

const checks = {
  hledger: ["hledger", "check", "--strict", "-f"],
  beancount: ["bean-check"],
} as const;

// Neither is a dependency of the package: where one is not installed the line says so.
for (const format of journalFormats) {
  const [program, ...words] = checks[format];
  const isThere = isInstalled([program, "--version"]);
  if (!isThere) console.warn(`skipped: ${program} is not installed`);
  // Skipped where the program is not installed, which the line above says.
  test.skipIf(!isThere)(
    `${program} accepts 300 random fills, whole and from a date on, and refuses a wrong amount`,
    () => {
      const file = join(scratchFolder("journal"), `trades.${format}`);
      const check = (said: string): void => {
        writeFileSync(file, said);
        execFileSync(program, [...words, file], { stdio: "pipe", env: { ...process.env, LC_ALL: "C.UTF-8" } });
      };
      check(text(random(300), format));
      check(text(random(300), format, Number(START + 150n * HOUR)));
      const right = text(flipped, format);
      check(right);
      expect(() => check(right.replace("-1.25 USDC", "-1.35 USDC"))).toThrow();
    },
  );
}
