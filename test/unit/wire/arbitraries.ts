// What the tests of wire/ have in common: random values of every domain type, within the ranges that the interface gives them.

import fc from "fast-check";
import type { Account, Agent, NodeStatus, Position } from "../../../src/domain/account.ts";
import type { Block, BlockTransaction } from "../../../src/domain/block.ts";
import type { Book, Level } from "../../../src/domain/book.ts";
import type { Execution, Trade } from "../../../src/domain/fill.ts";
import { withDeductions } from "../../../src/domain/margin.ts";
import type { FeeTier, Funding, MarginTier, Market, Oracle } from "../../../src/domain/market.ts";
import type { AttachedExit, Order } from "../../../src/domain/order.ts";
import {
  type AccountId,
  accountId,
  native,
  nonce,
  orderId,
  price,
  type Side,
  size,
  usdc,
} from "../../../src/domain/units.ts";
import { hexOf } from "../../../src/kernel/hex.ts";
import type { RequestBudget } from "../../../src/wire/rest/accounts.ts";
import type {
  BridgeState,
  ExchangeStats,
  InsuranceFund,
  StakeValidator,
  StakingState,
  TokenRegistry,
  TreasuryConfig,
} from "../../../src/wire/rest/exchange.ts";
import type { FillRow, FundingRow, OrderRow } from "../../../src/wire/rest/history.ts";
import type {
  Delegation,
  InviteState,
  OpenWithdrawal,
  OwnedAccount,
  OwnerAssets,
  Recipient,
  StakingBalance,
  TransferPage,
  Vault,
} from "../../../src/wire/rest/owners.ts";
import type { Transaction } from "../../../src/wire/transaction.ts";

/** Edges more often than chance would have it. */
const edged = (edges: readonly bigint[], rest: fc.Arbitrary<bigint>): fc.Arbitrary<bigint> =>
  fc.oneof(fc.constantFrom(...edges), rest);

export const u64 = edged(
  [0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n],
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
export const i128 = edged(
  [0n, -1n, 2n ** 127n - 1n, -(2n ** 127n), 2n ** 53n, -(2n ** 53n)],
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
);
const positiveI128 = i128.map((value) => (value > 0n ? value : 1n));
export const u16 = fc.oneof(fc.constantFrom(0, 1, 65_535), fc.nat(65_535));
const count = fc.oneof(fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.nat());
/** 2001 to 2286. */
const timeMs = fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_999 });
const timeSec = timeMs.map((ms) => Math.floor(ms / 1000));
const bps = fc.integer({ min: -10_000, max: 10_000 });

export const side: fc.Arbitrary<Side> = fc.constantFrom("buy", "sell");
export const prices = u64.map(price);
export const sizes = u64.map(size);
const aboveZero = u64.map((value) => (value > 0n ? value : 1n));
/** What something was worth, or was traded at. */
const realPrices = aboveZero.map(price);
const realSizes = aboveZero.map(size);
const marginRatio = fc.integer({ min: 1, max: 10_000 });
const fundingInterval = fc.integer({ min: 1, max: 31_536_000 });
const amounts = i128.map(usdc);
const naturals = i128.map((value) => usdc(value < 0n ? -(value + 1n) : value));
export const accountIds = u64.map(accountId);
export const orderIds = u64.map(orderId);
export const nonces = u64.map(nonce);
export const publicKeys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => hexOf(bytes));
const hashes = publicKeys;
const words = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
/** Text that is UTF-8 of 1 to 64 bytes. */
const names = words.filter((name) => Buffer.byteLength(name) <= 64);

const exit: fc.Arbitrary<AttachedExit | null> = fc.option(fc.record({ triggerPrice: prices }));
const leverage = fc.option(u16);
const marginMode = fc.constantFrom("Cross" as const, "Isolated" as const);
const timeInForce = fc.constantFrom("GTC" as const, "IOC" as const, "FOK" as const);

const placeOrder = fc
  .record({
    type: fc.constant("PlaceOrder" as const),
    accountId: accountIds,
    marketId: u16,
    side,
    orderType: fc.constantFrom("Limit" as const, "Market" as const, "StopLimit" as const, "StopMarket" as const),
    price: prices,
    size: sizes,
    triggerPrice: prices,
    reduceOnly: fc.boolean(),
    postOnly: fc.boolean(),
    timeInForce,
    takeProfit: exit,
    stopLoss: exit,
    maxSlippageBps: fc.option(u16),
    marginMode: fc.option(marginMode),
    leverage,
  })
  .map((order) => ({ ...order, triggerPrice: order.orderType.startsWith("Stop") ? order.triggerPrice : null }));

