"""nautilus_trader on a stream that main.ts wrote. Needs the packages of requirements.txt.

nautilus_run.py FOLDER fills MODEL   prints the fills that MODEL predicts for the recorded orders, one JSON object a line
nautilus_run.py FOLDER speed RUNS    runs the quoting rule RUNS times and prints each run's processor time, seconds

MODEL is `book`, the levels and the trades as they are, or `quotes`, the best bid and ask and trades without their taker's side.

What it counts wrongly, and what is done about it:
- A trade with its taker's side never fills the resting order that it hits. `quotes` leaves the side out: each trade at an order's price
  fills the order, whatever stood in front of it.
- A trade stands for both best prices until the next quote, and a post-only order behind it is refused. A quote follows each trade here.
- A large account loses cents through doubles. It has 1,000,000 USDT here.
"""

import json
import sys
import time
from decimal import Decimal
from pathlib import Path

import numpy as np
from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.config import LoggingConfig
from nautilus_trader.model.currencies import BTC, USDT
from nautilus_trader.model.data import BookOrder, OrderBookDelta, QuoteTick, TradeTick
from nautilus_trader.model.enums import (
    AccountType, AggressorSide, BookAction, BookType, OmsType, OrderSide, RecordFlag, TimeInForce,
)
from nautilus_trader.model.identifiers import InstrumentId, Symbol, TradeId, Venue
from nautilus_trader.model.instruments import CryptoPerpetual
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.trading.strategy import Strategy

INSTANT_NS = 1_000_000
PLACE, MODIFY, CANCEL = 0, 1, 2
DEPTH, TRADE = 1, 2
BUY = 1 << 29
SIZE_DECIMALS = 6
VENUE = Venue("SIM")


def decimals(tick):
    return max(0, -Decimal(str(tick)).as_tuple().exponent)


def instrument_of(market):
    digits = decimals(market["tick"])
    name = Symbol(f"M{market['marketId']}-PERP")
    return CryptoPerpetual(
        instrument_id=InstrumentId(name, VENUE), raw_symbol=name, base_currency=BTC, quote_currency=USDT, settlement_currency=USDT,
        is_inverse=False, price_precision=digits, size_precision=SIZE_DECIMALS, price_increment=Price(market["tick"], digits),
        size_increment=Quantity(10**-SIZE_DECIMALS, SIZE_DECIMALS), ts_event=0, ts_init=0, margin_init=Decimal("0.05"),
        margin_maint=Decimal("0.025"), maker_fee=Decimal(str(market["makerFee"])), taker_fee=Decimal(str(market["takerFee"])),
    )


def data_of(market, instrument, is_book):
    digits = decimals(market["tick"])
    for nth, row in enumerate(market["data"]):
        flags, at = int(row["ev"]), int(row["exch_ts"])
        is_buy, price, size = bool(flags & BUY), float(row["px"]), float(row["qty"])
        if flags & 255 == TRADE:
            side = (AggressorSide.BUYER if is_buy else AggressorSide.SELLER) if is_book else AggressorSide.NO_AGGRESSOR
            yield TradeTick(instrument.id, Price(price, digits), Quantity(size, SIZE_DECIMALS), side, TradeId(str(nth)), at, at)
        elif flags & 255 == DEPTH:
            yield at, is_buy, price, size


def book_of(market, instrument):
    digits = decimals(market["tick"])
    for each in data_of(market, instrument, True):
        if isinstance(each, TradeTick):
            yield each
            continue
        at, is_buy, price, size = each
        order = BookOrder(
            OrderSide.BUY if is_buy else OrderSide.SELL, Price(price, digits), Quantity(size, SIZE_DECIMALS), round(price / market["tick"]),
        )
        action = BookAction.DELETE if size == 0 else BookAction.UPDATE
        yield OrderBookDelta(instrument.id, action, order, RecordFlag.F_LAST, 0, at, at)


def quotes_of(market, instrument):
    digits = decimals(market["tick"])
    sides = {True: {}, False: {}}
    last = None

    def quote(at, bid, bid_size, ask, ask_size):
        sizes = [Quantity(size, SIZE_DECIMALS) for size in (bid_size, ask_size)]
        return QuoteTick(instrument.id, Price(bid, digits), Price(ask, digits), *sizes, at, at)

    for each in data_of(market, instrument, False):
        if isinstance(each, TradeTick):
            yield each
            if last is not None:
                yield quote(each.ts_event + 1, *last)
            continue
        at, is_buy, price, size = each
        if size == 0:
            sides[is_buy].pop(price, None)
        else:
            sides[is_buy][price] = size
        if not sides[True] or not sides[False]:
            continue
        bid, ask = max(sides[True]), min(sides[False])
        best = (bid, sides[True][bid], ask, sides[False][ask])
        if best == last or bid >= ask:
            continue
        last = best
        yield quote(at, *best)


