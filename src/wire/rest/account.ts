// An account (S2.6) with its positions, open orders and agent keys.

import type { Account, Agent, Position } from "../../domain/account.ts";
import { marginModes } from "../../domain/order.ts";
import { accountId, native, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { type Fields, objectOf } from "../strict.ts";
import {
  bool,
  count,
  found,
  id,
  list,
  maybe,
  type Names,
  natural,
  oneOf,
  publicKey,
  text,
  whole,
} from "../tolerant.ts";
import { encodeOrder, readOrder } from "./order.ts";
import { encodePosition, readPosition } from "./position.ts";

/** `agents` and the activation fee are left out where there are none, as the interface says. */
export function encodeAccount(account: Account): Json {
  return {
    accountId: account.accountId,
    owner: account.owner,
    mode: account.mode,
    collateral: String(account.collateral),
    availableCollateral: String(account.availableCollateral),
    nativeBalance: String(account.nativeBalance),
    positions: account.positions.map(encodePosition),
    openOrders: account.openOrders.map(encodeOrder),
    createdAt: account.createdAtMs,
    volume30d: account.volume30d,
    feeTierVolume30d: account.feeTierVolume30d,
    lifetimeVolume: account.lifetimeVolume,
    pendingActivation: account.pendingActivation,
    ...(account.pendingActivationFeeUsdc === null
      ? {}
      : { pendingActivationFeeUsdc: String(account.pendingActivationFeeUsdc) }),
    ...(account.agents.length === 0 ? {} : { agents: account.agents.map(encodeAgent) }),
  };
}

/** Keys of agents carry 0x here, unlike the owner's. */
const encodeAgent = (agent: Agent): Json => ({
  pubkey: `0x${agent.pubkey}`,
  name: agent.name,
  expiresAt: agent.expiresAtSec,
});

/** Throws WireError. */
export function decodeAccount(json: unknown): Account {
  const fields = objectOf(json, "");
  const own = accountId(id(fields, "accountId"));
  return {
    accountId: own,
    owner: publicKey(fields, "owner"),
    mode: oneOf(fields, "mode", marginModes),
    collateral: usdc(whole(fields, "collateral")),
    availableCollateral: usdc(whole(fields, "availableCollateral")),
    nativeBalance: native(whole(fields, "nativeBalance")),
    positions: readPositions(fields, "positions"),
    openOrders: list(fields, "openOrders", (item) => readOrder(item, own)),
    createdAtMs: count(fields, "createdAt"),
    volume30d: usdc(natural(fields, "volume30d")),
    feeTierVolume30d: usdc(natural(fields, "feeTierVolume30d")),
    lifetimeVolume: usdc(natural(fields, "lifetimeVolume")),
    pendingActivation: bool(fields, "pendingActivation"),
    pendingActivationFeeUsdc: maybe(fields, "pendingActivationFeeUsdc", readUsdc),
    agents: found(fields, "agents") === undefined ? [] : list(fields, "agents", readAgent),
  };
}

/** One a market: of two nobody could say which is the position. */
function readPositions(fields: Fields, name: string): readonly Position[] {
  const positions = list(fields, name, readPosition);
  if (new Set(positions.map(({ marketId }) => marketId)).size < positions.length)
    throw new WireError("field_conflict", name, "must name each market once");
  return positions;
}

/** Seconds of the last day that a calendar has: a key that ends later never ends. */
const EXPIRY_SEC_MAX = 8_640_000_000_000n;

function readExpiry(fields: Fields, names: Names): number | null {
  const seconds = natural(fields, names);
  return seconds > EXPIRY_SEC_MAX ? null : Number(seconds);
}

function readAgent(item: unknown): Agent {
  const fields = objectOf(item, "");
  return {
    pubkey: publicKey(fields, "pubkey"),
    name: maybe(fields, "name", text) ?? "",
    expiresAtSec: maybe(fields, ["expiresAt", "expires_at"], readExpiry),
  };
}

const readUsdc = (fields: Fields, names: Names) => usdc(natural(fields, names));
