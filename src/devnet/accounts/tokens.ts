// The token registry (S2.8): identity is by number, not by symbol.

import { AMOUNT_SCALE } from "../../domain/units.ts";
import type { TokenRegistry } from "../../wire/rest/exchange.ts";

export const USDC = 0;
export const NATIVE = 1;

/** The bridge knows one source for both. */
const representations = [{ source: "bridge", depositEnabled: true, withdrawalEnabled: true }];

export const tokenRegistry: TokenRegistry = {
  tokens: [
    { id: USDC, symbol: "USDC", name: "USD Coin", decimals: AMOUNT_SCALE, representations },
    { id: NATIVE, symbol: "NATIVE", name: "Native token", decimals: AMOUNT_SCALE, representations },
  ],
  capabilities: { genericTransfers: true, atomicSubaccountClosure: true },
};
