// The token registry (S2.8): tokens are identified by number, not by symbol.

import { AMOUNT_SCALE } from "../../domain/units.ts";
import type { TokenRegistry } from "../../wire/rest/exchange.ts";
import type { BridgeConfig } from "../config/config.ts";

export const USDC = 0;
export const NATIVE = 1;

export const TOKENS = [
  { id: USDC, symbol: "USDC", name: "USD Coin", decimals: AMOUNT_SCALE },
  { id: NATIVE, symbol: "NATIVE", name: "Native token", decimals: AMOUNT_SCALE },
] as const;

/** Both tokens come only from the bridge. */
export function tokenRegistry({ deposits, withdrawals }: BridgeConfig): TokenRegistry {
  const bridge = { source: "bridge", depositEnabled: deposits.enabled, withdrawalEnabled: withdrawals.enabled };
  return {
    tokens: TOKENS.map((token) => ({ ...token, representations: [bridge] })),
    capabilities: { genericTransfers: true, atomicSubaccountClosure: true },
  };
}