class Reader(Strategy):
    def __init__(self, instrument, is_book):
        super().__init__()
        self.instrument = instrument
        self.is_book = is_book

    def on_start(self):
        if self.is_book:
            self.subscribe_order_book_deltas(self.instrument.id, book_type=BookType.L2_MBP)
        else:
            self.subscribe_quote_ticks(self.instrument.id)
        self.subscribe_trade_ticks(self.instrument.id)

    def on_order_book_deltas(self, deltas):
        self.on_data_at(deltas.ts_event)

    def on_quote_tick(self, tick):
        self.on_data_at(tick.ts_event)

    def on_trade_tick(self, tick):
        self.on_data_at(tick.ts_event)

    def limit(self, is_buy, price, size):
        order = self.order_factory.limit(
            self.instrument.id, OrderSide.BUY if is_buy else OrderSide.SELL, self.instrument.make_qty(size),
            self.instrument.make_price(price), TimeInForce.GTC, post_only=True,
        )
        self.submit_order(order)
        return order


class Recorded(Reader):
    """Places, moves and ends the recorded orders at their instants: after the last event before each."""

    def __init__(self, instrument, is_book, actions, times):
        super().__init__(instrument, is_book)
        self.actions, self.times = actions, times
        self.next, self.seen = 0, 0
        self.current, self.filled, self.names, self.fills = {}, {}, {}, []

    def on_data_at(self, at):
        self.seen += 1
        until = self.times[self.seen] if self.seen < len(self.times) else 2**62
        while self.next < len(self.actions) and self.actions[self.next]["atNs"] < until:
            self.act(self.actions[self.next])
            self.next += 1

    def act(self, action):
        name = action["orderId"]
        wanted = 0.0
        if action["kind"] != CANCEL:
            wanted = action["size"] - (self.filled.get(name, 0.0) if action["kind"] == MODIFY else 0.0)
        order = self.current.get(name)
        if order is not None and not order.is_closed:
            stays = float(order.price) == action["price"] and abs(float(order.leaves_qty) - wanted) < 10**-SIZE_DECIMALS / 2
            if stays:
                return
            self.cancel_order(order)
        if wanted >= 10**-SIZE_DECIMALS:
            order = self.limit(action["isBuy"], action["price"], wanted)
            self.current[name], self.names[order.client_order_id] = order, name

    def on_order_filled(self, event):
        name = self.names[event.client_order_id]
        size = float(event.last_qty)
        self.filled[name] = self.filled.get(name, 0.0) + size
        self.fills.append({"atNs": event.ts_event, "orderId": name, "price": float(event.last_px), "size": size})


class Quoter(Reader):
    """Bid and ask at a distance from the mid; both move when the mid has moved by more than a tick."""

    def __init__(self, instrument, market):
        super().__init__(instrument, True)
        self.market, self.center, self.orders = market, 0.0, ()

    def on_data_at(self, at):
        book = self.cache.order_book(self.instrument.id)
        bid, ask = book.best_bid_price(), book.best_ask_price()
        if bid is None or ask is None:
            return
        mid, tick, half = (float(bid) + float(ask)) / 2, self.market["tick"], self.market["halfSpread"]
        if abs(mid - self.center) <= tick:
            return
        self.center = mid
        for order in self.orders:
            if not order.is_closed:
                self.cancel_order(order)
        self.orders = (
            self.limit(True, np.floor(mid * (1 - half) / tick) * tick, self.market["size"]),
            self.limit(False, np.ceil(mid * (1 + half) / tick) * tick, self.market["size"]),
        )


def engine_of(instrument, is_book, data, strategy):
    engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True)))
    engine.add_venue(
        VENUE, OmsType.NETTING, AccountType.MARGIN, [Money(1_000_000, USDT)], default_leverage=Decimal(20),
        book_type=BookType.L2_MBP if is_book else BookType.L1_MBP, trade_execution=True,
    )
    engine.add_instrument(instrument)
    engine.add_data(data)
    engine.add_strategy(strategy)
    return engine


def main(folder, mode, what):
    markets = json.loads((Path(folder) / "markets.json").read_text())
    for market in markets:
        market["data"] = np.load(Path(folder) / market["events"])["data"]
    is_book = mode == "speed" or what == "book"
    read = [(market, instrument_of(market)) for market in markets]
    streams = [(market, instrument, list((book_of if is_book else quotes_of)(market, instrument))) for market, instrument in read]
    if mode == "fills":
        for market, instrument, data in streams:
            strategy = Recorded(instrument, is_book, market["actions"], [each.ts_event for each in data])
            engine = engine_of(instrument, is_book, data, strategy)
            engine.run()
            for fill in strategy.fills:
                print(json.dumps({"marketId": market["marketId"], **fill}))
            engine.dispose()
        return
    for _ in range(int(what)):
        seconds = 0.0
        for market, instrument, data in streams:
            engine = engine_of(instrument, True, data, Quoter(instrument, market))
            started = time.process_time()
            engine.run()
            seconds += time.process_time() - started
            engine.dispose()
        print(json.dumps({"seconds": seconds}))


main(*sys.argv[1:])
