// The sums of an account by difference are the sums from scratch, whatever happened and in whichever markets.

import fc from "fast-check";
import { expect, test } from "vitest";
import { fundsOf, grossNotionalElsewhere } from "../../src/bot/account/funds.ts";
import { unrealizedPnl } from "../../src/bot/accounting/holding.ts";
import { emptyMarketBook } from "../../src/bot/accounting/market-book.ts";
import { collateralOf } from "../../src/bot/accounting/totals.ts";
import { initialMargin, leverageCap, maintenanceMargin } from "../../src/domain/margin.ts";
import { notionalCeil } from "../../src/domain/rounding.ts";
import { type MarketId, nonce, orderId, price, size } from "../../src/domain/units.ts";
import { KeyedSum } from "../../src/kernel/keyed-sum.ts";
import {
  account,
  CONTRACT,
  createScene,
  executedWith,
  execution,
  listed,
  lost,
  ME,
  market,
  oracle,
  placeCommand,
  placedEvent,
  pong,
  position,
  publicTrade,
  refused,
  type Scene,
  USD,
} from "../unit/bot/feed/scene.ts";

const MARKETS = [1, 2, 3, 4] as const;
const tiers = (leverage: number) => market().marginTiers.map((tier) => ({ ...tier, maxLeverage: leverage }));

/** As the feed once did for each turn: over all positions and all orders. */
function fromScratch({ state }: Scene, elsewhereOf: MarketId) {
  const of = state.accounts.get(ME)!;
  let [unrealized, maintenance, initial, gross]: [bigint, bigint, bigint, bigint] = [0n, 0n, 0n, 0n];
  const priced = (marketId: MarketId) => {
    const known = state.markets.get(marketId);
    const value = known?.market?.value;
    return value && { value, at: known?.oracle.held?.value.price ?? value.oraclePrice };
  };
  const worst = new Map<MarketId, { long: bigint; short: bigint }>();
  for (const marketId of MARKETS) {
    const { now } = of.book.markets.get(marketId) ?? emptyMarketBook;
    worst.set(marketId, { long: now.inventory, short: -now.inventory });
    if (now.inventory === 0n) continue;
    const known = priced(marketId);
    if (known === undefined) return null;
    const held = size(now.inventory < 0n ? -now.inventory : now.inventory);
    unrealized += unrealizedPnl(now, known.at);
    maintenance += maintenanceMargin(known.value.marginTiers, notionalCeil(known.at, held));
  }
  const most = (one: bigint, other: bigint) => (one > other ? one : other);
  for (const { marketId, inventory, bought, sold } of of.doubts.all()) {
    const sides = worst.get(marketId);
    if (sides === undefined || inventory === undefined) continue;
    sides.long = most(sides.long, inventory + bought);
    sides.short = most(sides.short, sold - inventory);
  }
  for (const { marketId, adds } of of.doubts.all()) {
    const sides = worst.get(marketId);
    if (sides !== undefined && adds !== undefined) sides[adds.side === "buy" ? "long" : "short"] += adds.contracts;
  }
  for (const { order, state: life } of of.orders.live) {
    if (order.reduceOnly && life !== "ended" && life !== "landed") continue;
    const sides = worst.get(order.marketId) ?? { long: 0n, short: 0n };
    sides[order.side === "buy" ? "long" : "short"] += order.remainingSize;
    worst.set(order.marketId, sides);
  }
  for (const [marketId, { long, short }] of worst) {
    const contracts = size(long > short ? long : short);
    if (marketId === elsewhereOf || contracts <= 0n) continue;
    const known = priced(marketId);
    if (known === undefined) return null;
    const worth = notionalCeil(known.at, contracts);
    const highest = known.at > known.value.markPrice ? known.at : known.value.markPrice;
    gross += notionalCeil(highest, contracts);
    initial += initialMargin(worth, Math.max(1, leverageCap(known.value, worth)));
  }
  if (of.read === null) return null;
  const [expected, told] = [collateralOf(of.book), of.read.value.collateral];
  const equity = (told < expected ? told : expected) + unrealized;
  return { funds: { equity, maintenanceMargin: maintenance, initialMarginElsewhere: initial }, gross };
}

type Step = {
  readonly op: keyof typeof operations;
  readonly marketId: MarketId;
  readonly a: number;
  readonly b: number;
};

const side = (b: number) => (b % 2 === 0 ? ("buy" as const) : ("sell" as const));
const usd = (a: number) => price(BigInt(180 + 4 * a) * USD);

