"""Trades through the Python client of the validator's OpenAPI document: URL CHAIN_ID ACCOUNT SEED_HEX."""

import json
import sys
import time

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from venue import models
from venue.api.default import get_account, get_market, get_order_book, list_open_orders, submit_transaction
from venue.client import Client

url, chain_id, account, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), bytes.fromhex(sys.argv[4])
key = Ed25519PrivateKey.from_private_bytes(seed)
client = Client(base_url=url, raise_on_unexpected_status=True)
nonce = time.time_ns() // 1_000_000


def submit(transaction):
    """Signs the text that httpx will send: JSON without blanks."""
    global nonce
    nonce += 1
    now = int(time.time())
    text = json.dumps([chain_id, transaction.to_dict(), nonce, now], separators=(",", ":"), ensure_ascii=False)
    envelope = models.Envelope(
        transaction=transaction,
        chain_id=chain_id,
        signer=list(key.public_key().public_bytes_raw()),
        signature=list(key.sign(text.encode())),
        nonce=nonce,
        timestamp=now,
    )
    return submit_transaction.sync(client=client, body=envelope)


assert get_market.sync(1, client=client).market_id == get_order_book.sync(1, client=client).market_id == 1
assert get_account.sync(account, client=client).account_id == account

order = models.PlaceOrder(
    account_id=account,
    market_id=1,
    side=models.PlaceOrderSide.LONG,
    order_type=models.PlaceOrderOrderType.LIMIT,
    price=190_00000000,
    size=1_000000,
    reduce_only=False,
    post_only=False,
    time_in_force=models.PlaceOrderTimeInForce.GTC,
)
placed = submit(models.PlaceOrderTransaction(place_order=order))
assert isinstance(placed, models.Succeeded), placed
[event] = placed.events
assert isinstance(event, models.OrderPlacedEvent) and event.account_id == account, event

failed = submit(models.CancelOrderTransaction(cancel_order=models.CancelOrder(order_id=2**64 - 1)))
assert isinstance(failed, models.Failed) and failed.code, failed

[open_order] = list_open_orders.sync(account, client=client)
assert open_order.order_id == event.order_id and open_order.trigger_price is None
cancel = models.CancelOrderTransaction(cancel_order=models.CancelOrder(order_id=event.order_id))
assert isinstance(submit(cancel), models.Succeeded)
everywhere = models.CancelAllOrdersTransaction(cancel_all_orders=models.CancelAllOrders(market_id=None))
assert isinstance(submit(everywhere), models.Succeeded)
print(event.order_id)
