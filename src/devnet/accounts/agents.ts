// Agent keys of an account (S3, S5): approved and revoked by its owner, re-approved in place, listed until revoked.

import type { Agent } from "../../domain/account.ts";
import type { Receipt } from "../event.ts";
import { changed, done, refused } from "./receipt.ts";
import { type AccountRow, isOwnerKey, type Registry } from "./registry.ts";

/** Limits what one owner can add to every read of the account. */
const AGENT_COUNT_MAX = 64;
/** Our choice: the interface gives no maximum length (NS-30). */
const NAME_BYTES_MAX = 64;
/** A larger value is milliseconds, which S4.6 does not allow; as seconds it would be after the year 5138. */
const SECONDS_MAX = 100_000_000_000;

/** Approves a key on an open account; updates its name and expiry if it is already listed. */
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

/** Removes a key from the account. Positions and resting orders stay. */
export function revokeAgent(registry: Registry, row: AccountRow, pubkey: string): Receipt {
  if (!row.agents.some((each) => each.pubkey === pubkey)) {
    return refused("UnknownAgent", `agent ${pubkey} is not approved on account ${row.accountId}`);
  }
  registry.put({ ...row, agents: row.agents.filter((each) => each.pubkey !== pubkey) });
  return done(changed("AgentRevoked", row.accountId, { agent: pubkey }));
}

/** S5: an agent is active strictly before its expiry, in block time. */
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
