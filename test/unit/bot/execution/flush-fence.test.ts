// A flush fence, against an exchange that keeps the last hundred nonces of a key: after it nothing older lands, and where it is not whole it
// proves nothing.

import { expect, test } from "vitest";
import { coversFlush, FLUSH_NONCES, flushFence } from "../../../../src/bot/execution/flush-fence.ts";
import type { Venue } from "../../../../src/bot/venue/port.ts";
import type { RateLimit } from "../../../../src/domain/account.ts";
import { nonce, price, size } from "../../../../src/domain/units.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { sealEnvelope } from "../../../../src/wire/envelope.ts";
import { plainTerms } from "../../../../src/wire/transaction/trading.ts";
import { encodeTransaction } from "../../../../src/wire/transaction.ts";
import { delivered, type Fate, modelVenue } from "./model-venue.ts";
import { account, keyNamed, startMs } from "./world.ts";

const ABOVE = BigInt(startMs + 10_000);
const key = keyNamed("dead node");
const unknown: RateLimit = { requestsUsed: null, requestsCap: null, requestsRemaining: null };

function createScene(rateLimit: () => Promise<RateLimit> = async () => unknown) {
  const clock = createVirtualClock({ startMs, settle: macrotask });
  const model = modelVenue({ accountId: account, failedTakesNonce: true, usedNonceIs: "rejected" }, { clock });
  const reads = { node: async () => ({ blockTimestampSec: startMs / 1000 }), rateLimit } as unknown as Venue["reads"];
  const modules = { clock, venue: { reads, submit: model.submit } };
  async function fence(isOver = (): boolean => false): Promise<boolean> {
    const done = flushFence({ chainId: "test", agentKey: key, above: nonce(ABOVE), marketId: 7 }, isOver, modules);
    await clock.advance(10_000);
    return done;
  }
  return { clock, model, modules, fence };
}

/** Signed by the dead node before, and late by a minute. */
const late = sealEnvelope({
  chainId: "test",
  transactionText: encodeTransaction({
    ...plainTerms,
    type: "PlaceOrder",
    accountId: account,
    marketId: 1,
    side: "buy",
    orderType: "Limit",
    price: price(1n),
    size: size(1n),
    reduceOnly: false,
    postOnly: true,
    timeInForce: "GTC",
  }),
  nonce: nonce(ABOVE),
  timestampSec: startMs / 1000,
  signer: key.signer,
});

async function landsIn({ clock, model }: ReturnType<typeof createScene>): Promise<boolean> {
  const answer = model.submit(late, "place");
  await clock.advance(1000);
  return (await answer).kind === "executed";
}

test("after a hundred executed nothing with an older nonce lands; without them it does", async () => {
  const scene = createScene();
  expect(await landsIn(createScene())).toBe(true);
  expect(await scene.fence()).toBe(true);
  const sent = scene.model.submitted.map(({ nonce: used, transaction }) => ({ used, transaction }));
  expect(sent).toHaveLength(100);
  expect(sent.every(({ used }) => used > ABOVE && used <= ABOVE + FLUSH_NONCES)).toBe(true);
  expect(new Set(sent.map(({ transaction }) => JSON.stringify(transaction)))).toEqual(
    new Set([JSON.stringify({ type: "CancelAllOrders", marketId: 7 })]),
  );
  expect(await landsIn(scene)).toBe(false);
});

test("what is lost or refused on the way is made up for", async () => {
  const scene = createScene();
  let count = 0;
  scene.model.control.fate = (): Fate => {
    count += 1;
    return count % 10 === 0 ? { ...delivered, answer: 503 } : delivered;
  };
  expect(await scene.fence()).toBe(true);
  expect(scene.model.executed.filter(({ ok }) => ok)).toHaveLength(100);
});

test.each([
  ["the key may not act", { ...delivered, fails: true }],
  ["answers do not come", { arrivesMs: 1, answer: "lost" }],
  ["nothing arrives", { arrivesMs: null, answer: "lost" }],
] as const)("it proves nothing, and ends, where %s", async (_, fate) => {
  const scene = createScene();
  scene.model.control.fate = () => fate;
  expect(await scene.fence()).toBe(false);
  expect(scene.model.submitted.length).toBeLessThanOrEqual(Number(FLUSH_NONCES));
});

test("it ends with the lease", async () => {
  const scene = createScene();
  expect(await scene.fence(() => scene.model.submitted.length >= 50)).toBe(false);
  expect(scene.model.submitted.length).toBeLessThan(100);
});

test("the account's count of requests must cover it beside what is kept for cancels", async () => {
  const covers = (rateLimit: () => Promise<RateLimit>) => coversFlush(account, createScene(rateLimit).modules);
  const left = (count: bigint) => covers(async () => ({ ...unknown, requestsRemaining: count }));
  // 200 or 30 % of what is left are kept for cancels, whichever is less.
  expect(await left(300n)).toBe(true);
  expect(await left(142n)).toBe(false);
  expect(await left(143n)).toBe(true);
  expect(await covers(async () => unknown)).toBe(true);
  expect(await covers(() => Promise.reject(new Error("no answer")))).toBe(false);
});