const modifyOrder = fc
  .record({
    type: fc.constant("ModifyOrder" as const),
    orderId: orderIds,
    newPrice: fc.option(prices),
    newSize: fc.option(sizes),
  })
  .filter(({ newPrice, newSize }) => newPrice !== null || newSize !== null);

/** Every variant of S4.6, with fields over their whole ranges. */
export const transactions: fc.Arbitrary<Transaction> = fc.oneof(
  placeOrder,
  fc.record({ type: fc.constant("CancelOrder" as const), orderId: orderIds }),
  fc.record({ type: fc.constant("CancelAllOrders" as const), marketId: fc.option(u16) }),
  modifyOrder,
  fc.record({
    type: fc.constant("AdjustIsolatedMargin" as const),
    accountId: accountIds,
    marketId: u16,
    delta: amounts,
  }),
  fc.record({
    type: fc.constant("CreateFundedAccount" as const),
    mode: fc.constant("Cross" as const),
    referredBy: fc.option(accountIds),
  }),
  fc.constant({ type: "CreateReferredAccount" as const }),
  fc.record({
    type: fc.constant("ApproveAgent" as const),
    accountId: accountIds,
    agent: publicKeys,
    name: fc.option(names),
    expiresAtSec: fc.option(timeSec),
  }),
  fc.record({ type: fc.constant("RevokeAgent" as const), accountId: accountIds, agent: publicKeys }),
  fc.record({ type: fc.constant("CreateSubaccount" as const), masterAccountId: accountIds }),
  fc.record({
    type: fc.constant("Transfer" as const),
    fromAccountId: accountIds,
    toAccountId: accountIds,
    tokenId: count,
    amount: positiveI128,
  }),
  fc.record({ type: fc.constant("CloseSubaccount" as const), accountId: accountIds }),
  fc.record({
    type: fc.constant("RequestWithdrawal" as const),
    accountId: accountIds,
    tokenId: count,
    amount: positiveI128,
    destination: names,
  }),
  fc.record({ type: fc.constant("CancelWithdrawal" as const), accountId: accountIds, withdrawalId: u64 }),
  fc.record({
    type: fc.constant("CreateVault" as const),
    accountId: accountIds,
    name: names,
    amount: positiveI128,
  }),
  fc.record({
    type: fc.constant("DepositToVault" as const),
    accountId: accountIds,
    vaultAccountId: accountIds,
    amount: positiveI128,
  }),
  fc.record({
    type: fc.constant("WithdrawFromVault" as const),
    accountId: accountIds,
    vaultAccountId: accountIds,
    shares: positiveI128,
  }),
  fc.record({
    type: fc.constantFrom("DelegateStake" as const, "UndelegateStake" as const),
    accountId: accountIds,
    validator: names,
    amount: positiveI128,
  }),
);

const marginTier = fc.record({
  notionalFloor: naturals.filter((floor) => floor > 0n),
  maxLeverage: fc.integer({ min: 1, max: 10_000 }),
  maintenanceMarginRatioBps: marginRatio,
});

/** From zero up, each with the deduction that makes maintenance continuous; a higher floor asks for no less. */
const marginTiers: fc.Arbitrary<readonly MarginTier[]> = fc
  .uniqueArray(marginTier, { minLength: 1, maxLength: 4, selector: (row) => row.notionalFloor })
  .map((rows) => {
    const floors = rows.map(({ notionalFloor }) => notionalFloor).sort((a, b) => (a < b ? -1 : 1));
    const ratios = rows.map((row) => row.maintenanceMarginRatioBps).sort((a, b) => a - b);
    return withDeductions(
      rows.map(({ maxLeverage }, at) => ({
        notionalFloor: at === 0 ? usdc(0n) : (floors[at] ?? usdc(0n)),
        maxLeverage,
        maintenanceMarginRatioBps: ratios[at] ?? 1,
      })),
    );
  });

const anyMarkets: fc.Arbitrary<Market> = fc.record({
  marketId: u16,
  name: words,
  status: fc.constantFrom("Active", "Paused", "Settling", "Settled"),
  markPrice: realPrices,
  bestBid: fc.option(realPrices),
  bestAsk: fc.option(realPrices),
  oraclePrice: aboveZero.map((value) => price(value < 10n ? 10n : value)),
  lastOraclePrice: prices,
  oracleStatus: fc.constantFrom("Active" as const, "Stale" as const, "Halted" as const),
  fundingRate: i128,
  openInterestLong: sizes,
  openInterestShort: sizes,
  maxOpenInterest: sizes,
  initialMarginRatioBps: marginRatio,
  maintenanceMarginRatioBps: marginRatio,
  backstopAccountId: accountIds,
  feeTiersEndpoint: words,
  lastOracleTimestampMs: timeMs,
  oracleValidUntilSec: timeSec,
  tickSize: realPrices,
  lastFundingTimestampSec: timeSec,
  fundingIntervalSecs: fundingInterval,
  assetClass: words,
  priceBandBps: u16,
  interestRateMicroBps: bps,
  depthThresholdLamports: i128,
  marginTiers,
});

