// An operator's requests to a running daemon: halt, reduce only, or resume, for one account or market or for all. Only a halt needs no
// reason. Requests are read strictly: a misspelled key must not widen a resume to everything.

import { type Latch, type Liftable, liftables } from "../../../domain/latch.ts";
import { type AccountId, accountId, type MarketId } from "../../../domain/units.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Driver } from "../../live/driver.ts";
import { type Latches, operatorLatch, sameLatch } from "../../risk/latches.ts";

export const operatorVerbs = ["halt", "reduce", "resume"] as const;
export type OperatorVerb = (typeof operatorVerbs)[number];

export type OperatorRequest = {
  /** The operator's words. */
  readonly reason: string;
  /** The intended exchange; null: whatever the daemon trades on. */
  readonly chainId: string | null;
  /** Null: every account. */
  readonly accountId: AccountId | null;
  /** Null: the whole account. A resume then lifts the latches of its markets too. */
  readonly marketId: MarketId | null;
  /** For a resume: the one kind to lift; null: every kind. */
  readonly latch: Liftable | null;
};

/**
 * Why a request is not carried out; nothing has changed then. `elsewhere`: this daemon does not have the named thing. `closed`: it is over,
 * or not the caller's to decide. `busy`: too many requests.
 */
export type OperatorRefusal = { readonly kind: "malformed" | "elsewhere" | "closed" | "busy"; readonly why: string };

const REASON_LENGTH_MAX = 200;
/** The recorded reason of a halt where the operator gives none. */
export const NO_REASON = "no reason given";
const keys = ["reason", "chainId", "account", "market", "latch"] as const;

/** Reads a request as JSON, `{"reason":"why"}` and an optional scope; a halt may leave the reason out. */
export function readRequest(body: string, verb: OperatorVerb): OperatorRequest | OperatorRefusal {
  const fields = fieldsOf(body);
  if (fields === undefined) return malformed('the body must be {"reason":"why"}');
  const unknown = Object.keys(fields).find((key) => !keys.some((known) => known === key));
  if (unknown !== undefined) return malformed(`unknown key ${unknown.slice(0, 40)}; allowed: ${keys.join(", ")}`);
  const {
    reason = verb === "halt" ? NO_REASON : undefined,
    chainId = null,
    account = null,
    market = null,
    latch = null,
  } = fields;
  if (typeof reason !== "string" || reason.trim() === "") return malformed('the body must be {"reason":"why"}');
  if (chainId !== null && typeof chainId !== "string") return malformed("chainId must be a text");
  if (account !== null && !isAccountNumber(account)) return malformed("account must be an account id, as text");
  if (market !== null && !isMarketNumber(market)) return malformed("market must be a market id");
  if (latch !== null && !isLiftable(latch)) return malformed(`latch must be one of ${liftables.join(", ")}`);
  if (latch !== null && verb !== "resume") return malformed("latch is for resume alone");
  return {
    reason: reason.slice(0, REASON_LENGTH_MAX),
    chainId,
    accountId: account === null ? null : accountId(BigInt(account)),
    marketId: market,
    latch,
  };
}

/** The operator's latch that held before a halt or reduce; its reason stays. `sinceMs`: wall clock; null: the ledger does not know. */
export type HeldAlready = { readonly latch: Latch; readonly sinceMs: number | null };

/** `lifted`: the latches that a resume lifted. `isWritten` false: the disk refuses it, and a restart may forget it. */
export type Operated = {
  readonly desk: AccountDesk;
  readonly lifted: Latches;
  readonly heldAlready: HeldAlready | null;
  readonly isWritten: boolean;
};

/** Carries the request out on the desks that it names, and returns the result for each. */
export function operate(
  verb: OperatorVerb,
  request: OperatorRequest,
  daemon: {
    readonly chainId: string;
    readonly desks: ReadonlyMap<AccountId, AccountDesk>;
    readonly driver: Pick<Driver, "feed" | "lift">;
    readonly ledger: Pick<Ledger, "health">;
    /** Since when a latch has held, by the ledger. */
    readonly heldSinceMs: (latch: Latch) => number | null;
  },
): readonly Operated[] | OperatorRefusal {
  const { reason, chainId, accountId: account, marketId } = request;
  if (chainId !== null && chainId !== daemon.chainId) return elsewhere(`this daemon trades on ${daemon.chainId}`);
  const named = [...daemon.desks.values()].filter((desk) => account === null || desk.accountId === account);
  if (named.length === 0) return elsewhere(`account ${account} is not one of this daemon's`);
  const desks = named.filter((desk) => marketId === null || knowsMarket(desk, marketId));
  if (desks.length === 0) return malformed(`market ${marketId} is not quoted here`);
  return desks.map((desk) => {
    const { accountId } = desk;
    if (verb === "resume") {
      const lifted = daemon.driver.lift({ accountId, marketId, latch: request.latch, reason });
      return { desk, lifted, heldAlready: null, isWritten: daemon.ledger.health().ok };
    }
    const latch = operatorLatch(verb, accountId, marketId, reason);
    const held = sameLatch(desk.latches, latch);
    daemon.driver.feed({ kind: "trip", latch });
    const heldAlready = held === undefined ? null : { latch: held, sinceMs: daemon.heldSinceMs(held) };
    return { desk, lifted: [], heldAlready, isWritten: daemon.ledger.health().ok };
  });
}

/** Quoted, or still held by a latch from that time. */
const knowsMarket = (desk: AccountDesk, marketId: MarketId): boolean =>
  desk.markets.has(marketId) || desk.latches.some((latch) => latch.marketId === marketId);

const isLiftable = (value: unknown): value is Liftable => liftables.some((kind) => kind === value);

export const isMarketNumber = (value: unknown): value is MarketId =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65_535;

/** Text, since a JSON number does not hold every id; a small number is accepted too. */
export const isAccountNumber = (value: unknown): value is string | number =>
  /^\d{1,20}$/.test(typeof value === "string" || Number.isSafeInteger(value) ? `${value}` : "") &&
  BigInt(value as string) < 1n << 64n;

export function fieldsOf(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export const malformed = (why: string): OperatorRefusal => ({ kind: "malformed", why });
const elsewhere = (why: string): OperatorRefusal => ({ kind: "elsewhere", why });
