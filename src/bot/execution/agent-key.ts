// The agent key: its private file of 64 hex characters, and how the bot holds it, as a name for logs and journal beside a signer. The
// signer never shows the secret; however an agent key is printed, its fingerprint appears.

import { inspect } from "node:util";
import { bytesFromHex, hexOf } from "../../kernel/hex.ts";
import { LINE_END_BYTES, PrivateFileError, readPrivateFile, writePrivateFile } from "../../kernel/private-file.ts";
import { commandText, shellWord } from "../../kernel/typed-command.ts";
import { createSigner, SEED_BYTES, type Signer } from "../../wire/signing.ts";

/** One key per account (S5: each signing key has its own window of nonces). */
export type AgentKey = {
  /** First 16 hex characters of the public key: its name in journal and log. */
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
  // Not enumerable: they define how the key prints, not its content.
  return Object.defineProperties(key, {
    toJSON: { value: () => shown },
    toString: { value: () => shown },
    [inspect.custom]: { value: () => shown },
  });
}

/** Reads the file and forgets the seed. Throws PrivateFileError. */
export function loadAgentKey(path: string): AgentKey {
  const seed = readKeyFile(path);
  const key = agentKeyOf(createSigner(seed));
  seed.fill(0);
  return key;
}

/**
 * Returns the 32-byte seed: the file holds 64 hex characters and at most one line end. `ownerUid`: see `readPrivateFile`. Throws
 * PrivateFileError.
 */
export function readKeyFile(path: string, ownerUid?: number | null): Uint8Array {
  const seed = bytesFromHex(keyText(path, ownerUid).toLowerCase(), SEED_BYTES);
  if (seed !== undefined) return seed;
  const message = `${path} must hold ${2 * SEED_BYTES} hex characters and nothing else`;
  throw new PrivateFileError("private_file_malformed", message);
}

function keyText(path: string, ownerUid: number | null | undefined): string {
  try {
    return readPrivateFile(path, 2 * SEED_BYTES + LINE_END_BYTES, ownerUid);
  } catch (cause) {
    if (!(cause instanceof PrivateFileError) || cause.code !== "private_file_missing") throw cause;
    const make = commandText(`keygen --out ${shellWord(path)}`);
    throw new PrivateFileError(cause.code, `${cause.message}; make one with ${make}`, { cause });
  }
}

/** Writes a new key file. Throws PrivateFileError, also where the file exists. */
export const writeKeyFile = (path: string, seed: Uint8Array): void => writePrivateFile(path, hexOf(seed));