/** Ten steps of price at least, and no more maintenance than initial margin. */
export const markets = anyMarkets.map((market): Market => {
  const { tickSize, oraclePrice, initialMarginRatioBps: initial, maintenanceMarginRatioBps: maintenance } = market;
  return {
    ...market,
    tickSize: tickSize * 10n > oraclePrice ? price(1n) : tickSize,
    maintenanceMarginRatioBps: Math.min(initial, maintenance),
  };
});

export const oracles: fc.Arbitrary<Oracle> = fc.record({
  marketId: u16,
  price: realPrices,
  lastUpdateTimestampMs: timeMs,
  lastUpdateDate: fc.integer({ min: 20_000_101, max: 29_991_231 }),
  status: fc.constantFrom("Active" as const, "Stale" as const, "Halted" as const),
  validUntilSec: timeSec,
});

export const oracleHistories = fc.record({
  marketId: u16,
  prices: fc
    .uniqueArray(fc.record({ timeSec, price: realPrices }), { maxLength: 5, selector: (point) => point.timeSec })
    .map((points) => points.sort((a, b) => a.timeSec - b.timeSec)),
});

export const fundings: fc.Arbitrary<Funding> = fc.record({
  marketId: u16,
  fundingRate: i128,
  cumulativeFunding: i128,
  lastFundingTimestampSec: timeSec,
  fundingIntervalSecs: fundingInterval,
  maxFundingRateBps: fc.integer({ min: 0, max: 10_000 }),
});

export const feeTiers: fc.Arbitrary<FeeTier> = fc.record({
  assetClass: words,
  minVolume30d: naturals,
  makerFeeBps: bps,
  takerFeeBps: bps,
});

export const nodes: fc.Arbitrary<NodeStatus> = fc.record({
  protocolVersion: u16,
  binaryVersion: u16,
  buildSha: words,
  blockHeight: count,
  blockTimestampSec: timeSec,
  stateRoot: hashes,
  chainId: words,
});

const level: fc.Arbitrary<Level> = fc.record({
  price: realPrices,
  size: realSizes,
  orderCount: count,
});

const byPrice = (a: Level, b: Level): number => (a.price < b.price ? -1 : 1);

/** Best levels first, no price twice. */
export const books: fc.Arbitrary<Book> = fc.record({
  marketId: u16,
  bids: fc.uniqueArray(level, { selector: (each) => each.price }).map((levels) => levels.sort((a, b) => byPrice(b, a))),
  asks: fc.uniqueArray(level, { selector: (each) => each.price }).map((levels) => levels.sort(byPrice)),
});

const tradeFields = {
  marketId: u16,
  price: realPrices,
  size: realSizes,
  takerSide: side,
  takerOrderId: orderIds,
  makerOrderId: orderIds,
  txHash: hashes,
};

/** The read of a market's trades does not repeat which market it is. */
export const tradesOfMarketSeven: fc.Arbitrary<Trade> = fc.record({
  ...tradeFields,
  marketId: fc.constant(7),
  timestampMs: fc.option(timeMs),
});

export const executions: fc.Arbitrary<Execution & { readonly timestampMs: number }> = fc.record({
  ...tradeFields,
  timestampMs: timeMs,
  takerAccountId: accountIds,
  makerAccountId: accountIds,
  takerFee: amounts,
  makerFee: amounts,
  takerRealizedPnl: amounts,
  makerRealizedPnl: amounts,
});

export const orders: fc.Arbitrary<Order> = fc
  .record({
    orderId: orderIds,
    accountId: accountIds,
    marketId: u16,
    side,
    orderType: fc.constantFrom("Limit" as const, "Market" as const, "StopLimit" as const, "StopMarket" as const),
    price: prices,
    filledSize: sizes,
    remainingSize: sizes,
    triggerPrice: fc.option(prices),
    reduceOnly: fc.boolean(),
    postOnly: fc.boolean(),
    timeInForce,
    status: words,
    takeProfit: exit,
    stopLoss: exit,
    createdAtMs: timeMs,
    updatedAtMs: timeMs,
  })
  .map((order) => ({ ...order, size: size(order.filledSize + order.remainingSize) }));

