// Trades through the Go client that openapi-generator makes of the validator's OpenAPI document: URL CHAIN_ID ACCOUNT SEED_HEX.
package main

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"example.com/trade/venue"
)

func main() {
	url, chainID, seedHex := os.Args[1], os.Args[2], os.Args[4]
	account := must(strconv.ParseInt(os.Args[3], 10, 64))
	key := ed25519.NewKeyFromSeed(must(hex.DecodeString(seedHex)))
	ctx := context.Background()
	configuration := venue.NewConfiguration()
	configuration.Servers = venue.ServerConfigurations{{URL: url}}
	client := venue.NewAPIClient(configuration).DefaultAPI

	market := read(client.GetMarket(ctx, 1).Execute())
	book := read(client.GetOrderBook(ctx, 1).Execute())
	expect(market.MarketId == 1 && book.MarketId == 1, "market 1 and its book are read")
	held := read(client.GetAccount(ctx, account).Execute())
	expect(held.AccountId == account && held.GetCreatedAt() > math.MaxInt32, "ids and times have 64 bits")

	nonce := time.Now().UnixMilli()
	submit := func(transaction venue.Transaction) *venue.Answer {
		nonce++
		now := time.Now().Unix()
		text := must(json.Marshal(transaction))
		message := fmt.Sprintf("[%s,%s,%d,%d]", must(json.Marshal(chainID)), text, nonce, now)
		signer := numbers(key.Public().(ed25519.PublicKey))
		signature := numbers(ed25519.Sign(key, []byte(message)))
		envelope := venue.NewEnvelope(transaction, nonce, now, chainID, signer, signature)
		return read(client.SubmitTransaction(ctx).Envelope(*envelope).Execute())
	}
	cancel := func(id int64) *venue.Answer {
		transaction := venue.NewCancelOrderTransaction(*venue.NewCancelOrder(id))
		return submit(venue.CancelOrderTransactionAsTransaction(transaction))
	}
	order := venue.NewPlaceOrder(account, 1, "Long", "Limit", 190_00000000, 1_000000, false, false, "GTC")
	placed := submit(venue.PlaceOrderTransactionAsTransaction(venue.NewPlaceOrderTransaction(*order))).Succeeded
	expect(placed != nil && placed.Status == "success", "the order is placed")
	event := placed.Events[0].OrderPlacedEvent
	expect(event != nil && event.AccountId == account, "the answer names the order")

	failed := cancel(math.MaxInt64).Failed
	expect(failed != nil && failed.Code != "", "an unknown order cannot be canceled")

	open := read(client.ListOpenOrders(ctx, account).Execute())
	expect(len(open) == 1 && open[0].OrderId == event.OrderId && open[0].GetTriggerPrice() == "", "the order rests")
	expect(cancel(event.OrderId).Succeeded != nil, "the order is canceled")
	everywhere := venue.NewCancelAllOrders(*venue.NewNullableInt32(nil))
	all := submit(venue.CancelAllOrdersTransactionAsTransaction(venue.NewCancelAllOrdersTransaction(*everywhere)))
	expect(all.Succeeded != nil, "no market named: all are canceled")
	fmt.Println(event.OrderId)
}

func numbers(bytes []byte) []int32 {
	all := make([]int32, len(bytes))
	for at, each := range bytes {
		all[at] = int32(each)
	}
	return all
}

func read[T any](value T, answer *http.Response, err error) T {
	if err != nil && answer != nil {
		fmt.Fprintln(os.Stderr, answer.Status)
	}
	return must(value, err)
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func expect(is bool, what string) {
	if !is {
		fmt.Fprintln(os.Stderr, "not so:", what)
		os.Exit(1)
	}
}
