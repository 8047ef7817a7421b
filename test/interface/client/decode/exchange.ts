// Reads what the exchange says of itself: bridge, insurance fund, treasury, tokens, totals, oracle history, markets.

import type { OracleHistory } from "../../../../src/domain/market.ts";
import { price, type Usdc, usdc } from "../../../../src/domain/units.ts";
import type {
  BridgeOwner,
  BridgeState,
  BridgeToken,
  ExchangeStats,
  InsuranceFund,
  Token,
  TokenRegistry,
  TokenRepresentation,
  TreasuryConfig,
} from "../../../../src/wire/rest/exchange.ts";
import { type Fields, objectOf } from "../../../../src/wire/strict.ts";
import {
  bool,
  found,
  integer,
  list,
  maybe,
  type Names,
  natural,
  publicKey,
  text,
  whole,
} from "../../../../src/wire/tolerant.ts";

/** What is not told is not available. Throws WireError. */
export function decodeBridgeState(json: unknown): BridgeState {
  const fields = objectOf(json, "");
  return {
    depositsEnabled: maybe(fields, "deposits_enabled", bool) ?? false,
    withdrawalsEnabled: maybe(fields, "withdrawals_enabled", bool) ?? false,
    withdrawalWindowSecs: maybe(fields, "withdrawal_window_secs", integer) ?? WITHDRAWAL_WINDOW_SECS,
    tokens: maybe(fields, "tokens", (of, names) => list(of, names, readBridgeToken)) ?? [],
    owner: maybe(fields, "owner", publicKey) === null ? null : decodeBridgeOwner(fields),
  };
}

/** S8. */
const WITHDRAWAL_WINDOW_SECS = 86_400;

/** The part that CreateFundedAccount's flow waits for, which is documented. Throws WireError. */
export function decodeBridgeOwner(json: unknown): BridgeOwner {
  const fields = objectOf(json, "");
  return { owner: publicKey(fields, "owner"), unclaimedUsdc: usdc(natural(fields, "unclaimed_usdc")) };
}

function readBridgeToken(item: unknown): BridgeToken {
  const fields = objectOf(item, "");
  return {
    tokenId: integer(fields, ["token_id", "tokenId"]),
    depositLimit: natural(fields, "deposit_limit"),
    depositUsed: natural(fields, "deposit_used"),
    withdrawalLimit: natural(fields, "withdrawal_limit"),
    withdrawalUsed: natural(fields, "withdrawal_used"),
    pendingDeposits: orZero(fields, "pending_deposits"),
    pendingWithdrawals: orZero(fields, "pending_withdrawals"),
  };
}

const orZero = (fields: Fields, names: Names): bigint => maybe(fields, names, natural) ?? 0n;

/** Throws WireError. */
export function decodeInsuranceFund(json: unknown): InsuranceFund {
  const fields = objectOf(json, "");
  return {
    balance: usdc(whole(fields, "balance")),
    shortfall: maybe(fields, "shortfall", (of, names) => usdc(natural(of, names))) ?? usdc(0n),
    totalDeposited: usdc(natural(fields, ["totalDeposited", "total_deposited"])),
  };
}

/** All settings under the devnet's names. Throws WireError. */
export function decodeTreasuryConfig(json: unknown): TreasuryConfig {
  const fields = objectOf(json, "");
  return {
    accountActivationFee: usdc(natural(fields, "account_activation_fee_usdc")),
    subaccountFirstVolume: usdc(natural(fields, "subaccount_first_volume_usdc")),
    subaccountFirstCount: integer(fields, "subaccount_first_count"),
    subaccountStepVolume: usdc(natural(fields, "subaccount_step_volume_usdc")),
    subaccountMax: integer(fields, "subaccount_max"),
    vaultMax: integer(fields, "vault_max"),
    openOrderCap: integer(fields, "open_order_cap"),
  };
}

/** The one field that the interface names. Throws WireError. */
export const decodeActivationFee = (json: unknown): Usdc =>
  usdc(natural(objectOf(json, ""), "account_activation_fee_usdc"));

/** A capability that is not told is not there. Throws WireError. */
export function decodeTokenRegistry(json: unknown): TokenRegistry {
  const fields = objectOf(json, "");
  const capabilities = objectOf(found(fields, "capabilities") ?? {}, "capabilities");
  return {
    tokens: list(fields, "tokens", readToken),
    capabilities: {
      genericTransfers: maybe(capabilities, "genericTransfers", bool) ?? false,
      atomicSubaccountClosure: maybe(capabilities, "atomicSubaccountClosure", bool) ?? false,
    },
  };
}

function readToken(item: unknown): Token {
  const fields = objectOf(item, "");
  return {
    id: integer(fields, "id"),
    symbol: text(fields, "symbol"),
    name: text(fields, "name"),
    decimals: integer(fields, "decimals"),
    representations: maybe(fields, "representations", (of, names) => list(of, names, readRepresentation)) ?? [],
  };
}

function readRepresentation(item: unknown): TokenRepresentation {
  const fields = objectOf(item, "");
  return {
    source: text(fields, "source"),
    depositEnabled: bool(fields, ["depositEnabled", "deposit"]),
    withdrawalEnabled: bool(fields, ["withdrawalEnabled", "withdrawal"]),
  };
}

/** What is not told is null. Throws WireError where a known name holds no number. */
export function decodeStats(json: unknown): { readonly [K in keyof ExchangeStats]: ExchangeStats[K] | null } {
  const fields = objectOf(json, "");
  return {
    totalTrades: maybe(fields, "totalTrades", natural),
    totalVolume: maybe(fields, "totalVolume", (of, names) => usdc(natural(of, names))),
    totalOrders: maybe(fields, "totalOrders", natural),
    totalLiquidations: maybe(fields, "totalLiquidations", natural),
    markets: maybe(fields, "markets", integer),
    blockHeight: maybe(fields, "blockHeight", integer),
  };
}

/** Throws WireError. */
export function decodeOracleHistory(json: unknown): OracleHistory {
  const fields = objectOf(json, "");
  return { marketId: integer(fields, "marketId"), prices: list(fields, "prices", readPoint) };
}

function readPoint(item: unknown): OracleHistory["prices"][number] {
  const fields = objectOf(item, "");
  return { timeSec: integer(fields, "time"), price: price(natural(fields, "price")) };
}