export const positions: fc.Arbitrary<Position> = fc.record({
  marketId: u16,
  side,
  size: sizes,
  entryPrice: realPrices,
  unrealizedPnl: amounts,
  cumulativeFunding: i128,
  lastOraclePrice: prices,
  openedAtMs: timeMs,
  marginMode,
  leverage: u16,
  isolatedMargin: naturals,
  tierGrandfathered: fc.boolean(),
});

/** At most one a market. */
export const positionsOfAnAccount: fc.Arbitrary<readonly Position[]> = fc.uniqueArray(positions, {
  maxLength: 3,
  selector: ({ marketId }) => marketId,
});

export const ordersOf = (owner: AccountId): fc.Arbitrary<Order> =>
  orders.map((order) => ({ ...order, accountId: owner }));

const agents: fc.Arbitrary<Agent> = fc.record({ pubkey: publicKeys, name: words, expiresAtSec: fc.option(timeSec) });

export const accounts: fc.Arbitrary<Account> = fc
  .record({
    accountId: accountIds,
    owner: publicKeys,
    mode: marginMode,
    collateral: amounts,
    availableCollateral: amounts,
    nativeBalance: i128.map(native),
    positions: positionsOfAnAccount,
    openOrders: fc.array(orders, { maxLength: 3 }),
    unreadable: fc.constant([]),
    createdAtMs: timeMs,
    volume30d: naturals,
    feeTierVolume30d: naturals,
    lifetimeVolume: naturals,
    pendingActivation: fc.boolean(),
    pendingActivationFeeUsdc: fc.option(naturals),
    agents: fc.array(agents, { maxLength: 3 }),
  })
  .map((account) => ({
    ...account,
    openOrders: account.openOrders.map((order) => ({ ...order, accountId: account.accountId })),
  }));

const blockTransactions: fc.Arbitrary<BlockTransaction> = fc.record({
  hash: hashes,
  index: count,
  transactionType: words,
  sender: publicKeys,
  status: words,
  timestampMs: timeMs,
});

export const blocks: fc.Arbitrary<Block> = fc.record({
  height: count,
  hash: hashes,
  parentHash: hashes,
  stateRoot: hashes,
  proposer: words,
  timestampMs: timeMs,
  transactionCount: count,
  transactions: fc.array(blockTransactions, { maxLength: 1 }),
});

const natives = naturals.map((amount) => native(amount));
const masters = fc.option(accountIds);

export const bridgeStates: fc.Arbitrary<BridgeState> = fc
  .record({
    depositsEnabled: fc.boolean(),
    withdrawalsEnabled: fc.boolean(),
    withdrawalWindowSecs: count,
    tokens: fc.array(
      fc.record({
        tokenId: count,
        depositLimit: naturals,
        depositUsed: naturals,
        withdrawalLimit: naturals,
        withdrawalUsed: naturals,
        pendingDeposits: naturals,
        pendingWithdrawals: naturals,
      }),
      { maxLength: 2 },
    ),
    asked: fc.constantFrom(true, false),
    owner: publicKeys,
    unclaimedUsdc: naturals,
  })
  .map(({ asked, owner, unclaimedUsdc, ...state }) => ({
    ...state,
    owner: asked ? owner : null,
    unclaimedUsdc: asked ? unclaimedUsdc : null,
  }));

