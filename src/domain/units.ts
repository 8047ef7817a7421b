// Money and identity, typed by unit. Prices, sizes and amounts are integers in the exchange's scales (S1), so a float can never be used as
// an amount.

declare const unit: unique symbol;

/**
 * USD per contract, 8 decimals (PRICE_EXPO = -8). A bigint: `usdOf` converts it to a number for calculations, `priceFromUsd` converts back.
 */
export type Price = bigint & { readonly [unit]: "price" };
/**
 * Contracts, 6 decimals (SIZE_EXPO = -6). Signed if a name says so. A bigint: `scaled(size, 1.5)` multiplies, `contractsOf` gives a number.
 */
export type Size = bigint & { readonly [unit]: "size" };
/** USDC base units, 6 decimals. Signed: profit is positive, cost negative, unless a name says otherwise. */
export type Usdc = bigint & { readonly [unit]: "usdc" };
/** NATIVE base units, 6 decimals. Never collateral. */
export type Native = bigint & { readonly [unit]: "native" };
/** u64 account number. */
export type AccountId = bigint & { readonly [unit]: "accountId" };
/** u64 order number. */
export type OrderId = bigint & { readonly [unit]: "orderId" };
/** u64, normally Unix milliseconds; one allocator per key. */
export type Nonce = bigint & { readonly [unit]: "nonce" };
/** u16 market number. */
export type MarketId = number;

export const PRICE_SCALE = 8;
export const SIZE_SCALE = 6;
export const AMOUNT_SCALE = 6;
/** Price units times size units per base unit of USDC. */
export const NOTIONAL_DIVISOR = 10n ** BigInt(PRICE_SCALE + SIZE_SCALE - AMOUNT_SCALE);
/** Basis points in 1. */
export const BPS = 10_000n;

export const price = (raw: bigint): Price => raw as Price;
export const size = (raw: bigint): Size => raw as Size;
export const usdc = (raw: bigint): Usdc => raw as Usdc;
export const native = (raw: bigint): Native => raw as Native;
export const accountId = (raw: bigint): AccountId => raw as AccountId;
export const orderId = (raw: bigint): OrderId => raw as OrderId;
export const nonce = (raw: bigint): Nonce => raw as Nonce;

/** Orders buy or sell; only `wire/` uses Long and Short. */
export const sides = ["buy", "sell"] as const;
export type Side = (typeof sides)[number];

export const opposite = (side: Side): Side => (side === "buy" ? "sell" : "buy");
/** +1 when we buy, -1 when we sell. */
export const signOf = (side: Side): 1n | -1n => (side === "buy" ? 1n : -1n);
