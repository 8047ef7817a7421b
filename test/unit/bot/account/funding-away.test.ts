// Funding that settled while no daemon ran: the first read of the next run books it, where the market's index explains the money to the unit.

import { describe, expect, test } from "vitest";
import { fundedTo } from "../../../../src/bot/account/funding-away.ts";
import { collateralOf } from "../../../../src/bot/accounting/totals.ts";
import type { FundedTo } from "../../../../src/domain/market.ts";
import { usdc } from "../../../../src/domain/units.ts";
import { bookOf, positionRead, transferOf } from "../accounting/books.ts";
import { account, CONTRACT, createScene, funding, ME, position, type Scene } from "../scene.ts";

const OPENED = 100_000_000_000n;
/** A cent a contract and settlement, as the exchange's index has it: in the scale of prices. */
const CENT = 1_000_000n;
const AT_STOP: FundedTo = { sec: 3600, index: 5n };

type Away = {
  readonly gained: bigint;
  /** Contracts at the stop, and at the start. */
  readonly held?: readonly [bigint, bigint];
  readonly funded?: FundedTo | null;
  /** How far the index has moved over two settlements; null: the exchange shows none. */
  readonly moved?: bigint | null;
};

function startAfter({ gained, held: [before, now] = [10n, 10n], funded = AT_STOP, moved = 2n * CENT }: Away): Scene {
  const book = bookOf(positionRead({ inventory: before * CONTRACT }), transferOf("opening", OPENED));
  const scene = createScene({ book, funded: new Map(funded === null ? [] : [[1, funded]]) }, "blank");
  const cumulativeFunding = moved === null ? null : AT_STOP.index + moved;
  scene.tell({
    kind: "fundingRead",
    funding: funding({ lastFundingTimestampSec: 3600 + 2 * 3600, cumulativeFunding }),
  });
  scene.adopt(account({ positions: [position(now)], collateral: usdc(OPENED + gained) }));
  return scene;
}

const postings = ({ effects }: Scene) =>
  effects.flatMap((effect) =>
    effect.kind === "bookOpened"
      ? effect.postings.map((one) => [one.kind === "funding" ? one.kind : one.reason, one.marketId, one.amount])
      : [],
  );
const away = ({ effects }: Scene) => effects.flatMap((effect) => (effect.kind === "bookOpened" ? [effect.away] : []));

describe("funding while the daemon was away", () => {
  test.each([
    ["a long that paid", 10n, -200_000n],
    ["a short that received", -10n, 200_000n],
    ["rounded by the exchange once a settlement", 10n, -200_002n],
  ] as const)("is PnL of its market: %s", (_, held, gained) => {
    const scene = startAfter({ gained, held: [held, held] });
    expect(postings(scene)).toEqual([["funding", 1, gained]]);
    const { book } = scene.state.accounts.get(ME)!;
    expect([book.markets.get(1)?.funding, collateralOf(book)]).toEqual([gained, OPENED + gained]);
    expect(away(scene)).toEqual([expect.objectContaining({ amount: gained, pnl: gained })]);
  });

  test.each([
    ["more than the index and the rounding say", { gained: -200_003n }],
    ["of the other sign", { gained: 200_000n }],
    ["a position that changed meanwhile", { gained: -200_000n, held: [10n, 9n] }],
    ["an index that no earlier run left", { gained: -200_000n, funded: null }],
    ["no index", { gained: -200_000n, moved: null }],
    ["an index that stands", { gained: -200_000n, moved: 0n }],
    ["a flat account", { gained: -200_000n, held: [0n, 0n] }],
  ] as const)("forbidden: %s is a transfer, and no PnL", (_, of) => {
    const scene = startAfter(of);
    expect(postings(scene).filter(([what]) => what !== "fills")).toEqual([["whileAway", null, of.gained]]);
    expect(scene.state.accounts.get(ME)!.book.markets.get(1)?.funding ?? 0n).toBe(0n);
  });

  test("edge: what explains no money is no posting", () => {
    expect(postings(startAfter({ gained: 0n, moved: 0n }))).toEqual([]);
  });

  test("the next run can go on from the first read, not from what an earlier one left", () => {
    const scene = startAfter({ gained: -200_000n });
    const next = fundedTo(scene.state.accounts.get(ME)!, 1);
    expect(next).toEqual({ sec: 3600 + 2 * 3600, index: AT_STOP.index + 2n * CENT });
    expect(fundedTo(scene.state.accounts.get(ME)!, 2)).toBe(null);
  });
});
