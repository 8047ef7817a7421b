// What every venue must do, whatever it is made of: one suite for the exchange over sockets and for the devnet called directly.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ReadError, type Venue, type VenueStream } from "../../src/bot/venue/port.ts";
import type { StreamEvent, SubmitOutcome, TransactionEvent } from "../../src/domain/event.ts";
import { fillKey } from "../../src/domain/fill.ts";
import type { Lane } from "../../src/domain/lane.ts";
import { type AccountId, accountId, type MarketId, nonce, type OrderId, price, size } from "../../src/domain/units.ts";
import { sealEnvelope } from "../../src/wire/envelope.ts";
import type { Signer } from "../../src/wire/signing.ts";
import type { PlaceOrder } from "../../src/wire/transaction/trading.ts";
import { encodeTransaction, type Transaction } from "../../src/wire/transaction.ts";
import { plainAccount, plainExchange, plainOrder } from "../support/plain-exchange.ts";

export type Party = { readonly accountId: AccountId; readonly signer: Signer };

/** A maker and a taker with an agent each, on an exchange that both run on. */
export function contractExchange(signerOf: (seed: Uint8Array) => Signer, blockTimeMs: number) {
  const signed = (byte: number): Signer => signerOf(new Uint8Array(32).fill(byte));
  const maker: Party = { accountId: accountId(12n), signer: signed(3) };
  const taker: Party = { accountId: accountId(20n), signer: signed(5) };
  const accountOf = ({ accountId: id, signer }: Party, owner: number) =>
    plainAccount({
      accountId: id,
      owner: signed(owner).publicKey,
      agents: [{ pubkey: signer.publicKey, name: "bot", expiresAtSec: 4_000_000_000 }],
    });
  const config = plainExchange({ blockTimeMs, accounts: [accountOf(maker, 1), accountOf(taker, 2)] });
  return { maker, taker, config };
}