/** Each tells the feed something of a market that may or may not fit what it knows. */
const operations = {
  market: (scene: Scene, { marketId, a, b }: Step) =>
    scene.tell({ kind: "marketRead", market: market({ marketId, oraclePrice: usd(a), marginTiers: tiers(5 + b) }) }),
  print: (scene: Scene, { marketId, a }: Step) =>
    scene.tell({ kind: "oracleRead", oracle: oracle({ marketId, price: usd(a) }) }),
  update: (scene: Scene, { marketId, a, b }: Step) =>
    scene.tell({
      kind: "oracleUpdate",
      marketId,
      price: usd(a),
      previousPrice: usd(b),
      validUntilSec: oracle().validUntilSec + a,
    }),
  place: (scene: Scene, { marketId, a, b }: Step) => {
    const order = { marketId, side: side(b), size: size(BigInt(1 + a) * CONTRACT), reduceOnly: a === 0 };
    const id = BigInt(100 * a + 10 * b + marketId);
    const command = scene.place(id, order);
    const { reduceOnly: _, ...shape } = order;
    if (b < 6) scene.answer(id, command, executedWith(placedEvent(id, shape)));
    else if (b < 9) scene.answer(id, command, b === 6 ? lost : refused);
  },
  cancelAll: (scene: Scene, { marketId, a }: Step) => {
    const command = { kind: "cancelAll", accountId: ME, marketId: a < 6 ? marketId : null, fences: null } as const;
    scene.tell({ kind: "sent", nonce: nonce(BigInt(9000 + a)), command });
    scene.tell({ kind: "answered", nonce: nonce(BigInt(9000 + a)), command, outcome: executedWith() });
  },
  frame: (scene: Scene, { marketId, a, b }: Step) => {
    const [id] = [...scene.state.accounts.get(ME)!.orders.live].flatMap(({ order }) => order.orderId ?? []);
    if (b < 4) scene.tell({ ...placedEvent(BigInt(100 * a + b), { marketId }), kind: "orderPlaced" });
    else if (id !== undefined)
      scene.tell({ kind: "orderCanceled", accountId: ME, marketId, orderId: id, reason: "UserCanceled" });
  },
  fill: (scene: Scene, { marketId, a, b }: Step) => {
    const orders = [...scene.state.accounts.get(ME)!.orders.live].filter(({ order }) => order.marketId === marketId);
    const order = orders[a % Math.max(1, orders.length)]?.order;
    if (order?.orderId == null) return;
    const told = execution({ mine: order.orderId, side: order.side, hash: `${a}:${b}`, usd: BigInt(190 + a) });
    const here = { ...told, marketId };
    if (b < 8) scene.tell({ kind: "execution", execution: here });
    else scene.tell({ kind: "tradesRead", marketId, trades: [publicTrade(here)] });
  },
  account: (scene: Scene, { marketId, a, b }: Step) =>
    scene.tell({
      kind: "accountRead",
      account: account({
        positions: a === 0 ? [] : [position(b % 2 === 0 ? BigInt(a) : BigInt(-a), 200n, { marketId })],
        openOrders:
          b < 4 ? [] : [listed(BigInt(500 + b), { orderId: orderId(BigInt(500 + b)), marketId, side: side(a) })],
      }),
    }),
  adopt: (scene: Scene, { marketId, a, b }: Step) =>
    scene.adopt(
      account({ positions: a === 0 ? [] : [position(b % 2 === 0 ? BigInt(a) : BigInt(-a), 200n, { marketId })] }),
      b < 7 ? marketId : null,
    ),
  resolve: (scene: Scene, { marketId, a, b }: Step) => {
    const unknown = [...scene.state.accounts.get(ME)!.orders.live].find(({ state }) => state === "unknown");
    const nonceOf = unknown?.order.nonce;
    if (nonceOf == null) return;
    const verdict = b < 5 ? "landed" : "neverLanded";
    scene.tell({ kind: "resolved", nonce: nonceOf, command: placeCommand({ marketId, level: a }), verdict });
  },
  wait: (scene: Scene, { a }: Step) => {
    scene.advance(a * 500);
    scene.tell(pong(scene));
  },
};

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom(...(Object.keys(operations) as Step["op"][])),
  marketId: fc.constantFrom(...MARKETS),
  a: fc.nat(9),
  b: fc.nat(9),
});

test("law: funds and notional by difference are those from scratch, after any sequence of events", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), fc.constantFrom(...MARKETS), (steps, looked) => {
      const scene = createScene();
      for (const [at, each] of steps.entries()) {
        operations[each.op](scene, each);
        scene.advance(3);
        // Not after each event: several touch the sums between two looks.
        if (at % 3 === 0) continue;
        const me = scene.state.accounts.get(ME)!;
        const found = fundsOf(scene.state, me, looked);
        const expected = fromScratch(scene, looked);
        if (expected === null) expect(found).toBe(null);
        else expect(found).toMatchObject(expected.funds);
        if (expected !== null)
          expect(grossNotionalElsewhere(scene.state, me, looked)).toMatchObject({ value: expected.gross });
      }
    }),
  );
});

test("law: a keyed sum is the sum of its terms, unknown while one of them is", () => {
  const term = fc.option(fc.bigInt({ min: -1000n, max: 1000n }), { nil: null });
  const change = fc.record({ key: fc.nat(4), to: fc.oneof(term, fc.constant("gone" as const)) });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const sum = new KeyedSum<number>();
      const terms = new Map<number, bigint | null>();
      const total = (of: Iterable<bigint | null>) =>
        [...of].reduce<bigint | null>((all, one) => (all === null || one === null ? null : all + one), 0n);
      for (const { key, to } of changes) {
        if (to === "gone") sum.delete(key);
        else sum.set(key, to);
        if (to === "gone") terms.delete(key);
        else terms.set(key, to);
        expect(sum.sum).toBe(total(terms.values()));
        const others = [...terms].filter(([other]) => other !== key).map(([, one]) => one);
        expect(sum.without(key)).toBe(total(others));
      }
    }),
  );
});
