// The sums of an account are of what is known of it, whatever happened, in whichever markets, and whenever somebody looked.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { AccountState } from "../../src/bot/account/account-state.ts";
import { AccountSums } from "../../src/bot/account/account-sums.ts";
import { fundsOf, grossNotionalElsewhere } from "../../src/bot/account/funds.ts";
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
} from "../unit/bot/scene.ts";

const MARKETS = [1, 2, 3, 4] as const;
const tiers = (leverage: number) => market().marginTiers.map((tier) => ({ ...tier, maxLeverage: leverage }));

type Step = {
  readonly op: keyof typeof operations;
  readonly marketId: MarketId;
  readonly a: number;
  readonly b: number;
};

const side = (b: number) => (b % 2 === 0 ? ("buy" as const) : ("sell" as const));
const usd = (a: number) => price(BigInt(180 + 4 * a) * USD);

/** Each tells the bot something of a market that may or may not fit what it knows. */
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

/** What is known of the account, with sums that nobody has asked for yet. */
function neverAsked(me: AccountState): AccountState {
  const sums = new AccountSums();
  for (const marketId of MARKETS) sums.reprice(marketId);
  return { ...me, sums };
}

test("law: funds and notional are those of what is known now, whenever they were last asked for", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), fc.constantFrom(...MARKETS), (steps, looked) => {
      const { state, ...scene } = createScene();
      const me = state.accounts.get(ME)!;
      for (const [at, each] of steps.entries()) {
        operations[each.op]({ ...scene, state }, each);
        scene.advance(3);
        // Not after each event: several touch the sums between two looks.
        if (at % 3 === 0) continue;
        const [funds, notional] = [fundsOf(state, me, looked), grossNotionalElsewhere(state, me, looked)];
        expect(funds).toEqual(fundsOf(state, neverAsked(me), looked));
        expect(notional).toEqual(grossNotionalElsewhere(state, neverAsked(me), looked));
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
