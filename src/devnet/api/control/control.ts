// The control listener: how the operator of a devnet changes it. Loopback only, on its own port, and never part of the exchange's API.

import { usdc } from "../../../domain/units.ts";
import { macrotask } from "../../../kernel/clock.ts";
import { NATIVE, USDC } from "../../accounts/tokens.ts";
import type { Chain } from "../../chain/chain.ts";
import { accountIdIn, marketIdIn, u64In } from "../http/path-values.ts";
import {
  badRequest,
  json,
  malformedAccount,
  malformedMarket,
  type Reply,
  receiptReply,
  refusal,
} from "../http/reply.ts";
import { get, patch, post, type Request, type Route } from "../http/router.ts";
import { amount, controlFields, keyHex, priceUsd } from "./control-body.ts";
import { count, has, nullable, oneOf, text } from "./fields.ts";

const MARKET_STATUSES = ["Active", "Paused", "Settling", "Settled"] as const;
const ORACLE_STATUSES = ["Active", "Stale", "Halted"] as const;
/** Longest name of an agent in bytes (NS-30). */
const NAME_BYTES_MAX = 64;
/** Largest value in Unix seconds; a larger one was given in milliseconds. */
const SECONDS_MAX = 99_999_999_999;
/**
 * Turns of the event loop, some microseconds each; one turn reads the bytes that open connections received and accepts one new connection.
 */
const TURNS_BEFORE_BLOCK = 256;
/** Latest time that a Date can hold, Unix ms. */
const TIME_MS_MAX = 8_640_000_000_000_000;

/** Routes over the chain. `clockMode` says whether POST /clock may move it. */
export function controlRoutes(chain: Chain, clockMode: "real" | "manual"): readonly Route[] {
  return [
    patch("/markets/{id}", (request) => patchMarket(chain, request)),
    patch("/oracle/{id}", (request) => patchOracle(chain, request)),
    post("/accounts/{id}/deposit", (request) => deposit(chain, request)),
    post("/accounts/{id}/agents", (request) => approveAgent(chain, request)),
    post("/accounts", ({ body }) => {
      const fields = controlFields(body, ["owner"]);
      return receiptReply(chain.control.signUp(keyHex(fields, "owner")));
    }),
    post("/bridge/deposits", ({ body }) => bridgeDeposit(chain, body)),
    post("/bridge/withdrawals/{id}/claim", (request) => claimWithdrawal(chain, request)),
    post("/clock", ({ body }) => advanceClock(chain, clockMode, body)),
    get("/state", () => {
      const { height, stateRoot } = chain.head();
      return json({ height, stateRoot });
    }),
  ];
}

function patchMarket(chain: Chain, { params, body }: Request): Reply {
  const market = marketIdIn(params.id);
  if (market === undefined) return malformedMarket;
  const fields = controlFields(body, ["status"]);
  return receiptReply(chain.control.setMarketStatus(market, oneOf(fields, "status", MARKET_STATUSES)));
}

/** A price publishes a print, which renews the expiry; status and expiry, if given, then override it. */
function patchOracle(chain: Chain, { params, body }: Request): Reply {
  const market = marketIdIn(params.id);
  if (market === undefined) return malformedMarket;
  const fields = controlFields(body, ["price", "status", "validUntil"]);
  const printed = nullable(fields, "price", priceUsd);
  const status = nullable(fields, "status", (from, key) => oneOf(from, key, ORACLE_STATUSES));
  const validUntilSec = nullable(fields, "validUntil", count);
  if (validUntilSec !== null && validUntilSec > SECONDS_MAX) return notSeconds("validUntil");
  const change = { ...(status !== null && { status }), ...(validUntilSec !== null && { validUntilSec }) };
  const forced = Object.keys(change).length > 0;
  if (printed === null && !forced) return badRequest("NOTHING_ASKED", "name a price, a status or a validUntil");
  const receipt = printed === null ? undefined : chain.control.publishPrint(market, printed);
  if (receipt !== undefined && (receipt.status === "failed" || !forced)) return receiptReply(receipt);
  return receiptReply(chain.control.setOracle(market, change));
}

function deposit(chain: Chain, { params, body }: Request): Reply {
  const account = accountIdIn(params.id);
  if (account === undefined) return malformedAccount;
  const fields = controlFields(body, ["usdc"]);
  return receiptReply(chain.control.deposit(account, usdc(amount(fields, "usdc"))));
}

function bridgeDeposit(chain: Chain, body: Uint8Array): Reply {
  const fields = controlFields(body, ["owner", "usdc", "native"]);
  if (has(fields, "usdc") === has(fields, "native")) {
    return badRequest("ONE_TOKEN", "a deposit is of one token: name usdc or native, not both");
  }
  const [tokenId, key] = has(fields, "usdc") ? ([USDC, "usdc"] as const) : ([NATIVE, "native"] as const);
  return receiptReply(chain.control.bridgeDeposit(keyHex(fields, "owner"), amount(fields, key), tokenId));
}

function claimWithdrawal(chain: Chain, { params }: Request): Reply {
  const id = u64In(params.id);
  if (id === undefined) return malformedWithdrawal;
  return receiptReply(chain.control.claimWithdrawal(id));
}

function approveAgent(chain: Chain, { params, body }: Request): Reply {
  const account = accountIdIn(params.id);
  if (account === undefined) return malformedAccount;
  const fields = controlFields(body, ["pubkey", "name", "expiresAt"]);
  const expiresAtSec = nullable(fields, "expiresAt", count);
  if (expiresAtSec !== null && expiresAtSec > SECONDS_MAX) return notSeconds("expiresAt");
  const name = nullable(fields, "name", (from, key) => text(from, key, NAME_BYTES_MAX)) ?? "agent";
  return receiptReply(chain.control.approveAgent(account, { pubkey: keyHex(fields, "pubkey"), name, expiresAtSec }));
}

async function advanceClock(chain: Chain, clockMode: "real" | "manual", body: Uint8Array): Promise<Reply> {
  const fields = controlFields(body, ["advanceMs"]);
  const advanceMs = count(fields, "advanceMs");
  if (clockMode === "real")
    return refusal(409, "CLOCK_NOT_MANUAL", "the clock of this devnet is real, it cannot be moved");
  // The block must include every body that was fully received before this request, even if its socket is read later.
  for (let turn = 0; turn < TURNS_BEFORE_BLOCK; turn += 1) await macrotask();
  if (chain.head().timeMs + advanceMs > TIME_MS_MAX) {
    return badRequest("TIME_TOO_FAR", `chain time ends at ${TIME_MS_MAX} ms`);
  }
  const { height, stateRoot, timeMs } = await chain.advance(advanceMs);
  return json({ height, stateRoot, timeMs });
}

const malformedWithdrawal = badRequest("MALFORMED_WITHDRAWAL_ID", "a withdrawal id is a whole number");
const notSeconds = (field: string): Reply => badRequest("NOT_SECONDS", `${field} is in Unix seconds, not milliseconds`);
