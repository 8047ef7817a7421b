"""hftbacktest on a stream that main.ts wrote. Needs the packages of requirements.txt.

hftbacktest_run.py FOLDER fills MODEL   prints the fills that MODEL predicts for the recorded orders, one JSON object a line
hftbacktest_run.py FOLDER speed RUNS    runs the quoting rule RUNS times and prints each run's processor time, seconds

What it counts wrongly, and what is done about it:
- The partial exchange keeps an order that a trade of exactly its size has filled. Orders are a tenth of a lot smaller here.
- Its account leaves out partial fills. Fills are read from the orders here, and PnL is reckoned from them.
- Its clock has no value before the first `elapse`. `elapse(0)` comes first here.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from hftbacktest import BacktestAsset, GTX, HashMapMarketDepthBacktest, LIMIT
from hftbacktest.order import FILLED, PARTIALLY_FILLED
from numba import njit

INSTANT_NS = 1_000_000
FOREVER_NS = 10**15
END, FEED = 1, 2
PLACE, MODIFY, CANCEL = 0, 1, 2
MODELS = {
    "risk-adverse": lambda asset: asset.risk_adverse_queue_model(),
    "log": lambda asset: asset.log_prob_queue_model(),
    "power2": lambda asset: asset.power_prob_queue_model(2.0),
    "power2-2": lambda asset: asset.power_prob_queue_model2(2.0),
}


def backtest(market, model, is_partial):
    asset = BacktestAsset().data([market["data"]]).linear_asset(1.0).constant_order_latency(0, 0)
    MODELS[model](asset)
    if is_partial:
        asset.partial_fill_exchange()
    else:
        asset.no_partial_fill_exchange()
    asset.trading_value_fee_model(market["makerFee"], market["takerFee"])
    asset.tick_size(market["tick"]).lot_size(market["lot"])
    return HashMapMarketDepthBacktest([asset])


@njit
def filled_at(hbt, order_id, left, out):
    """Writes price and size of what was filled since `left` was left; returns False when nothing was."""
    orders = hbt.orders(0)
    if order_id == 0 or order_id not in orders:
        return False
    order = orders.get(order_id)
    if order.status == FILLED:
        out[0], out[1] = order.exec_price, left
        return left > 0
    if order.status == PARTIALLY_FILLED and order.leaves_qty < left:
        out[0], out[1] = order.exec_price, left - order.leaves_qty
        return True
    return False


@njit
def submit(hbt, order_id, is_buy, price, size):
    if is_buy:
        return hbt.submit_buy_order(0, order_id, price, size, GTX, LIMIT, False)
    return hbt.submit_sell_order(0, order_id, price, size, GTX, LIMIT, False)


@njit
def predict(hbt, instants, at, kind, order, is_buy, price, size, orders, shorter, fills):
    """Places, moves and ends the recorded orders at their instants. Returns the count of fills, or less than 0: an error of the engine."""
    current = np.zeros(orders, np.int64)
    left, filled, prices = np.zeros(orders), np.zeros(orders), np.zeros(orders)
    executed = np.zeros(2)
    next_id, action, count = 1, 0, 0
    hbt.elapse(0)
    for instant in instants:
        if instant > hbt.current_timestamp:
            code = hbt.elapse(instant - hbt.current_timestamp)
            if code > 1:
                return -code
        while action < len(at) and at[action] <= instant:
            which = order[action]
            if kind[action] == PLACE:
                wanted = size[action]
            elif kind[action] == MODIFY:
                wanted = size[action] - filled[which]
            else:
                wanted = 0.0
            stands = current[which] != 0
            is_kept = stands and price[action] == prices[which] and abs(wanted - shorter - left[which]) < shorter / 2
            if stands and not is_kept:
                hbt.cancel(0, current[which], False)
                current[which] = 0
            if wanted > shorter and not is_kept:
                submit(hbt, next_id, is_buy[action], price[action], wanted - shorter)
                current[which], left[which], prices[which] = next_id, wanted - shorter, price[action]
                next_id += 1
            action += 1
        code = hbt.elapse(instant + INSTANT_NS // 2 - hbt.current_timestamp)
        if code > 1:
            return -code
        for which in range(orders):
            if not filled_at(hbt, current[which], left[which], executed):
                continue
            fills[count, 0], fills[count, 1] = instant, which
            fills[count, 2], fills[count, 3] = executed[0], executed[1]
            count += 1
            left[which] -= executed[1]
            filled[which] += executed[1]
            if left[which] <= 0:
                current[which] = 0
        if code == 1:
            return count
    return count


@njit
def quote(hbt, tick, half_spread, size):
    """Bid and ask at a distance from the mid; both move when the mid has moved by more than a tick."""
    center, next_id, bid_id, ask_id = 0.0, 1, 0, 0
    code, looks = hbt.elapse(0), 0
    while True:
        code = hbt.wait_next_feed(False, FOREVER_NS)
        if code != FEED:
            return looks if code == END else -code
        looks += 1
        depth = hbt.depth(0)
        mid = (depth.best_bid + depth.best_ask) / 2
        if np.isnan(mid) or abs(mid - center) <= tick:
            continue
        center = mid
        orders = hbt.orders(0)
        for order_id in (bid_id, ask_id):
            if order_id in orders and orders.get(order_id).cancellable:
                hbt.cancel(0, order_id, False)
        hbt.clear_inactive_orders(0)
        bid_id, ask_id = next_id, next_id + 1
        next_id += 2
        submit(hbt, bid_id, True, np.floor(mid * (1 - half_spread) / tick) * tick, size)
        submit(hbt, ask_id, False, np.ceil(mid * (1 + half_spread) / tick) * tick, size)


def stopped_by(count):
    if count < 0:
        raise SystemExit(f"hftbacktest stopped with code {-count}")


def fills_of(market, model, is_partial):
    actions = market["actions"]
    names = sorted({each["orderId"] for each in actions}, key=int)
    index = {name: at for at, name in enumerate(names)}
    column = lambda key, kind: np.array([each[key] for each in actions], kind)
    at = column("atNs", np.int64)
    stamps = market["data"]["exch_ts"] // INSTANT_NS * INSTANT_NS
    instants = np.unique(np.concatenate([stamps, at]))
    fills = np.zeros((100_000, 4))
    hbt = backtest(market, model, is_partial)
    count = predict(
        hbt, instants, at, column("kind", np.int64), np.array([index[each["orderId"]] for each in actions]),
        column("isBuy", np.bool_), column("price", float), column("size", float), len(names), market["lot"] / 10, fills,
    )
    hbt.close()
    stopped_by(count)
    for instant, which, price, size in fills[:count]:
        yield {"atNs": int(instant), "orderId": names[int(which)], "price": price, "size": size}


def main(folder, mode, what):
    markets = json.loads((Path(folder) / "markets.json").read_text())
    for market in markets:
        market["data"] = np.load(Path(folder) / market["events"])["data"]
    if mode == "fills":
        model, exchange = what.split("/")
        for market in markets:
            for fill in fills_of(market, model, exchange == "partial"):
                print(json.dumps({"marketId": market["marketId"], **fill}))
        return
    for _ in range(int(what)):
        seconds, looks = 0.0, 0
        for market in markets:
            hbt = backtest(market, "risk-adverse", True)
            started = time.process_time()
            looked = quote(hbt, market["tick"], market["halfSpread"], market["size"] - market["lot"] / 10)
            seconds += time.process_time() - started
            stopped_by(looked)
            looks += looked
            hbt.close()
        print(json.dumps({"seconds": seconds, "events": looks}))


main(*sys.argv[1:])
