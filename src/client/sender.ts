// Sends transactions (S4.5) by both paths: signed here and posted to the validator, or unsigned to the REST host, whose enclave signs.
// Every end is an outcome, including a decision not to send.

import type { NodeStatus } from "../domain/account.ts";
import type { SubmitOutcome } from "../domain/event.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { encodeRequest, sealEnvelope } from "../wire/envelope.ts";
import type { Signer } from "../wire/signing.ts";
import { encodeTransaction, type Transaction } from "../wire/transaction.ts";
import { createStamps, type Stamp } from "./stamps.ts";
import type { Unsendable } from "./unsendable.ts";

export type Sender = {
  /** Signs with any key (an agent's, an owner's, a hosted account's own) and posts to the validator. */
  readonly submit: (transaction: Transaction, signer: Signer, stamp?: Partial<Stamp>) => Promise<SubmitOutcome>;
  /** The enclave signs for the credential's owner and forwards it. */
  readonly submitHosted: (transaction: Transaction, stamp?: Partial<Stamp>) => Promise<SubmitOutcome>;
  /** Posts a sealed envelope unchanged and without checks. */
  readonly submitSealed: (body: string) => Promise<SubmitOutcome>;
};

export type SenderModules = {
  /** Chain time: its wall time makes nonces and timestamps. */
  readonly clock: Pick<Clock, "wallMs">;
  readonly exchange: { readonly node: () => Promise<Pick<NodeStatus, "chainId">> };
  readonly unsendable: Unsendable;
  /** POST /v1/tx of the validator. */
  readonly post: (body: string) => Promise<SubmitOutcome>;
  /** POST /tx/sign-and-submit of the REST host, with the client's credential. */
  readonly postHosted: (body: string) => Promise<SubmitOutcome>;
};

/** The enclave has one nonce window for everything that it signs for an owner (S5). */
const HOSTED_KEY = "hosted";

export function createSender({ chainId }: { readonly chainId: string }, modules: SenderModules): Sender {
  const { clock, exchange, unsendable, post, postHosted } = modules;
  const stamps = createStamps(modules);
  let chainChecked = false;

  /** S4.5: the configured chain id is signed, so the node's must be equal. Repeated until the first success. */
  async function whyOtherChain(): Promise<string | null> {
    if (chainChecked) return null;
    try {
      const node = await exchange.node();
      chainChecked = node.chainId === chainId;
      return chainChecked ? null : `the node is of chain ${node.chainId}, the client is pinned to ${chainId}`;
    } catch (thrown) {
      return `the node's chain could not be read: ${messageOf(thrown)}`;
    }
  }

  /** `send` runs after all checks, so that its stamp is fresh. Cancels skip the checks, because they must always be sent. */
  async function unlessBetterNot(transaction: Transaction, send: () => Promise<SubmitOutcome>): Promise<SubmitOutcome> {
    if (transaction.type === "CancelOrder" || transaction.type === "CancelAllOrders") return await send();
    const why = (await whyOtherChain()) ?? (await unsendable.why(transaction, clock.wallMs()));
    return why === null ? await send() : { kind: "notSent", why };
  }

  return {
    submit: (transaction, signer, stamp = {}) =>
      unlessBetterNot(transaction, () => {
        const transactionText = encodeTransaction(transaction);
        const stamped = { ...stamps.next(signer.publicKey), ...stamp };
        return post(sealEnvelope({ chainId, transactionText, ...stamped, signer }));
      }),
    submitHosted: (transaction, stamp = {}) =>
      unlessBetterNot(transaction, () => {
        const transactionText = encodeTransaction(transaction);
        const stamped = { ...stamps.next(HOSTED_KEY), ...stamp };
        return postHosted(encodeRequest({ transactionText, ...stamped }));
      }),
    submitSealed: post,
  };
}
