// Markets and exchange (S4.1): public reads of the validator.

import type { VenueReads } from "../../../src/bot/venue/port.ts";
import type { Get } from "../../../src/bot/venue/remote/reads.ts";
import { createReads } from "../../../src/bot/venue/remote/reads.ts";
import type { OracleHistory } from "../../../src/domain/market.ts";
import type { MarketId, Usdc } from "../../../src/domain/units.ts";
import type {
  BridgeOwner,
  BridgeState,
  InsuranceFund,
  TokenRegistry,
  TreasuryConfig,
} from "../../../src/wire/rest/exchange.ts";
import {
  decodeActivationFee,
  decodeBridgeOwner,
  decodeBridgeState,
  decodeInsuranceFund,
  decodeOracleHistory,
  decodeTokenRegistry,
  decodeTreasuryConfig,
} from "./decode/exchange.ts";

/** Each throws VenueError when the read failed, was refused or did not parse; so do all reads of the client. */
export type ExchangeReads = Omit<VenueReads, "account" | "rateLimit"> & {
  readonly oracleHistory: (market: MarketId) => Promise<OracleHistory>;
  /** All settings, under the devnet's names where the interface shows none. */
  readonly treasury: () => Promise<TreasuryConfig>;
  /** The one setting whose name the interface shows. */
  readonly activationFee: () => Promise<Usdc>;
  readonly insuranceFund: () => Promise<InsuranceFund>;
  readonly tokens: () => Promise<TokenRegistry>;
  readonly bridge: () => Promise<BridgeState>;
  /** What the bridge holds for a key that may not have an account yet. */
  readonly unclaimed: (owner: string) => Promise<BridgeOwner>;
};

export function createExchangeReads(get: Get): ExchangeReads {
  const { json } = get;
  const { account: _account, rateLimit: _rateLimit, ...shared } = createReads(get);
  return {
    ...shared,
    oracleHistory: (market) => json(`/v1/oracle/${market}/history`, decodeOracleHistory),
    treasury: () => json("/v1/treasury-config", decodeTreasuryConfig),
    activationFee: () => json("/v1/treasury-config", decodeActivationFee),
    insuranceFund: () => json("/v1/insurance-fund", decodeInsuranceFund),
    tokens: () => json("/v1/tokens", decodeTokenRegistry),
    bridge: () => json("/v1/bridge/state", decodeBridgeState),
    unclaimed: (owner) => json(`/v1/bridge/state?owner=${encodeURIComponent(owner)}`, decodeBridgeOwner),
  };
}
