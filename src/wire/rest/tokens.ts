// The token registry (S2.8). A token is known by its id, never by its symbol. Where representations and capabilities stand is not
// shown: the devnet lists sources with their token, and what the whole registry can do beside the list.

import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { bool, found, integer, list, maybe, text } from "../tolerant.ts";

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
