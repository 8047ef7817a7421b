// Whether the ledger's rows are of the chain that the exchange runs: by the time that the account was created, and by what it has traded.

import { expect, test } from "vitest";
import { Ledger } from "../../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../../src/bot/ledger/memory/memory.ts";
import { beginChainAgain } from "../../../../../src/bot/service/lifecycle/same-chain.ts";
import type { Account } from "../../../../../src/domain/account.ts";
import { usdc } from "../../../../../src/domain/units.ts";
import { macrotask } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { filled, transferOf } from "../../accounting/books.ts";
import { account, ME } from "../../scene.ts";

const CREATED_MS = 1_790_000_000_000;
const known = { createdAtMs: CREATED_MS, lifetimeVolume: usdc(500n) };

/** What the ledger knows, what the start found, and what each later read tells; the last tells the same from then on. */
async function begin(
  told: readonly Partial<Account>[],
  { mark = known as typeof known | null, fills = 1, diskFails = false } = {},
) {
  const disk = new MemoryDisk({
    failing: () => (diskFails && ledger !== null ? "no room" : null),
    flush: async () => {},
  });
  let ledger: Ledger | null = null;
  const clock = createVirtualClock({ startMs: CREATED_MS + 86_400_000, settle: macrotask });
  const open = new Ledger({}, { engine: disk.open(), clock });
  open.keep({ kind: "transfer", accountId: ME, event: transferOf("opening", 100n), atMs: 1 });
  for (let nth = 0; nth < fills; nth += 1)
    open.keep({
      kind: "fill",
      event: filled({ key: `${nth}`, side: "buy", price: 1n, size: 1n, timestampMs: CREATED_MS + nth }),
      receivedMs: 1,
    });
  if (mark !== null) open.keep({ kind: "chain", accountId: ME, mark, atMs: 1 });
  open.commit();
  ledger = open;
  const reads = [...told];
  const next = () =>
    account({ createdAtMs: CREATED_MS, lifetimeVolume: usdc(500n), ...(reads.length > 1 ? reads.shift() : reads[0]) });
  const lines: string[] = [];
  const log = { warn: (_: unknown, line: string) => lines.push(line) } as never;
  const began = beginChainAgain(next(), {
    ledger,
    reads: { account: async () => next() },
    readLagMaxMs: 3000,
    clock,
    log,
  });
  const settled = began.then(
    (is) => ({ is }),
    (error: Error) => ({ error: error.message }),
  );
  await clock.advance(10_000);
  return { ...(await settled), lines, read: ledger.read };
}

test.each([
  ["as it was", {}, known],
  ["with more volume", { lifetimeVolume: usdc(501n) }, known],
  ["of a ledger without a fill or a mark", { createdAtMs: CREATED_MS + 5 }, null],
])("the same account %s is of the same chain, and keeps its rows", async (_, told, mark) => {
  const { is, read, lines } = (await begin([told], { mark, fills: mark === null ? 0 : 1 })) as {
    is: boolean;
  } & Awaited<ReturnType<typeof begin>>;
  expect([is, lines]).toEqual([false, []]);
  expect([...read.transfers(ME)]).toHaveLength(1);
  expect(read.chain(ME)).toMatchObject({ number: 1, createdAtMs: CREATED_MS + (mark === null ? 5 : 0) });
});

test.each([
  [
    "created at another time",
    { createdAtMs: CREATED_MS + 5 },
    known,
    /created 2026-.*005Z, the one that the ledger knows/,
  ],
  ["that has traded less", { lifetimeVolume: usdc(499n) }, known, /has traded 0.000499 USDC, and had traded 0.0005/],
  [
    "created after the fills of an older ledger",
    { createdAtMs: CREATED_MS + 5 },
    null,
    /after what the ledger has of it/,
  ],
])(
  "an account %s is of another chain: one line, one row, and nothing of the old one is left",
  async (_, told, mark, why) => {
    const { lines, read, ...rest } = await begin([told], { mark });
    expect(rest).toEqual({ is: true });
    expect(lines).toEqual([expect.stringMatching(why)]);
    expect(lines[0]).toContain("archived as chain 1 (ledger export --chain 1 prints it)");
    expect([...read.rows("audit")].map(({ call, reason }) => [call, reason])).toEqual([["chainBegan", lines[0]]]);
    expect([...read.transfers(ME), ...read.fills(ME)]).toEqual([]);
    expect([...read.chainRows("fills", 1)]).toHaveLength(1);
    expect(read.chain(ME)).toMatchObject({ number: 2, ...told });
  },
);

test("a node that is behind is waited for, as long as reads may lag", async () => {
  const behind = Array.from({ length: 8 }, () => ({ lifetimeVolume: usdc(0n) }));
  expect(await begin([...behind, {}])).toMatchObject({ is: false, lines: [] });
});

test("a disk that does not take it: nothing starts", async () => {
  expect(await begin([{ createdAtMs: 1 }], { diskFails: true })).toMatchObject({
    error: expect.stringMatching(/the disk did not take it; nothing was sent$/),
  });
});