export const ownerAssets: fc.Arbitrary<OwnerAssets> = fc.record({
  accounts: fc.array(
    fc.record({
      accountId: accountIds,
      masterAccountId: masters,
      isVault: fc.boolean(),
      collateral: amounts,
      availableCollateral: amounts,
      nativeBalance: natives,
      positionCount: count,
      openOrderCount: count,
      balances: fc.array(
        fc.record({
          tokenId: count,
          symbol: words,
          decimals: u16,
          total: i128,
          available: i128,
          collateralEligible: fc.boolean(),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 3 },
  ),
  unallocated: fc.array(fc.record({ tokenId: count, amount: naturals }), { maxLength: 2 }),
  unallocatedNative: natives,
  stakedNative: natives,
  unbondingNative: natives,
});

export const inviteStates: fc.Arbitrary<InviteState> = fc.record({
  accountId: accountIds,
  eligible: fc.boolean(),
  allowance: count,
  consumed: count,
  remaining: count,
  lifetimeVolume: naturals,
  inviteOverride: fc.option(count),
});

export const recipients: fc.Arbitrary<Recipient> = fc.record({
  accountId: accountIds,
  masterAccountId: masters,
  owner: publicKeys,
  isMaster: fc.boolean(),
});

export const transferPages: fc.Arbitrary<TransferPage> = fc.record({
  items: fc.array(
    fc.record({
      blockHeight: count,
      eventIndex: count,
      timestampMs: timeMs,
      txHash: hashes,
      fromAccountId: accountIds,
      toAccountId: accountIds,
      fromOwner: publicKeys,
      toOwner: publicKeys,
      tokenId: count,
      amount: naturals,
      reason: fc.constantFrom("Transfer" as const, "SubaccountClose" as const),
      direction: fc.constantFrom("incoming" as const, "outgoing" as const, "own" as const),
    }),
    { maxLength: 4 },
  ),
  nextCursor: fc.option(words),
});

const place = { height: count, eventIndex: count, timeMs };

/** The time of a fill's row is the execution's. */
export const fillRows: fc.Arbitrary<FillRow> = fc
  .record({
    ...place,
    accountId: accountIds,
    liquidity: fc.constantFrom("maker" as const, "taker" as const),
    execution: executions,
  })
  .map((row) => ({ ...row, execution: { ...row.execution, timestampMs: row.timeMs } }));

export const orderRows: fc.Arbitrary<OrderRow> = fc.record({ ...place, order: orders });

export const fundingRows: fc.Arbitrary<FundingRow> = fc.record({
  ...place,
  payment: fc.record({
    accountId: accountIds,
    marketId: u16,
    inventory: i128.map(size),
    amount: amounts,
    fundingRate: i128,
  }),
});

export const stats: fc.Arbitrary<ExchangeStats> = fc.record({
  totalTrades: u64,
  totalVolume: naturals,
  totalOrders: u64,
  totalLiquidations: u64,
  markets: u16,
  blockHeight: count,
});

export const stakeValidators: fc.Arbitrary<StakeValidator> = fc.record({
  name: words,
  stake: natives,
  commissionBps: u16,
  uptimeBps: u16,
  status: words,
});

export const stakingStates: fc.Arbitrary<StakingState> = fc.record({
  totalStaked: natives,
  activeValidators: u16,
  epoch: count,
  epochEndsAtMs: timeMs,
  unbondingSecs: count,
  apyBps: u16,
});

export const stakingBalances: fc.Arbitrary<StakingBalance> = fc.record({
  pubkey: publicKeys,
  available: natives,
  availableFrom: fc.constantFrom("master" as const, "unallocated" as const),
  staked: natives,
  unbonding: fc.array(fc.record({ amount: natives, releasedAtMs: timeMs }), { maxLength: 2 }),
});

export const delegations: fc.Arbitrary<Delegation> = fc.record({ validator: words, amount: natives });

export const vaults: fc.Arbitrary<Vault> = fc.record({
  vaultAccountId: accountIds,
  name: words,
  leaderAccountId: accountIds,
  totalShares: naturals,
});

export const treasuryConfigs: fc.Arbitrary<TreasuryConfig> = fc.record({
  accountActivationFee: naturals,
  subaccountFirstVolume: naturals,
  subaccountFirstCount: count,
  subaccountStepVolume: naturals,
  subaccountMax: count,
  vaultMax: count,
  openOrderCap: count,
});

export const insuranceFunds: fc.Arbitrary<InsuranceFund> = fc.record({
  balance: amounts,
  shortfall: naturals,
  totalDeposited: naturals,
});

export const tokenRegistries: fc.Arbitrary<TokenRegistry> = fc.record({
  tokens: fc.array(
    fc.record({
      id: count,
      symbol: words,
      name: words,
      decimals: u16,
      representations: fc.array(
        fc.record({ source: words, depositEnabled: fc.boolean(), withdrawalEnabled: fc.boolean() }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 3 },
  ),
  capabilities: fc.record({ genericTransfers: fc.boolean(), atomicSubaccountClosure: fc.boolean() }),
});

export const ownedAccounts: fc.Arbitrary<OwnedAccount> = fc.record({
  accountId: accountIds,
  masterAccountId: masters,
  isVault: fc.boolean(),
  pendingActivation: fc.boolean(),
});

export const openWithdrawals: fc.Arbitrary<OpenWithdrawal> = fc.record({
  withdrawalId: u64,
  tokenId: count,
  amount: naturals,
  destination: words,
  status: fc.constantFrom("Pending" as const, "ReadyToClaim" as const),
  requestedAtMs: timeMs,
  readyAtMs: timeMs,
});

export const requestBudgets: fc.Arbitrary<RequestBudget> = fc.record({
  requestsUsed: fc.option(u64),
  requestsCap: fc.option(u64),
  requestsRemaining: fc.option(u64),
  cancelCap: fc.option(u64),
  congestionQuota: fc.option(u64),
});
