// The checks before execution (S4.5, S5), in this order: parse, chain id, timestamp, signature over the exact text, authority, nonce. A
// body that fails one was never executed and leaves no trace.

import type { OrderId } from "../../../domain/units.ts";
import { type OpenedEnvelope, openEnvelope, signedMessage } from "../../../wire/envelope.ts";
import { WireError } from "../../../wire/errors.ts";
import type { Verifier } from "../../../wire/signing.ts";
import { authorityOf } from "../../accounts/authority.ts";
import type { AccountRow } from "../../accounts/registry.ts";
import type { ChainState } from "../state.ts";
import { type Rejection, rejected } from "./answer.ts";

/** The content of an envelope, without its signature. */
export type EnvelopeFacts = Pick<OpenedEnvelope, "transaction" | "chainId" | "signer" | "nonce" | "timestampSec">;

/** Result of admission: the signer (for a hosted key, its owner), and the account that the transaction acts on. */
export type Admitted = { readonly kind: "admitted"; readonly signer: string; readonly account: AccountRow | null };

export type AdmissionRules = { readonly chainId: string; readonly timestampToleranceSecs: number };

/** Parses the body; the first check. */
export function parseBody(body: Uint8Array): OpenedEnvelope | Rejection {
  try {
    return openEnvelope(body);
  } catch (thrown) {
    if (thrown instanceof WireError) return rejected("MALFORMED", thrown.message);
    throw thrown;
  }
}

/** Checks chain id and timestamp. */
export function checkEnvelope(envelope: EnvelopeFacts, rules: AdmissionRules, blockMs: number): Rejection | undefined {
  if (envelope.chainId !== rules.chainId) {
    return rejected("WRONG_CHAIN", `chain_id is "${envelope.chainId}", this chain is "${rules.chainId}"`);
  }
  const offMs = Math.abs(envelope.timestampSec * 1000 - blockMs);
  if (offMs > rules.timestampToleranceSecs * 1000) {
    return rejected(
      "TIMESTAMP",
      `timestamp ${envelope.timestampSec} is more than ${rules.timestampToleranceSecs} s from chain time ${Math.floor(blockMs / 1000)}`,
    );
  }
  return undefined;
}

export function verifySignature(envelope: OpenedEnvelope, verifier: Verifier): Rejection | undefined {
  const genuine = verifier.verify(envelope.signer, signedMessage(envelope), envelope.signature);
  return genuine ? undefined : rejected("SIGNATURE", "the signature is not the signer's over this transaction");
}

/** Checks authority and nonce against the current state; does not commit the nonce. */
export function admit(envelope: EnvelopeFacts, state: ChainState, blockMs: number): Admitted | Rejection {
  const { transaction, nonce } = envelope;
  const signer = state.hostedKeys.ownerOf(envelope.signer);
  const { registry, engine } = state;
  const accountOfOrder = (order: OrderId) => engine.accountOfOrder(order);
  const authority = authorityOf(signer, transaction, blockMs, { registry, accountOfOrder });
  if (authority.kind === "denied") return rejected(authority.code, authority.error);
  if (authority.account !== null) {
    const { accountId } = authority.account;
    const overdrawn = state.budget.refusal(accountId, isCancel(envelope));
    if (overdrawn !== undefined) return rejected("RATE_LIMITED", overdrawn, 429);
  }
  if (takesNonce(envelope)) {
    const refusal = state.nonces.refusal(signer, nonce, blockMs);
    if (refusal !== undefined) return rejected(refusal.code, refusal.error);
    if (authority.account === null && !isKnown(signer, state) && !state.nonces.takesUnknown(signer, blockMs)) {
      return rejected("RATE_LIMITED", "too many transactions of keys without account, approval or deposit", 429);
    }
  }
  return { kind: "admitted", signer, account: authority.account };
}

/** True if the key owns something on the chain or is an agent of such an owner. What they own limits the number of such keys. */
const isKnown = (signer: string, { registry, bridge }: ChainState): boolean =>
  registry.owns(signer) || bridge.unclaimed(signer) > 0n || registry.withAgent(signer).length > 0;

/** S5: every action except CancelOrder, whose nonce is neither checked nor committed. */
export const takesNonce = ({ transaction }: EnvelopeFacts): boolean => transaction.type !== "CancelOrder";

const isCancel = ({ transaction }: EnvelopeFacts): boolean =>
  transaction.type === "CancelOrder" || transaction.type === "CancelAllOrders";
