// The agent key as the bot holds it: a name for logs and journal, and a signer. The signer keeps the secret and never shows it;
// printing an agent key in any way prints its fingerprint.

import { inspect } from "node:util";
import { createSigner, type Signer } from "../../wire/signing.ts";
import { readKeyFile } from "./key-file.ts";

/** One key per account (S5: each signing key has its own window of nonces). */
export type AgentKey = {
  /** First 16 hex characters of the public key: what journal and log call the key. */
  readonly fingerprint: string;
  /** 64 lowercase hex characters. */
  readonly publicKey: string;
  readonly signer: Signer;
};

const FINGERPRINT_LENGTH = 16;

export function agentKeyOf(signer: Signer): AgentKey {
  const fingerprint = signer.publicKey.slice(0, FINGERPRINT_LENGTH);
  const shown = `[agent key ${fingerprint}]`;
  const key = { fingerprint, publicKey: signer.publicKey, signer };
  // Not enumerable: they are how the key prints, not what it is.
  return Object.defineProperties(key, {
    toJSON: { value: () => shown },
    toString: { value: () => shown },
    [inspect.custom]: { value: () => shown },
  });
}

/** Reads the file and forgets the seed. Throws KeyFileError. */
export function loadAgentKey(path: string): AgentKey {
  const seed = readKeyFile(path);
  const key = agentKeyOf(createSigner(seed));
  seed.fill(0);
  return key;
}
