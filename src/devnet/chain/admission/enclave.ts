// The hosted path of S4.5: an unsigned body comes with a credential, and the enclave adds signer and signature. It makes one key per owner;
// no read or log shows them. The keys end with the process; the next process makes new ones.

import type { Entropy } from "../../../kernel/entropy.ts";
import { type OpenedRequest, openRequest, sealEnvelope } from "../../../wire/envelope.ts";
import { WireError } from "../../../wire/errors.ts";
import { SEED_BYTES, type Signer } from "../../../wire/signing.ts";
import { type Credential, mayHaveSigned } from "../../accounts/hosted-keys.ts";
import type { Receipt } from "../../event.ts";
import { type Rejection, rejected, unwritable } from "./answer.ts";

export type Enclave = {
  /** Converts an unsigned body of POST /tx/sign-and-submit to a signed body of POST /v1/tx. */
  readonly sign: (credential: Credential, body: Uint8Array) => string | Rejection;
};

export type EnclaveModules = {
  readonly entropy: Entropy;
  /** Makes a signer from 32 random bytes. */
  readonly signerOf: (seed: Uint8Array) => Signer;
  /** Links a new key to the owner for whom it signs. */
  readonly link: (pubkey: string, owner: string) => Receipt;
};

export function createEnclave(chainId: string, { entropy, signerOf, link }: EnclaveModules): Enclave {
  const signers = new Map<string, Signer>();

  function signerFor(owner: string): Signer | Rejection {
    const known = signers.get(owner);
    if (known !== undefined) return known;
    const signer = signerOf(entropy.bytes(SEED_BYTES));
    const linked = link(signer.publicKey, owner);
    if (linked.status === "failed") {
      return linked.code === unwritable.code ? unwritable : rejected("SIGNATURE", linked.error);
    }
    signers.set(owner, signer);
    return signer;
  }

  return {
    sign(credential, body) {
      const request = parseRequest(body);
      if ("kind" in request) return request;
      const { transaction, transactionText, nonce, timestampSec } = request;
      if (!mayHaveSigned(credential, transaction.type)) {
        return rejected("SCOPE", `an API key may not have ${transaction.type} signed; it needs an owner session`, 403);
      }
      const signer = signerFor(credential.owner);
      if ("kind" in signer) return signer;
      return sealEnvelope({ chainId, transactionText, nonce, timestampSec, signer });
    },
  };
}

function parseRequest(body: Uint8Array): OpenedRequest | Rejection {
  try {
    return openRequest(body);
  } catch (thrown) {
    if (thrown instanceof WireError) return rejected("MALFORMED", thrown.message);
    throw thrown;
  }
}
