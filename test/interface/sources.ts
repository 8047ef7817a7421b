// Where it is written how other exchanges do it: the pages that the remarks on them were checked against.

type Source = { readonly exchange: string; readonly page: string; readonly of: string };

const dydx = (page: string, of: string): Source => ({
  exchange: "dYdX v4",
  page: `https://docs.dydx.xyz/concepts/trading/${page}`,
  of,
});
const hyperliquid = (page: string, of: string): Source => ({
  exchange: "Hyperliquid",
  page: `https://hyperliquid.gitbook.io/hyperliquid-docs/${page}`,
  of,
});

export const sources: readonly Source[] = [
  dydx("orders", "market orders as IOC, triggers by the oracle price or the last trade"),
  dydx("limits/equity-tier-limits", "stateful orders by equity"),
  dydx("margin", "the oracle price, free collateral"),
  dydx("funding", "impact notional, 60 samples"),
  dydx("liquidations", "the oracle price, the penalty"),
  dydx("contract-loss-mechanism", "deleveraging"),
  dydx("isolated-positions", "a subaccount for each"),
  {
    exchange: "dYdX v4",
    page: "https://github.com/dydxprotocol/v4-chain/tree/main/protocol/x/clob",
    of: "self-trades (`memclob/memclob.go`), reduce only (`types/message_place_order.go`), final settlement (`keeper/deleveraging.go`)",
  },
  hyperliquid("for-developers/api/rate-limits", "requests by volume, open orders"),
  hyperliquid("trading/self-trade-prevention", "the resting order goes"),
  hyperliquid("trading/liquidations", "the mark price, a fifth above 100,000 USDC, two thirds, what the vault keeps"),
  hyperliquid("trading/auto-deleveraging", "deleveraging"),
  hyperliquid("trading/robust-price-indices", "the mark price, which triggers too"),
  hyperliquid(
    "support/faq/trade-outcome-looks-incorrect/my-tp-sl-did-not-execute-correctly",
    "10 % of slippage after a trigger",
  ),
  {
    exchange: "Hyperliquid",
    page: "https://hyperliquid-co.gitbook.io/community-docs/architecture/hypercore/dex/clearinghouse/funding",
    of: "impact prices, a sample each 5 s",
  },
  {
    exchange: "Hyperliquid",
    page: "https://github.com/nktkas/hyperliquid",
    of: "limit and trigger orders alone, cross or isolated by coin, `marginCanceled`",
  },
  {
    exchange: "Hyperliquid",
    page: "https://docs.chainstack.com/docs/hyperliquid-debugging-signature-errors",
    of: "a key that does not exist",
  },
  {
    exchange: "Drift",
    page: "https://github.com/drift-labs/drift-protocol-v2-docs",
    of: "32 orders (`developers/concepts/program-structure`), triggers (`protocol/trading/order-types/advanced-order-types`), funding (`protocol/trading/perpetuals-trading/funding-rates`), settled profit (`protocol/trading/profit-loss`)",
  },
  {
    exchange: "Drift",
    page: "https://github.com/drift-labs/protocol-v2/tree/master/programs/drift/src",
    of: "bands of fills (`math/orders.rs`, `state/state.rs`), reduce only (`controller/orders.rs`), exits of signed orders (`instructions/keeper.rs`), expiry (`controller/pnl.rs`)",
  },
];
