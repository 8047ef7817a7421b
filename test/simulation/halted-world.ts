// A small world for halts: two markets at 200 USD, one bot with one level a side, a counterparty who trades when told, and an exchange that
// can be made to hold what the bot sends. Nothing in it happens by chance.

import type { BotConfig, QuotedAccount, QuotedMarket } from "../../src/bot/config/config.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../src/bot/risk/limits/limits.ts";
import { loadStrategy } from "../../src/bot/strategy/loader.ts";
import type { Venue } from "../../src/bot/venue/port.ts";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import type { SubmitOutcome } from "../../src/domain/event.ts";
import type { Order } from "../../src/domain/order.ts";
import { accountId, nonce, price, type Side, size, usdc } from "../../src/domain/units.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { World } from "../../src/sim/world.ts";
import { drawWorldConfig, quotedMarket } from "../../src/sim/world-config.ts";
import { openEnvelope, sealEnvelope } from "../../src/wire/envelope.ts";
import type { Signer } from "../../src/wire/signing.ts";
import type { PlaceOrder } from "../../src/wire/transaction/trading.ts";
import { encodeTransaction, type Transaction } from "../../src/wire/transaction.ts";
import { plainAccount, plainExchange, plainMarket, plainOrder } from "../support/plain-exchange.ts";
import { untilIn } from "./until.ts";

const COUNTERPARTY = accountId(13n);
const OTHER = accountId(14n);
/** When the keys end, Unix seconds. */
const FAR_SEC = 4_000_000_000;
const LIMITS = { maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 100_000 };
type Changes = {
  readonly levels?: number;
  readonly limits?: object;
  readonly account?: object;
  readonly markets?: readonly number[];
  readonly foreignOrders?: QuotedAccount["foreignOrders"];
  /** Of the bot's account at the start, USDC. */
  readonly collateral?: number;
  readonly devnet?: Partial<DevnetConfig>;
};

/**
 * What the exchange's door does while it is shut: a place is held, or its answer is lost and it is held; no cancel gets in. `answers`: what
 * every place and modify is told at the door, and how many were `turnedAway`.
 */
type Door = {
  isShut: boolean;
  answers: SubmitOutcome | null;
  /** Null: both. */
  answersTo: "PlaceOrder" | "ModifyOrder" | null;
  turnedAway: number;
  readonly held: (() => void)[];
};

export type HaltedWorld = Awaited<ReturnType<typeof haltedWorld>>;

/** Whether both markets have so many orders. */
export const isQuoting = ({ resting }: HaltedWorld, perMarket = 2): boolean =>
  [1, 2].every((marketId) => resting(marketId).length === perMarket);

