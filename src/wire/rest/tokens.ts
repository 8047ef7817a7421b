// The token registry (S2.8). A token is known by its id, never by its symbol. Where representations and capabilities stand is not
// shown: the devnet lists sources with their token, and what the whole registry can do beside the list.

import type { Json } from "../../kernel/json.ts";

/** An approved source of a token outside the chain. */
export type TokenRepresentation = {
  readonly source: string;
  readonly depositEnabled: boolean;
  readonly withdrawalEnabled: boolean;
};

export type Token = {
  readonly id: number;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly representations: readonly TokenRepresentation[];
};

export type TokenRegistry = {
  readonly tokens: readonly Token[];
  /** To be checked before Transfer and CloseSubaccount are used (S2.8). */
  readonly capabilities: { readonly genericTransfers: boolean; readonly atomicSubaccountClosure: boolean };
};

export function encodeTokenRegistry(registry: TokenRegistry): Json {
  return {
    tokens: registry.tokens.map((token) => ({
      id: token.id,
      symbol: token.symbol,
      name: token.name,
      decimals: token.decimals,
      representations: token.representations.map((representation) => ({ ...representation })),
    })),
    capabilities: { ...registry.capabilities },
  };
}
