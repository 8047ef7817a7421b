// Trades through the Java client that openapi-generator makes of the validator's OpenAPI document: URL CHAIN_ID ACCOUNT SEED_HEX PUBLIC_KEY_HEX.

import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.JSON;
import org.openapitools.client.api.DefaultApi;
import org.openapitools.client.model.*;

public final class Trade {
  private static DefaultApi api;
  private static String chainId;
  private static PrivateKey key;
  private static byte[] publicKey;
  private static long nonce = System.currentTimeMillis();

  public static void main(String[] args) throws Exception {
    api = new DefaultApi(new ApiClient().setBasePath(args[0]));
    chainId = args[1];
    long account = Long.parseLong(args[2]);
    HexFormat hex = HexFormat.of();
    key = KeyFactory.getInstance("Ed25519")
        .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, hex.parseHex(args[3])));
    publicKey = hex.parseHex(args[4]);

    expect(api.getMarket(1).getMarketId() == 1, "market 1 is read");
    expect(api.getOrderBook(1).getMarketId() == 1, "its book is read");
    Account held = api.getAccount(account);
    expect(held.getAccountId() == account && held.getCreatedAt() > Integer.MAX_VALUE, "ids and times have 64 bits");

    PlaceOrder order = new PlaceOrder()
        .accountId(account)
        .marketId(1)
        .side(PlaceOrder.SideEnum.LONG)
        .orderType(PlaceOrder.OrderTypeEnum.LIMIT)
        .price(190_00000000L)
        .size(1_000000L)
        .reduceOnly(false)
        .postOnly(false)
        .timeInForce(PlaceOrder.TimeInForceEnum.GTC);
    Succeeded placed = submit(new Transaction(new PlaceOrderTransaction().placeOrder(order))).getSucceeded();
    OrderPlacedEvent event = placed.getEvents().get(0).getOrderPlacedEvent();
    expect(event.getAccountId() == account, "the answer names the order");

    Failed failed = cancel(Long.MAX_VALUE).getFailed();
    expect(!failed.getCode().isEmpty(), "an unknown order cannot be canceled");

    List<Order> open = api.listOpenOrders(account);
    expect(open.size() == 1 && open.get(0).getOrderId().equals(event.getOrderId()), "the order rests");
    expect(open.get(0).getTriggerPrice() == null, "no trigger price is null");
    expect("success".equals(cancel(event.getOrderId()).getSucceeded().getStatus().getValue()), "the order is canceled");
    // Gson leaves nulls out, so a market must be named.
    CancelAllOrders inMarket = new CancelAllOrders().marketId(1);
    Answer all = submit(new Transaction(new CancelAllOrdersTransaction().cancelAllOrders(inMarket)));
    expect(all.getActualInstance() instanceof Succeeded, "all orders of the market are canceled");
    System.out.println(event.getOrderId());
  }

  private static Answer cancel(long orderId) throws Exception {
    return submit(new Transaction(new CancelOrderTransaction().cancelOrder(new CancelOrder().orderId(orderId))));
  }

  private static Answer submit(Transaction transaction) throws Exception {
    nonce += 1;
    long now = System.currentTimeMillis() / 1000;
    String text = JSON.getGson().toJson(transaction);
    Signature signer = Signature.getInstance("Ed25519");
    signer.initSign(key);
    signer.update(String.format("[\"%s\",%s,%d,%d]", chainId, text, nonce, now).getBytes(StandardCharsets.UTF_8));
    return api.submitTransaction(new Envelope()
        .transaction(transaction)
        .chainId(chainId)
        .signer(numbers(publicKey))
        .signature(numbers(signer.sign()))
        .nonce(nonce)
        .timestamp(now));
  }

  private static List<Integer> numbers(byte[] bytes) {
    List<Integer> all = new ArrayList<>();
    for (byte each : bytes) all.add(each & 255);
    return all;
  }

  private static void expect(boolean is, String what) {
    if (!is) throw new IllegalStateException("not so: " + what);
  }
}
