// The account's owner trades by hand next to the bot: the bot must notice, halt, and not touch the owner's orders.

import type { Market } from "../../domain/market.ts";
import { BPS, type MarketId, type Price, price, type Side, size } from "../../domain/units.ts";
import { type PlaceOrder, plainTerms } from "../../wire/transaction/trading.ts";
import { ownerSends } from "../actors.ts";
import { orderIdsIn } from "../invariants/resting.ts";
import type { World } from "../world.ts";
import type { Fault } from "./fault.ts";

/** Far from any quote, inside the price band. */
const MANUAL_BPS = -500n;
/** No move of the simulated prints reaches it. */
const STOP_BPS = 4000n;
/** The crowd's takers reach this price within minutes. */
const BESIDE_BPS = 20n;
const SLIPPAGE_BPS = 500;
/** Time after which the bot has noticed, and the operator knows the reason. */
const RESUME_MS = 20_000;

/** Places a small bid far from the market. No operator resumes. */
export function orderByHand(world: World): void {
  world.inspector.resting.isShared = true;
  const market = marketOf(world, world.markets[0]);
  if (market === undefined) return;
  place(world, { ...resting(market, "buy", MANUAL_BPS), marketId: market.marketId, size: size(100_000n) });
}

/** Places a reduce-only stop that protects the position, in a market that the bot quotes. It stays until the end. */
export function protect({ id }: Fault, world: World): void {
  const market = marketOf(world, world.markets[id % world.markets.length]);
  if (market === undefined) return;
  const { marketId } = market;
  const held = world.exchange.chain.reads.account(world.account)?.positions.find((each) => each.marketId === marketId);
  const side: Side = held?.side === "sell" ? "buy" : "sell";
  place(world, {
    marketId,
    side,
    size: held?.size ?? size(100_000n),
    orderType: "StopMarket",
    price: price(0n),
    triggerPrice: away(market, side === "buy" ? STOP_BPS : -STOP_BPS),
    reduceOnly: true,
    postOnly: false,
    timeInForce: "IOC",
  });
  resumeLater(world);
}

/** Trades `amount` contracts (negative: sells) in the market that the bot does not quote: at once, or by an order that waits. */
export function tradeBeside({ how, amount }: Fault, world: World): void {
  const market = marketOf(world, world.worldConfig.beside);
  if (market === undefined) return;
  const side: Side = amount < 0 ? "sell" : "buy";
  const contracts = { marketId: market.marketId, size: size(BigInt(Math.round(Math.abs(amount) * 100)) * 10_000n) };
  place(
    world,
    how === "besideAtOnce"
      ? { ...contracts, ...atOnce(side) }
      : { ...contracts, ...resting(market, side, side === "buy" ? -BESIDE_BPS : BESIDE_BPS) },
  );
  resumeLater(world);
}

type Terms = Pick<
  PlaceOrder,
  "marketId" | "side" | "size" | "orderType" | "price" | "reduceOnly" | "postOnly" | "timeInForce"
> &
  Partial<PlaceOrder>;

const atOnce = (side: Side) =>
  ({
    side,
    orderType: "Market",
    price: price(0n),
    maxSlippageBps: SLIPPAGE_BPS,
    reduceOnly: false,
    postOnly: false,
    timeInForce: "IOC",
  }) as const;

const resting = (market: Market, side: Side, bps: bigint) =>
  ({
    side,
    orderType: "Limit",
    price: away(market, bps),
    reduceOnly: false,
    postOnly: true,
    timeInForce: "GTC",
  }) as const;

const away = ({ oraclePrice, tickSize }: Market, bps: bigint): Price =>
  price(((oraclePrice * (BPS + bps)) / BPS / tickSize) * tickSize);

const marketOf = ({ exchange }: World, marketId: MarketId | null | undefined): Market | undefined =>
  marketId === null || marketId === undefined ? undefined : exchange.chain.reads.market(marketId);

function place(world: World, terms: Terms): void {
  void ownerSends(world, { type: "PlaceOrder", ...plainTerms, accountId: world.account, ...terms }).then((text) => {
    world.inspector.ownersOrders.placed(orderIdsIn(text));
  });
}

/** The operator lifts only the latch that the bot tripped because of the owner's order. */
function resumeLater(world: World): void {
  const resume = { reason: "the order is the owner's", latch: "foreignActivity" };
  world.clock.after(RESUME_MS, () => void world.daemon.ask("POST /resume", JSON.stringify(resume)));
}
