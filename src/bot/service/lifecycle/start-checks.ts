// What must be true before anything is sent: the exchange is the one that was meant, and the key may trade the account.

import type { Account, NodeStatus } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/units.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { VenueReads } from "../../venue/port.ts";
import { StartError } from "./start-error.ts";

/** An exchange may be starting too; one that has not answered by then does not answer. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 250;

/** Throws StartError: `configuration` when the chain id is another one, `failed` when nothing answers. */
export async function checkChain(chainId: string, reads: VenueReads, clock: Clock): Promise<NodeStatus> {
  const node = await patiently("the exchange", () => reads.node(), clock);
  if (node.chainId !== chainId) {
    throw new StartError(
      "configuration",
      `the exchange is ${node.chainId}, the configuration says ${chainId}; nothing was sent`,
      { facts: { chainId: node.chainId } },
    );
  }
  return node;
}

/**
 * Throws StartError when the account is not there, does not list the key, or lists it as expired by the chain's time. An approval on the
 * account's master lets a key trade it too (S5), but not well enough: CancelAllOrders, which fences and stops, names no account (S4.6) and
 * would act where the key is approved.
 */
export async function checkAgent(
  account: { readonly accountId: AccountId; readonly publicKey: string },
  nowSec: number,
  reads: VenueReads,
  clock: Clock,
): Promise<Account> {
  const { accountId, publicKey } = account;
  const found = await patiently(`account ${accountId}`, () => reads.account(accountId), clock);
  const agent = found.agents.find(({ pubkey }) => pubkey === publicKey);
  const fix = "have the account's owner approve it; nothing was sent";
  if (agent === undefined) {
    throw new StartError(
      "failed",
      `agent key ${publicKey} is not approved on account ${accountId} itself (one on its master does not do); ${fix}`,
    );
  }
  if (agent.expiresAtSec !== null && agent.expiresAtSec <= nowSec) {
    throw new StartError("failed", `agent key ${publicKey} of account ${accountId} has expired; ${fix}`);
  }
  return found;
}

async function patiently<T>(what: string, read: () => Promise<T>, clock: Clock): Promise<T> {
  const deadlineMs = clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      return await read();
    } catch (cause) {
      if (clock.monotonicMs() >= deadlineMs) {
        throw new StartError("failed", `${what} cannot be read: ${messageOf(cause)}; nothing was sent`, { cause });
      }
    }
    await sleep(clock, RETRY_MS);
  }
}
