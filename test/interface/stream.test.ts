// Rows 92 to 103: what a transaction's events and the nine channels of the stream tell (S6).

import { describe, expect } from "vitest";
import { orderId } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import { until } from "../support/until.ts";
import {
  ALICE,
  accounts,
  agent,
  alice,
  BOB,
  bob,
  bobs,
  contracts,
  dollars,
  HOUR_MS,
  order,
  START_MS,
  START_SEC,
  usd,
} from "./actors.ts";
import { eventsOf, it, openWorld, placedId, trade } from "./world.ts";

const HASH = /^[0-9a-f]{64}$/;

describe("a transaction's events", () => {
  it("tell every change it made, typed in PascalCase with snake_case fields [92]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    const text = `{"PlaceOrder":{"account_id":12,"market_id":1,"side":"Long","order_type":"Limit","price":20000000000,"size":3000000,"reduce_only":false,"post_only":false,"time_in_force":"IOC"}}`;
    const { json } = await world.postText(text);
    const { events, hash } = json as { events: Record<string, unknown>[]; hash: string };
    expect(events.map(({ type }) => type)).toEqual(["OrderPlaced", "Fill", "OrderCanceled"]);
    expect(events[1]).toMatchObject({
      type: "Fill",
      market_id: 1,
      price: "20000000000",
      size: "1000000",
      taker_account_id: 12,
      maker_account_id: 20,
      taker_side: "Long",
      taker_fee: "100000",
      maker_fee: "-20000",
      tx_hash: hash,
    });
  });

  it("name the account they changed under one name, the other side of a move under another [92]", async ({ world }) => {
    await world.run({ type: "CreateVault", accountId: ALICE, name: "fund", amount: 1_000_000n }, alice);
    const vault = (await world.client.accounts.ownedBy(alice.publicKey)).find(({ isVault }) => isVault)?.accountId;
    const moves = [
      [`{"DepositToVault":{"account_id":12,"vault_account_id":${vault},"amount":"9"}}`, "from_account_id"],
      [`{"WithdrawFromVault":{"account_id":12,"vault_account_id":${vault},"shares":"9"}}`, "to_account_id"],
    ] as const;
    for (const [text, other] of moves) {
      const { json } = await world.postText(text, { signer: alice });
      expect(json).toMatchObject({ events: [{ account_id: Number(vault), [other]: "12" }] });
    }
  });

  it("are understood by the client, unknown types kept by name [92]", async ({ world }) => {
    const placed = await world.run(order());
    const modified = await world.run({
      type: "ModifyOrder",
      orderId: placedId(placed),
      newPrice: null,
      newSize: contracts(2),
    });
    expect(placed.map(({ type }) => type)).toEqual(["orderPlaced"]);
    expect(modified.map(({ type }) => type)).toContain("orderModified");
    const revoked = await world.run({ type: "RevokeAgent", accountId: ALICE, agent: agent.publicKey }, alice);
    expect(revoked).toEqual([{ type: "other", name: "AgentRevoked" }]);
  });
});