/** A venue on a quiet exchange: one active market at 200 USD, nobody else trading. */
export type VenueWorld = {
  readonly venue: Venue;
  readonly chainId: string;
  readonly marketId: MarketId;
  /** Two accounts with 100,000 USDC each. */
  readonly maker: Party;
  readonly taker: Party;
  /** Chain time, Unix ms. */
  readonly chainMs: () => number;
  /** Lets the world go on until `probe` is truthy. */
  readonly eventually: (what: string, probe: () => unknown) => Promise<unknown>;
  /** Publishes a print. */
  readonly publish: (usd: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

const USD = 100_000_000n;
const CONTRACT = 1_000_000n;

export function venueContract(name: string, makeWorld: () => Promise<VenueWorld>): void {
  describe(`the venue port: ${name}`, () => {
    let world: VenueWorld;
    let lastNonce = 0n;
    beforeAll(async () => {
      world = await makeWorld();
    });
    afterAll(() => world.close());

    const freshNonce = (): bigint => {
      const now = BigInt(Math.floor(world.chainMs()));
      lastNonce = now > lastNonce ? now : lastNonce + 1n;
      return lastNonce;
    };
    const seal = (by: Party, transaction: Transaction, of: { nonce?: bigint; chainId?: string } = {}): string =>
      sealEnvelope({
        chainId: of.chainId ?? world.chainId,
        transactionText: encodeTransaction(transaction),
        nonce: nonce(of.nonce ?? freshNonce()),
        timestampSec: Math.floor(world.chainMs() / 1000),
        signer: by.signer,
      });
    const order = (by: Party, of: Partial<PlaceOrder>): PlaceOrder =>
      plainOrder({ accountId: by.accountId, marketId: world.marketId, price: price(190n * USD), ...of });
    const submit = (body: string, lane: Lane = "place"): Promise<SubmitOutcome> => world.venue.submit(body, lane);
    const executed = (outcome: SubmitOutcome): readonly TransactionEvent[] => {
      if (outcome.kind !== "executed") throw new Error(`expected executed, got ${JSON.stringify(outcome)}`);
      return outcome.events;
    };
    const place = async (by: Party, of: Partial<PlaceOrder>): Promise<OrderId> => {
      const events = executed(await submit(seal(by, order(by, of))));
      const placed = events.find((event) => event.type === "orderPlaced");
      if (placed?.type !== "orderPlaced") throw new Error("no orderPlaced among the events");
      return placed.orderId;
    };
    const resting = async (by: Party): Promise<readonly OrderId[]> =>
      (await world.venue.reads.account(by.accountId)).openOrders.map(({ orderId }) => orderId);
    const clear = async (): Promise<void> => {
      for (const by of [world.maker, world.taker]) {
        executed(await submit(seal(by, { type: "CancelAllOrders", marketId: null }), "cancel"));
      }
    };
    const listen = (): { events: StreamEvent[]; stream: VenueStream } => {
      const events: StreamEvent[] = [];
      const { marketId, maker, taker } = world;
      const stream = world.venue.stream(
        [
          { channel: "orderbook", marketId },
          { channel: "trades", marketId },
          { channel: "oracleUpdates", marketId },
          { channel: "fills", accountId: maker.accountId },
          { channel: "orders", accountId: maker.accountId },
          { channel: "fills", accountId: taker.accountId },
        ],
        (event) => events.push(event),
      );
      return { events, stream };
    };

    test("every read finds what the exchange is", async () => {
      const { reads } = world.venue;
      const { marketId, maker } = world;
      expect((await reads.node()).chainId).toBe(world.chainId);
      expect(await reads.market(marketId)).toMatchObject({ marketId, status: "Active", oracleStatus: "Active" });
      expect(await reads.oracle(marketId)).toMatchObject({ marketId, status: "Active", price: 200n * USD });
      expect((await reads.oracleHistory(marketId)).prices.at(-1)).toMatchObject({ price: 200n * USD });
      expect(await reads.book(marketId)).toMatchObject({ marketId, bids: [], asks: [] });
      expect((await reads.funding(marketId)).marketId).toBe(marketId);
      expect(await reads.trades(marketId)).toEqual([]);
      expect((await reads.feeTiers()).length).toBeGreaterThan(0);
      expect(await reads.openOrderCap()).toBeGreaterThan(0);
      const account = await reads.account(maker.accountId);
      expect(account).toMatchObject({ accountId: maker.accountId, collateral: 100_000_000_000n, positions: [] });
      expect(account.agents.map(({ pubkey }) => pubkey)).toContain(maker.signer.publicKey);
      expect(await reads.ownedAccounts(account.owner ?? "")).toContain(maker.accountId);
      expect(await reads.orders(maker.accountId)).toEqual({ openOrders: [], unreadable: [] });
      expect(await reads.positions(maker.accountId)).toEqual({ positions: [], unreadable: [] });
      expect(await reads.rateLimit(maker.accountId)).toHaveProperty("requestsRemaining");
    });

    test("a read of what is not there is a ReadError with its status", async () => {
      const read = world.venue.reads.market(65_000);
      await expect(read).rejects.toBeInstanceOf(ReadError);
      await expect(read).rejects.toMatchObject({ code: "httpStatus", httpStatus: 404 });
      const nobody = accountId(4_000_000_000n);
      await expect(world.venue.reads.orders(nobody)).rejects.toMatchObject({ code: "httpStatus", httpStatus: 404 });
      await expect(world.venue.reads.positions(nobody)).rejects.toMatchObject({ code: "httpStatus", httpStatus: 404 });
    });

    test("an order that rests is named by its own answer, and reads and stream say the same", async () => {
      const { events, stream } = listen();
      // The first frame says that the subscriptions have come; that they left is not enough.
      await world.eventually("a snapshot of the book", () => events.some(({ kind }) => kind === "book"));
      const orderId = await place(world.maker, { price: price(189n * USD) });
      expect(await resting(world.maker)).toContain(orderId);
      const { openOrders } = await world.venue.reads.account(world.maker.accountId);
      expect(await world.venue.reads.orders(world.maker.accountId)).toEqual({ openOrders, unreadable: [] });
      expect((await world.venue.reads.book(world.marketId)).bids[0]).toMatchObject({ price: 189n * USD });
      await world.eventually("orderPlaced", () =>
        events.some((e) => e.kind === "orderPlaced" && e.orderId === orderId),
      );
      executed(await submit(seal(world.maker, { type: "CancelOrder", orderId }), "cancel"));
      await world.eventually("orderCanceled", () =>
        events.some((e) => e.kind === "orderCanceled" && e.orderId === orderId),
      );
      expect(await resting(world.maker)).not.toContain(orderId);
      stream.close();
    });

    test("a channel that is asked for again begins again, and the stream stays the same", async () => {
      const { events, stream } = listen();
      const books = () => events.filter(({ kind }) => kind === "book").length;
      await world.eventually("a snapshot of the book", () => books() > 0);
      const before = books();
      stream.resubscribe({ channel: "orderbook", marketId: world.marketId });
      await world.eventually("another snapshot", () => books() > before);
      const followed = books();
      const orderId = await place(world.maker, { price: price(189n * USD) });
      await world.eventually("what follows it", () => books() > followed);
      expect(events.filter(({ kind }) => kind === "streamOpened" || kind === "streamClosed")).toHaveLength(1);
      executed(await submit(seal(world.maker, { type: "CancelOrder", orderId }), "cancel"));
      stream.close();
    });

    test("the same bytes land once: the second time they are rejected", async () => {
      const body = seal(world.maker, order(world.maker, {}));
      executed(await submit(body));
      expect((await submit(body)).kind).toBe("rejected");
      expect((await resting(world.maker)).length).toBe(1);
      await clear();
    });

    test("what the exchange executes and declines is refused, with its sentence", async () => {
      const outcome = await submit(seal(world.maker, order(world.maker, { size: size(10_000_000n * CONTRACT) })));
      expect(outcome).toMatchObject({ kind: "refused", error: expect.stringMatching(/\w+/) });
    });

    test("what the exchange never executes is rejected: chain id, garbage, another account's signature", async () => {
      const elsewhere = seal(world.maker, order(world.maker, {}), { chainId: "venue-v4:mainnet:chain-1" });
      const foreign = { accountId: world.maker.accountId, signer: world.taker.signer };
      for (const body of [elsewhere, "garbage", seal(foreign, order(foreign, {}))]) {
        expect((await submit(body)).kind).toBe("rejected");
      }
      expect(await resting(world.maker)).toEqual([]);
    });

    test("a fill is the same fill from the answer, from both streams and from the public trades", async () => {
      const { events, stream } = listen();
      await world.eventually("the stream to open", () => events.length > 0);
      await place(world.maker, { side: "sell", price: price(201n * USD) });
      const body = seal(world.taker, order(world.taker, { side: "buy", price: price(201n * USD), timeInForce: "IOC" }));
      const answer = executed(await submit(body)).find((event) => event.type === "fill");
      if (answer?.type !== "fill") throw new Error("no fill among the events");
      const { execution } = answer;
      expect(execution).toMatchObject({
        price: 201n * USD,
        size: CONTRACT,
        takerSide: "buy",
        takerAccountId: world.taker.accountId,
        makerAccountId: world.maker.accountId,
      });
      const key = fillKey(execution, "taker");
      await world.eventually("the fills and the trade", () => {
        const keys = (kind: "execution" | "trade") =>
          events.filter((event) => event.kind === kind).map((event) => fillKey(event[kind as never], "taker"));
        return keys("execution").includes(key) && keys("trade").includes(key);
      });
      const trades = await world.venue.reads.trades(world.marketId);
      expect(trades.map((trade) => fillKey(trade, "taker"))).toContain(key);
      expect(trades[0]?.timestampMs).toBeGreaterThan(1_500_000_000_000);
      const { positions } = await world.venue.reads.account(world.taker.accountId);
      expect(positions).toMatchObject([{ side: "buy", size: CONTRACT, entryPrice: 201n * USD }]);
      expect(await world.venue.reads.positions(world.taker.accountId)).toEqual({ positions, unreadable: [] });
      stream.close();
    });

    test("a modify keeps the order's id and tells what became of it", async () => {
      const orderId = await place(world.maker, { price: price(188n * USD) });
      const modify: Transaction = { type: "ModifyOrder", orderId, newPrice: price(187n * USD), newSize: null };
      const events = executed(await submit(seal(world.maker, modify), "modify"));
      expect(events.find((event) => event.type === "orderModified")).toMatchObject({ orderId, price: 187n * USD });
      expect(await resting(world.maker)).toContain(orderId);
      await clear();
    });

    test("a cancel takes any nonce, used or not", async () => {
      const orders = [await place(world.maker, {}), await place(world.maker, { price: price(186n * USD) })];
      for (const orderId of orders) {
        executed(await submit(seal(world.maker, { type: "CancelOrder", orderId }, { nonce: 1n }), "cancel"));
      }
      expect(await resting(world.maker)).toEqual([]);
    });

    test("a fence with the nonce of a transaction that never landed makes it land never", async () => {
      const used = freshNonce();
      const late = seal(world.maker, order(world.maker, {}), { nonce: used });
      executed(await submit(seal(world.maker, { type: "CancelAllOrders", marketId: null }, { nonce: used }), "cancel"));
      expect((await submit(late)).kind).toBe("rejected");
      expect(await resting(world.maker)).toEqual([]);
    });

    test("a fence with the nonce of one that did land is rejected and cancels nothing", async () => {
      const used = freshNonce();
      executed(await submit(seal(world.maker, order(world.maker, {}), { nonce: used })));
      const fence = seal(world.maker, { type: "CancelAllOrders", marketId: null }, { nonce: used });
      expect((await submit(fence, "cancel")).kind).toBe("rejected");
      expect((await resting(world.maker)).length).toBe(1);
      await clear();
    });

    test("the stream opens, shows the book without being asked, and pongs with a rising height", async () => {
      const { events, stream } = listen();
      await world.eventually("book and pong", () =>
        ["book", "pong"].every((kind) => events.some((event) => event.kind === kind)),
      );
      expect(events[0]?.kind).toBe("streamOpened");
      const times = events.map(({ receivedMs }) => receivedMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      const heights = () => events.flatMap((event) => (event.kind === "pong" ? [event.height] : []));
      await world.eventually("a rising height", () => (heights().at(-1) ?? 0) > (heights()[0] ?? 0));
      stream.close();
    });

    test("a print reaches the stream with its validity", async () => {
      const { events, stream } = listen();
      await world.eventually("the stream to open", () => events.length > 0);
      await world.publish("200.5");
      await world.eventually("the print", () => events.some(({ kind }) => kind === "oracleUpdate"));
      const print = events.find((event) => event.kind === "oracleUpdate");
      expect(print).toMatchObject({ marketId: world.marketId, price: 20_050_000_000n, previousPrice: 200n * USD });
      const { validUntilSec } = await world.venue.reads.oracle(world.marketId);
      if (print?.kind === "oracleUpdate") expect(print.validUntilSec).toBe(validUntilSec);
      stream.close();
    });

    test("a closed stream says so and then nothing; the next one is a later epoch", async () => {
      const first = listen();
      await world.eventually("the first to open", () => first.events.length > 0);
      first.stream.close();
      const count = first.events.length;
      expect(first.events.at(-1)?.kind).toBe("streamClosed");
      const second = listen();
      await world.eventually("the second to pong", () => second.events.some(({ kind }) => kind === "pong"));
      expect(first.events.length).toBe(count);
      const epochOf = ({ events }: typeof first) => (events[0]?.kind === "streamOpened" ? events[0].epoch : 0);
      expect(epochOf(second)).toBeGreaterThan(epochOf(first));
      second.stream.close();
    });

    test("a closed venue sends nothing, reads nothing, and throws nothing but ReadError", async () => {
      const other = await makeWorld();
      await other.venue.close();
      expect((await other.venue.submit("{}", "cancel")).kind).toBe("notSent");
      await expect(other.venue.reads.node()).rejects.toBeInstanceOf(ReadError);
      await other.close();
    });
  });
}
