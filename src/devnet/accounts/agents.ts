// Agent keys of an account (S3, S5): approved and revoked by its owner, re-approved in place, listed until revoked.

import type { Agent } from "../../domain/account.ts";
import type { Receipt } from "../event.ts";
import { changed, done, refused } from "./receipt.ts";
import { type AccountRow, isOwnerKey, type Registry } from "./registry.ts";

/** A bound on what one owner can make every read of the account carry. */
const AGENT_COUNT_MAX = 64;
/** NS-30: the interface gives no length. */
const NAME_BYTES_MAX = 64;
/** Seconds are below this until the year 5138; milliseconds are above it (S4.6: milliseconds invalid). */
const SECONDS_MAX = 100_000_000_000;

/** Approves a key on an open account, or updates its name and expiry where it is listed already. */
export function approveAgent(registry: Registry, row: AccountRow, agent: Agent): Receipt {
  const refusal = refusalOf(row, agent);
  if (refusal !== null) return refusal;
  const known = row.agents.some((each) => each.pubkey === agent.pubkey);
  const agents = known
    ? row.agents.map((each) => (each.pubkey === agent.pubkey ? agent : each))
    : [...row.agents, agent];
  registry.put({ ...row, agents });
  const expiry: Record<string, string> = agent.expiresAtSec === null ? {} : { expires_at: `${agent.expiresAtSec}` };
  return done(changed("AgentApproved", row.accountId, { agent: agent.pubkey, name: agent.name, ...expiry }));
}

/** Takes a key off the account. Positions and resting orders stay as they are. */
export function revokeAgent(registry: Registry, row: AccountRow, pubkey: string): Receipt {
  if (!row.agents.some((each) => each.pubkey === pubkey)) {
    return refused("UnknownAgent", `agent ${pubkey} is not approved on account ${row.accountId}`);
  }
  registry.put({ ...row, agents: row.agents.filter((each) => each.pubkey !== pubkey) });
  return done(changed("AgentRevoked", row.accountId, { agent: pubkey }));
}

/** S5: active strictly before its expiry, by block time. */
export const isActive = (agent: Agent, blockMs: number): boolean =>
  agent.expiresAtSec === null || blockMs < agent.expiresAtSec * 1000;

function refusalOf(row: AccountRow, agent: Agent): Receipt | null {
  const { name, expiresAtSec } = agent;
  if (!isOwnerKey(agent.pubkey)) return refused("InvalidAgentKey", "an agent's key is 32 bytes in lowercase hex");
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) {
    return refused("InvalidAgentName", `an agent's name has at most ${NAME_BYTES_MAX} bytes`);
  }
  if (
    expiresAtSec !== null &&
    !(Number.isSafeInteger(expiresAtSec) && expiresAtSec >= 0 && expiresAtSec < SECONDS_MAX)
  ) {
    return refused("InvalidExpiry", `expires_at ${expiresAtSec} is not in whole Unix seconds`);
  }
  const listed = row.agents.some((each) => each.pubkey === agent.pubkey);
  if (!listed && row.agents.length >= AGENT_COUNT_MAX) {
    return refused("AgentLimit", `account ${row.accountId} has ${AGENT_COUNT_MAX} agents, the most there can be`);
  }
  return null;
}
