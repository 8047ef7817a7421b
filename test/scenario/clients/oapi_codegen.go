// Trades through the Go client that oapi-codegen makes of the validator's OpenAPI document: URL CHAIN_ID ACCOUNT SEED_HEX.
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
	account := must(strconv.ParseUint(os.Args[3], 10, 64))
	key := ed25519.NewKeyFromSeed(must(hex.DecodeString(seedHex)))
	ctx := context.Background()
	client := must(venue.NewClientWithResponses(url))

	market := must(client.GetMarketWithResponse(ctx, 1)).JSON200
	book := must(client.GetOrderBookWithResponse(ctx, 1)).JSON200
	expect(market.MarketId == 1 && book.MarketId == 1, "market 1 and its book are read")
	held := must(client.GetAccountWithResponse(ctx, account)).JSON200
	expect(held.AccountId == account, "the account's id is exact")

	nonce := uint64(time.Now().UnixMilli())
	submit := func(variant any) *venue.Answer {
		var transaction venue.Transaction
		check(json.Unmarshal(must(json.Marshal(variant)), &transaction))
		nonce++
		now := time.Now().Unix()
		text := must(json.Marshal(transaction))
		message := fmt.Sprintf("[%s,%s,%d,%d]", must(json.Marshal(chainID)), text, nonce, now)
		sent := must(client.SubmitTransactionWithResponse(ctx, venue.Envelope{
			Transaction: transaction,
			ChainId:     chainID,
			Signer:      numbers(key.Public().(ed25519.PublicKey)),
			Signature:   numbers(ed25519.Sign(key, []byte(message))),
			Nonce:       nonce,
			Timestamp:   now,
		}))
		expect(sent.StatusCode() == http.StatusOK, string(sent.Body))
		return sent.JSON200
	}
	order := venue.PlaceOrder{
		AccountId:   account,
		MarketId:    1,
		Side:        "Long",
		OrderType:   "Limit",
		Price:       190_00000000,
		Size:        1_000000,
		TimeInForce: "GTC",
	}
	placed := must(submit(venue.PlaceOrderTransaction{PlaceOrder: order}).AsSucceeded())
	expect(placed.Status == "success", "the order is placed")
	event := must(placed.Events[0].AsOrderPlacedEvent())
	expect(event.Type == "OrderPlaced" && event.AccountId == account, "the answer names the order")

	unknown := venue.CancelOrder{OrderId: math.MaxUint64}
	failed := must(submit(venue.CancelOrderTransaction{CancelOrder: unknown}).AsFailed())
	expect(failed.Status == "failed" && failed.Code != "", "an unknown order cannot be canceled")

	open := *must(client.ListOpenOrdersWithResponse(ctx, account)).JSON200
	expect(len(open) == 1 && open[0].OrderId == event.OrderId && open[0].TriggerPrice == nil, "the order rests")
	cancel := venue.CancelOrder{OrderId: event.OrderId}
	canceled := must(submit(venue.CancelOrderTransaction{CancelOrder: cancel}).AsSucceeded())
	expect(canceled.Status == "success", "the order is canceled")
	all := must(submit(venue.CancelAllOrdersTransaction{}).AsSucceeded())
	expect(all.Status == "success", "no market named: all are canceled")
	fmt.Println(event.OrderId)
}

func numbers(bytes []byte) []int32 {
	all := make([]int32, len(bytes))
	for at, each := range bytes {
		all[at] = int32(each)
	}
	return all
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func expect(is bool, what string) {
	if !is {
		fmt.Fprintln(os.Stderr, "not so:", what)
		os.Exit(1)
	}
}