export async function haltedWorld(changes: Changes = {}) {
  const drawn = await drawWorldConfig(createPrng(7n));
  const { keys } = drawn;
  const quoted = async (marketId: number, { levels = 1, limits = {} }: Changes): Promise<QuotedMarket> =>
    quotedMarket(
      marketId,
      await loadStrategy("fixed-spread", { halfSpreadBps: 10, size: 0.5, levels, stepBps: 5 }),
      marketLimitsSchema.parse({ ...LIMITS, ...limits }),
    );
  const config = async (of: Changes): Promise<BotConfig> => {
    const [account] = drawn.bot.accounts;
    if (account === undefined) throw new RangeError("the bot of a drawn world has an account");
    const limits = accountLimitsSchema.parse({ maxLoss: 100_000, ...of.account });
    const markets = await Promise.all((of.markets ?? [1, 2]).map((marketId) => quoted(marketId, of)));
    const { foreignOrders = account.foreignOrders } = of;
    return { ...drawn.bot, accounts: [{ ...account, foreignOrders, limits, markets }] };
  };
  const approved = ({ publicKey }: Signer, name: string) => ({ pubkey: publicKey, name, expiresAtSec: FAR_SEC });
  const devnet = plainExchange({
    ...changes.devnet,
    markets: [1, 2, 3].map((marketId) => ({ ...plainMarket, marketId, name: `INDEX-${marketId}` })),
    accounts: [
      plainAccount({
        accountId: accountId(12n),
        collateral: usdc(BigInt(changes.collateral ?? 100_000) * 1_000_000n),
        owner: keys.owner.publicKey,
        agents: [approved(keys.agent, "bot"), approved(keys.spare, "spare")],
      }),
      plainAccount({ accountId: COUNTERPARTY, owner: "13".repeat(32), agents: [approved(keys.spare, "other")] }),
      plainAccount({ accountId: OTHER, owner: "14".repeat(32), agents: [approved(keys.spare, "another")] }),
    ],
  });
  const door: Door = { isShut: false, answers: null, answersTo: null, turnedAway: 0, held: [] };
  const market = { losesTiers: false };
  const events: string[] = [];
  const world = new World({
    seed: 7n,
    worldConfig: {
      ...drawn,
      devnet,
      markets: [1, 2],
      bot: await config(changes),
      machine: { skewMs: 0, driftPpm: 0 },
      network: { baseMs: 5, jitterMs: 1 },
      watchdog: null,
    },
    swaps: { venue: (venue) => behind(venue, door, market) },
    onLine: (line) => events.push(line),
  });
  let last = 0;
  async function send(signer: Signer, transaction: Transaction): Promise<void> {
    const nowMs = world.exchange.chain.timeMs();
    last = Math.max(nowMs, last + 1);
    const body = sealEnvelope({
      chainId: devnet.chainId,
      transactionText: encodeTransaction(transaction),
      nonce: nonce(BigInt(last)),
      timestampSec: Math.floor(nowMs / 1000),
      signer,
    });
    const answer = await world.exchange.request({ method: "POST", path: "/v1/tx", body });
    if (!answer.text.includes('"success"')) throw new Error(answer.text);
  }
  const ioc = (side: Side, contracts: number): Partial<PlaceOrder> => ({
    side,
    size: size(BigInt(Math.round(contracts * 1e6))),
    orderType: "Market",
    price: price(0n),
    timeInForce: "IOC",
    maxSlippageBps: 500,
  });
  return {
    world,
    door,
    market,
    resting: (marketId?: number): readonly Order[] => world.inspector.resting.orders(marketId),
    lines: (): readonly string[] => events,
    has: (event: string): number => events.filter((line) => line.includes(`"event":"${event}"`)).length,
    latches: (): readonly string[] =>
      world.disk.rows
        .open()
        .read.latchEvents()
        .flatMap((event) => (event.kind === "tripped" ? [event.latch.kind] : [])),
    reload: async (of: Changes): Promise<void> => world.reload(await config({ ...changes, ...of })),
    /** A print of every market, USD. */
    print: (usd: number): void => {
      for (const { marketId } of devnet.markets)
        world.exchange.chain.control.publishPrint(marketId, price(BigInt(Math.round(usd * 1e8))));
    },
    /** The counterparty takes what the bot or its owner offers. */
    take: (side: Side, contracts: number, marketId = 1): Promise<void> =>
      send(keys.spare, plainOrder({ accountId: COUNTERPARTY, marketId, ...ioc(side, contracts) })),
    /** Another rests an order. */
    rest: (side: Side, contracts: number, usd: number): Promise<void> =>
      send(
        keys.spare,
        plainOrder({
          accountId: OTHER,
          side,
          size: size(BigInt(Math.round(contracts * 1e6))),
          price: price(BigInt(Math.round(usd * 100)) * 1_000_000n),
        }),
      ),
    /** Others trade with each other at 200 USD, so often. */
    async tradeBeside(times: number): Promise<void> {
      for (let trade = 0; trade < times; trade += 1) {
        const at = { side: "sell", size: size(10_000n), price: price(20_000_000_000n) } as const;
        await send(keys.spare, plainOrder({ accountId: OTHER, ...at }));
        await send(keys.spare, plainOrder({ accountId: COUNTERPARTY, ...ioc("buy", 0.01) }));
      }
    },
    /** The account's owner places an order by hand. */
    byHand: (of: Partial<PlaceOrder>): Promise<void> =>
      send(keys.owner, plainOrder({ accountId: world.account, size: size(100_000n), ...of })),
    /** The account's owner takes collateral away, USDC. */
    withdraw: (amount: number): Promise<void> =>
      send(keys.owner, {
        type: "Transfer",
        fromAccountId: world.account,
        toAccountId: COUNTERPARTY,
        tokenId: 0,
        amount: BigInt(amount) * 1_000_000n,
      }),
    /** The account's owner cancels everything by hand. */
    cancelByHand: (): Promise<void> => send(keys.owner, { type: "CancelAllOrders", marketId: null }),
    until: untilIn(world),
    /** From now on all that the exchange was kept from gets in, and all that is sent. */
    open(): void {
      door.isShut = false;
      for (const enter of door.held.splice(0)) enter();
    },
  };
}

export const stop = (triggerUsd: number): Partial<PlaceOrder> => ({
  side: "sell",
  orderType: "StopMarket",
  price: price(0n),
  triggerPrice: price(BigInt(triggerUsd) * 100_000_000n),
  reduceOnly: true,
  timeInForce: "IOC",
});

const isOrder = ({ type }: Transaction): boolean => type === "PlaceOrder" || type === "ModifyOrder";

/** The first place is in flight until the door opens, the answer of the second is lost, and so on by turns. */
function behind(venue: Venue, door: Door, market: { losesTiers: boolean }): Venue {
  let places = 0;
  const enter = (): Promise<void> => new Promise((resolve) => door.held.push(resolve));
  return {
    ...venue,
    reads: {
      ...venue.reads,
      /** One answer that a decoder should have refused. */
      async market(id) {
        const whole = await venue.reads.market(id);
        if (!market.losesTiers) return whole;
        market.losesTiers = false;
        return { ...whole, marginTiers: [] };
      },
    },
    async submit(body, lane): Promise<SubmitOutcome> {
      const { transaction } = openEnvelope(Buffer.from(body));
      if (door.answers !== null && isOrder(transaction) && (door.answersTo ?? transaction.type) === transaction.type) {
        door.turnedAway += 1;
        return door.answers;
      }
      if (!door.isShut) return venue.submit(body, lane);
      if (transaction.type !== "PlaceOrder") return { kind: "unknown", why: "the door is shut" };
      places += 1;
      const arrives = enter().then(() => venue.submit(body, lane));
      return places % 2 === 1 ? arrives : { kind: "unknown", why: "the answer is lost" };
    },
  };
}