describe("messages", () => {
  it("ping is answered with the height and the time of the last block [93a]", async ({ world }) => {
    await world.advance(5000);
    const ear = await world.hear([]);
    const { blockHeight: height } = await world.client.exchange.node();
    expect(ear.of("pong")).toEqual([{ type: "pong", blockHeight: height, blockTimeMs: START_MS + 5000 }]);
    const { of } = await world.follow([]);
    expect(of("pong")[0]).toMatchObject({ height, blockTimeMs: START_MS + 5000 });
  });

  it("ping may carry an id of the client's own [93a]", async ({ world }) => {
    const ear = await world.hear([]);
    ear.say({ type: "ping", id: 7 });
    await ear.settled();
    expect(ear.frames.map(({ type }) => type)).toEqual(["pong", "pong", "pong"]);
  });

  it("an unknown channel is reported, and the others of its message stay subscribed [93b]", async ({ world }) => {
    const ear = await world.hear([
      { channel: "orders", account_id: 12 },
      { channel: "candles", market_id: 1 },
      { channel: "trades", market_id: "1" },
      { channel: "orderbook", market_id: 9 },
      { channel: "orderbook", market_id: 1 },
    ]);
    expect(ear.of("error")).toHaveLength(3);
    expect(ear.of("orderbookSnapshot")).toHaveLength(1);
    await world.run(order());
    await ear.settled();
    expect(ear.of("orderPlaced")).toHaveLength(1);
  });

  it("subscribe is not confirmed: what comes is events alone [103]", async ({ world }) => {
    const ear = await world.hear([
      { channel: "trades", market_id: 1 },
      { channel: "orders", account_id: 12 },
    ]);
    expect(ear.frames.map(({ type }) => type)).toEqual(["pong"]);
  });

  it("unsubscribe ends a channel and leaves the others [93b]", async ({ world }) => {
    const ear = await world.hear([
      { channel: "orders", account_id: 12 },
      { channel: "orderbook", market_id: 1 },
    ]);
    ear.say({ type: "unsubscribe", channels: [{ channel: "orderbook", market_id: 1 }] });
    // Subscribed twice, told once.
    ear.say({ type: "subscribe", channels: [{ channel: "orders", account_id: 12 }] });
    await ear.settled();
    await world.run(order());
    await ear.settled();
    expect(ear.of("orderbookSnapshot")).toHaveLength(1);
    expect(ear.of("orderPlaced")).toHaveLength(1);
  });

  it("the client changes its channels while the stream lives [93b]", async ({ world }) => {
    const { of, stream, settled } = await world.follow([]);
    await world.run(order());
    stream.subscribe([{ channel: "orders", accountId: ALICE }]);
    await settled();
    await world.run(order());
    await settled();
    expect(of("orderPlaced")).toHaveLength(1);
    stream.unsubscribe([{ channel: "orders", accountId: ALICE }]);
    await settled();
    await world.run(order());
    await settled();
    expect(of("orderPlaced")).toHaveLength(1);
  });

  it("a malformed one changes nothing, and the connection lives on [93b]", async ({ world }) => {
    const ear = await world.hear([]);
    const malformed = ["", "\u0000", "{", "[]", `{"type":"subscribe"}`];
    for (const wrong of [...malformed, { type: "subscribe", channels: [{ channel: "nothing" }] }]) ear.say(wrong);
    await ear.settled();
    expect(ear.of("error")).toHaveLength(6);
    ear.say({ type: "subscribe", channels: [{ channel: "orders", account_id: 12 }] });
    await ear.settled();
    await world.run(order());
    await ear.settled();
    expect(ear.of("orderPlaced")).toHaveLength(1);
  });
});

describe("orderbook", () => {
  it("a full snapshot on subscribe and after every change, never a delta [94]", async ({ world }) => {
    await world.run(order());
    const ear = await world.hear([{ channel: "orderbook", market_id: 1 }]);
    await world.run(bobs({ price: usd(201) }), bob);
    await ear.settled();
    const bids = [{ price: "19900000000", size: "1000000", orderCount: 1 }];
    const asks = [{ price: "20100000000", size: "1000000", orderCount: 1 }];
    expect(ear.of("orderbookSnapshot")).toEqual([
      { type: "orderbookSnapshot", market_id: 1, bids, asks: [] },
      { type: "orderbookSnapshot", market_id: 1, bids, asks },
    ]);
  });

  it("is a book to the client [94]", async ({ world }) => {
    const { of, settled } = await world.follow([{ channel: "orderbook", marketId: 1 }]);
    await world.run(order());
    await settled();
    expect(of("book").map(({ book }) => book.bids.length)).toEqual([0, 1]);
  });
});

describe("fills", () => {
  it("trades: the public fill, without realized profit and time [95]", async ({ world }) => {
    const ear = await world.hear([{ channel: "trades", market_id: 1 }]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await ear.settled();
    expect(ear.of("fill")).toEqual([
      {
        type: "fill",
        market_id: 1,
        price: "20000000000",
        size: "1000000",
        taker_order_id: expect.any(Number),
        maker_order_id: expect.any(Number),
        taker_account_id: 12,
        maker_account_id: 20,
        taker_side: "Long",
        taker_fee: "100000",
        maker_fee: "-20000",
        tx_hash: expect.stringMatching(HASH),
      },
    ]);
  });

  it("fills: with realized profit and time of emission, to the taker's channel and the maker's [96a]", async ({
    world,
  }) => {
    const ears = await Promise.all([12, 20].map((id) => world.hear([{ channel: "fills", account_id: id }])));
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.advance(1000);
    await trade(world, { side: "sell", price: usd(203), size: contracts(1) });
    for (const ear of ears) {
      await ear.settled();
      expect(ear.of("fill")).toMatchObject([
        { taker_realized_pnl: "0", maker_realized_pnl: "0", timestamp: START_MS },
        { taker_realized_pnl: "3000000", maker_realized_pnl: "-3000000", timestamp: START_MS + 1000 },
      ]);
    }
  });

  it("the client tells the two apart on one connection [95]", async ({ world }) => {
    const { of, settled } = await world.follow([
      { channel: "fills", accountId: ALICE },
      { channel: "trades", marketId: 1 },
    ]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await settled();
    expect(of("execution")).toMatchObject([{ execution: { takerAccountId: ALICE, makerFee: -20_000n } }]);
    expect(of("trade")).toMatchObject([{ trade: { timestampMs: null, takerSide: "buy" } }]);
  });
});

describe("the time of emission", () => {
  it("is when a fill is told, not when its block began, and all who tell it agree [96a]", async () => {
    const lasting = accounts.map((each) => ({ ...each, agents: [] }));
    await using world = await openWorld({ accounts: lasting, clock: { mode: "real" }, blockTimeMs: 600_000 });
    const beganMs = systemClock.wallMs();
    const { of, settled } = await world.follow([{ channel: "fills", accountId: BOB }]);
    await world.run(bobs({ price: usd(200) }), bob);
    await until("time to pass", () => systemClock.wallMs() >= beganMs + 50);
    const fromMs = systemClock.wallMs();
    const events = await world.run(order({ price: usd(200) }), alice);
    await settled();
    const told = of("execution").map(({ execution }) => execution.timestampMs);
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThanOrEqual(fromMs);
    expect(told[0]).toBeLessThanOrEqual(systemClock.wallMs());
    expect(eventsOf(events, "fill").map(({ execution }) => execution.timestampMs)).toEqual(told);
    expect((await world.client.exchange.trades(1)).map(({ timestampMs }) => timestampMs)).toEqual(told);
  });
});

describe("orders", () => {
  it("orderPlaced and orderCanceled carry what S6.2 lists [97]", async ({ world }) => {
    const ear = await world.hear([{ channel: "orders", account_id: 12 }]);
    const id = placedId(await world.run(order()));
    await world.run({ type: "CancelOrder", orderId: id });
    await ear.settled();
    const ref = { order_id: Number(id), account_id: 12, market_id: 1 };
    expect(ear.of("orderPlaced")).toEqual([
      { type: "orderPlaced", ...ref, side: "Long", price: "19900000000", size: "1000000" },
    ]);
    expect(ear.of("orderCanceled")).toEqual([{ type: "orderCanceled", ...ref, reason: "UserCanceled" }]);
  });

  it("orderModified carries the terms after the modify [97]", async ({ world }) => {
    const ear = await world.hear([{ channel: "orders", account_id: 12 }]);
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    const id = placedId(await world.run(order({ size: contracts(2) })));
    await world.run({ type: "ModifyOrder", orderId: id, newPrice: usd(198), newSize: null });
    await world.run({ type: "ModifyOrder", orderId: id, newPrice: null, newSize: contracts(1) });
    await ear.settled();
    await settled();
    const ref = { type: "orderModified", order_id: Number(id), account_id: 12, market_id: 1, side: "Long" };
    expect(ear.of("orderModified")).toEqual([
      { ...ref, price: "19800000000", size: "2000000" },
      { ...ref, price: "19800000000", size: "1000000" },
    ]);
    expect(of("orderModified")).toMatchObject([{ price: usd(198) }, { size: contracts(1) }]);
  });

  it("those of a stop carry its trigger price beside the documented fields, as its answers do [97]", async ({
    world,
  }) => {
    const ear = await world.hear([{ channel: "orders", account_id: 12 }]);
    const stop = encodeTransaction(order({ orderType: "StopMarket", price: usd(0), triggerPrice: usd(210) }));
    const { text } = await world.postText(stop);
    const [placed] = (JSON.parse(text) as { events: { order_id: number }[] }).events;
    const id = placed?.order_id;
    const terms = { order_id: id, account_id: 12, market_id: 1, side: "Long", price: "0", size: "1000000" };
    expect(placed).toEqual({ type: "OrderPlaced", ...terms, trigger_price: "21000000000" });
    await world.run({ type: "ModifyOrder", orderId: orderId(BigInt(id ?? 0)), newPrice: usd(211), newSize: null });
    await ear.settled();
    expect(ear.of("orderPlaced")).toEqual([{ type: "orderPlaced", ...terms, trigger_price: "21000000000" }]);
    expect(ear.of("orderModified")).toEqual([{ type: "orderModified", ...terms, trigger_price: "21100000000" }]);
  });

  it("orderTriggered comes before the frames that follow from it [97]", async ({ world }) => {
    const ear = await world.hear([{ channel: "orders", account_id: 12 }]);
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    const stop = { orderType: "StopMarket", price: usd(0), triggerPrice: usd(201), timeInForce: "IOC" } as const;
    const id = placedId(await world.run(order({ ...stop, size: contracts(2) })));
    await world.run(bobs({ price: usd(202) }), bob);
    await world.control("PATCH", "/oracle/1", { price: "202" });
    await world.advance(0);
    await ear.settled();
    await settled();
    expect(ear.of("orderTriggered")).toEqual([
      { type: "orderTriggered", order_id: Number(id), account_id: 12, market_id: 1 },
    ]);
    expect(ear.frames.map(({ type }) => type).filter((type) => type !== "pong")).toEqual([
      "orderPlaced",
      "orderTriggered",
      "orderCanceled",
    ]);
    expect(of("orderTriggered")).toMatchObject([{ orderId: id }]);
  });

  it("an order that ends on its own says why [97]", async ({ world }) => {
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await world.run(order({ timeInForce: "IOC" }));
    await settled();
    expect(of("orderCanceled")).toMatchObject([{ reason: "IocRemainder" }]);
  });

  it("are heard by whoever asks for the account: channels check no owner [97]", async ({ world }) => {
    const { of, settled } = await world.follow([{ channel: "orders", accountId: BOB }]);
    await world.run(bobs(), bob);
    await settled();
    expect(of("orderPlaced")).toMatchObject([{ accountId: BOB }]);
  });
});

describe("liquidations and positions", () => {
  const thin = accounts.map((each) => (each.accountId === ALICE ? { ...each, collateral: dollars(1000) } : each));

  it("a liquidation tells counts and a fee of 0; the positions channel stays silent [98, 99]", async () => {
    await using world = await openWorld({ accounts: thin });
    const ear = await world.hear([
      { channel: "liquidations", account_id: 12 },
      { channel: "positions", account_id: 12 },
    ]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await world.run(bobs({ side: "buy", price: usd(192), size: contracts(100) }), bob);
    await world.control("PATCH", "/oracle/1", { price: "193" });
    await world.advance(200);
    await ear.settled();
    expect(ear.frames.filter(({ type }) => type !== "pong")).toEqual([
      {
        type: "liquidation",
        account_id: 12,
        positions_closed: 1,
        liquidation_fee: expect.anything(),
        positions_remaining: 0,
      },
    ]);
    const [fee] = ear.of("liquidation").map(({ liquidation_fee }) => Number(liquidation_fee));
    expect(fee).toBe(0);
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
  });

  it("the fills of a liquidation come apart from it, with ordinary taker fees [98]", async () => {
    await using world = await openWorld({ accounts: thin });
    const { of, settled } = await world.follow([
      { channel: "liquidations", accountId: ALICE },
      { channel: "fills", accountId: ALICE },
    ]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await world.run(bobs({ side: "buy", price: usd(192), size: contracts(100) }), bob);
    await world.control("PATCH", "/oracle/1", { price: "193" });
    await world.advance(200);
    await settled();
    expect(of("liquidation")).toMatchObject([{ positionsClosed: 1, positionsRemaining: 0 }]);
    const closing = of("execution").at(-1)?.execution;
    expect(closing).toMatchObject({ takerAccountId: ALICE, takerSide: "sell", price: usd(192), size: contracts(90) });
    expect(closing?.takerFee).toBe(dollars(8.64)); // 5 bps of 17,280 USDC
  });
});

describe("funding", () => {
  it("fundingUpdate comes on settlement, once an interval, with rate and time in seconds [100]", async ({ world }) => {
    const ear = await world.hear([{ channel: "funding", market_id: 1 }]);
    const untilHour = HOUR_MS - (START_MS % HOUR_MS);
    await world.advance(untilHour - 1);
    await ear.settled();
    expect(ear.of("fundingUpdate")).toEqual([]);
    await world.advance(1);
    await world.advance(1000);
    await ear.settled();
    expect(ear.of("fundingUpdate")).toEqual([
      {
        type: "fundingUpdate",
        market_id: 1,
        funding_rate: expect.stringMatching(/^-?\d+$/),
        last_funding_timestamp: (START_MS + untilHour) / 1000,
      },
    ]);
    await world.advance(HOUR_MS);
    await ear.settled();
    expect(ear.of("fundingUpdate")).toHaveLength(2);
  });
});

describe("oracleUpdates", () => {
  it("oraclePriceUpdate tells the price, the one before, positions and the expiry in seconds [101]", async ({
    world,
  }) => {
    const ear = await world.hear([{ channel: "oracleUpdates", market_id: 1 }]);
    const { of, settled } = await world.follow([{ channel: "oracleUpdates", marketId: 1 }]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.advance(60_000);
    await world.control("PATCH", "/oracle/1", { price: "201.25" });
    await Promise.all([ear.settled(), settled()]);
    expect(ear.of("oraclePriceUpdate")).toEqual([
      {
        type: "oraclePriceUpdate",
        market_id: 1,
        price: "20125000000",
        previous_price: "20000000000",
        positions_updated: 2,
        valid_until: START_SEC + 60 + 86_400,
      },
    ]);
    expect(of("oracleUpdate")).toMatchObject([{ price: usd(201.25), previousPrice: usd(200) }]);
  });
});

describe("explorer", () => {
  it("blockFinalized tells hashes, root, proposer and count, and the first transaction alone [102a]", async ({
    world,
  }) => {
    const ear = await world.hear([{ channel: "explorer" }]);
    const { blocks, settled } = await world.follow([{ channel: "explorer" }]);
    const { json } = await world.postText(`{"CancelAllOrders":{"market_id":null}}`);
    await Promise.all([ear.settled(), settled()]);
    const [told] = ear.of("blockFinalized").filter(({ tx_count }) => tx_count === 1);
    expect(told).toEqual({
      type: "blockFinalized",
      height: expect.any(Number),
      hash: expect.stringMatching(HASH),
      parent_hash: expect.stringMatching(HASH),
      state_root: expect.stringMatching(HASH),
      proposer: expect.any(String),
      timestamp: START_MS,
      tx_count: 1,
      transactions: [
        {
          hash: (json as { hash: string }).hash,
          tx_index: 0,
          tx_type: "CancelAllOrders",
          sender: agent.publicKey,
          status: "success",
          timestamp: START_MS,
        },
      ],
    });
    expect(blocks.length).toBeGreaterThan(0);
  });

  it("each block names the one before it [102a]", async ({ world }) => {
    const ear = await world.hear([{ channel: "explorer" }]);
    for (let made = 0; made < 3; made += 1) await world.advance(200);
    await ear.settled();
    const blocks = ear.of("blockFinalized");
    expect(blocks).toHaveLength(3);
    for (const [index, block] of blocks.entries()) {
      if (index > 0) expect(block.parent_hash).toBe(blocks[index - 1]?.hash);
    }
  });

  it("a block can be read back by its height, under a path of our own [44b]", async ({ world }) => {
    const { blocks, settled } = await world.follow([{ channel: "explorer" }]);
    await world.run({ type: "CancelAllOrders", marketId: null });
    await settled();
    const heights = (blocks as { height: number }[]).map(({ height }) => height);
    expect(await world.client.devnet.block(heights[0] ?? 0)).toEqual(blocks[0]);
    const listed = (await world.client.devnet.blocks()).map(({ height }) => height);
    expect(listed).toEqual(expect.arrayContaining(heights));
    expect((await world.get("/v1/explorer/blocks")).json).toMatchObject({ shape: "devnet" });
    expect((await world.get("/v1/explorer/blocks/999999")).status).toBe(404);
    expect((await world.get("/v1/explorer/blocks/x")).status).toBe(400);
  });

  it("of several transactions in a block the channel lists the first [102b]", async ({ world }) => {
    const ear = await world.hear([{ channel: "explorer" }]);
    const text = `{"CancelAllOrders":{"market_id":null}}`;
    const { answers, height } = await world.together([{ text }, { text }, { text }]);
    await ear.settled();
    const hashes = answers.map(({ json }) => (json as { hash: string }).hash);
    const block = ear.of("blockFinalized").find((told) => told.height === height);
    const listed = (block?.transactions ?? []) as { hash: string; tx_index: number }[];
    expect(block).toMatchObject({ tx_count: 3 });
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ tx_index: 0, hash: expect.toBeOneOf(hashes) });
  });

  it("of several transactions in a block the read lists all, in the order of execution [44b]", async ({ world }) => {
    const text = `{"CancelAllOrders":{"market_id":null}}`;
    const { answers, height } = await world.together([{ text }, { text }, { text: `{"CancelOrder":{"order_id":9}}` }]);
    const hashes = answers.map(({ json }) => (json as { hash: string }).hash);
    const { transactions, transactionCount } = await world.client.devnet.block(height);
    expect(transactionCount).toBe(3);
    expect(transactions.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(transactions.map(({ hash }) => hash))).toEqual(new Set(hashes));
    expect(transactions.filter(({ status }) => status === "failed")).toMatchObject([
      { transactionType: "CancelOrder" },
    ]);
  });
});

describe("connections", () => {
  it("after one is lost the client comes back with everything subscribed, in a new epoch [93b]", async ({ world }) => {
    const { of } = await world.follow([{ channel: "orderbook", marketId: 1 }]);
    await world.control("POST", "/faults", { kind: "dropStream" });
    await until("a second book", () => of("book").length === 2);
    expect(of("streamOpened").map(({ epoch }) => epoch)).toEqual([1, 2]);
    expect(of("streamClosed")).toMatchObject([{ epoch: 1 }]);
  });
});
