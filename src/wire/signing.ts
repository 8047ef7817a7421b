// Ed25519 as a port: who signs and who verifies is an argument. The real ones use node:crypto, which is several times faster than
// JavaScript; `checkSigning` holds it against published answers and an independent implementation at every start.

import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { hashes, getPublicKey as nobleGetPublicKey, sign as nobleSign, verify as nobleVerify } from "@noble/ed25519";
import { assert } from "../kernel/assert.ts";
import { createOldestOutMap } from "../kernel/bounded.ts";
import { CodedError } from "../kernel/errors.ts";
import { bytesFromHex, bytesOfHex, hexOf } from "../kernel/hex.ts";
import { knownAnswers } from "./signing-answers.ts";

/** Holds a secret that no property, text or JSON of it shows. */
export type Signer = {
  /** 64 lowercase hex characters. */
  readonly publicKey: string;
  /** 64 bytes. Ed25519 is deterministic: the same message gives the same signature. */
  readonly sign: (message: Uint8Array) => Uint8Array;
};

export type Verifier = {
  /** `publicKey` is 32 bytes, or their hex. Never throws: what is no key or no signature is false. */
  readonly verify: (publicKey: string | Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
};

export class SigningError extends CodedError<"seed_malformed" | "signing_broken"> {}

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** DER in front of a bare seed (PKCS#8) and of a bare public key (SubjectPublicKeyInfo), RFC 8410. */
const PRIVATE_PREFIX = bytesOfHex("302e020100300506032b657004220420");
const PUBLIC_PREFIX = bytesOfHex("302a300506032b6570032100");

hashes.sha512 = (message) => new Uint8Array(hash("sha512", message, "buffer"));

/** Public key of a 32-byte seed, 64 lowercase hex characters. Throws SigningError. */
export function publicKeyOf(seed: Uint8Array): string {
  checkSeed(seed);
  return hexOf(nobleGetPublicKey(seed));
}

/** A signer over a 32-byte private seed, which is copied. Throws SigningError. */
export function createSigner(seed: Uint8Array): Signer {
  const publicKey = publicKeyOf(seed);
  const key = createPrivateKey({ key: joined(PRIVATE_PREFIX, seed), format: "der", type: "pkcs8" });
  return { publicKey, sign: (message) => sign(null, message, key) };
}

/** More keys than a devnet's crowd, agents and load generators have; a key costs about a kilobyte. */
const KEY_CACHE_MAX = 4096;

/** A verifier with a bounded memory of the keys it saw, oldest first out. */
export function createVerifier(): Verifier {
  const keys = createOldestOutMap<string, KeyObject>(KEY_CACHE_MAX);

  function keyOf(publicKey: string | Uint8Array): KeyObject | undefined {
    const name = typeof publicKey === "string" ? publicKey : hexOf(publicKey);
    const known = keys.get(name);
    if (known !== undefined) return known;
    const bytes = bytesFromHex(name, PUBLIC_KEY_BYTES);
    if (bytes === undefined) return undefined;
    const key = createPublicKey({ key: joined(PUBLIC_PREFIX, bytes), format: "der", type: "spki" });
    keys.set(name, key);
    return key;
  }

  return {
    verify(publicKey, message, signature) {
      if (signature.length !== SIGNATURE_BYTES) return false;
      try {
        const key = keyOf(publicKey);
        return key !== undefined && verify(null, message, key, signature);
      } catch {
        return false; // Bytes that are no point of the curve make no key.
      }
    },
  };
}

/**
 * Signs and verifies the RFC's known answers with both implementations and compares them, forgeries included. About 20 ms; run it
 * at start. Throws SigningError `signing_broken`: nothing may be signed then.
 */
export function checkSigning(): void {
  const verifier = createVerifier();
  for (const answer of knownAnswers) {
    const seed = bytesOfHex(answer.seed);
    const message = bytesOfHex(answer.message);
    const signer = createSigner(seed);
    const signature = signer.sign(message);
    const forged = Uint8Array.from(signature, (byte, at) => (at === 0 ? byte ^ 1 : byte));
    const agreed =
      signer.publicKey === answer.publicKey &&
      hexOf(signature) === answer.signature &&
      hexOf(nobleSign(message, seed)) === answer.signature &&
      verifier.verify(answer.publicKey, message, signature) &&
      !verifier.verify(answer.publicKey, message, forged) &&
      nobleVerify(signature, message, bytesOfHex(answer.publicKey));
    if (!agreed)
      throw new SigningError("signing_broken", "Ed25519 of this machine does not give the answers of RFC 8032");
  }
}

function checkSeed(seed: Uint8Array): void {
  if (seed.length !== SEED_BYTES) throw new SigningError("seed_malformed", `a private seed has ${SEED_BYTES} bytes`);
}

function joined(head: Uint8Array, tail: Uint8Array): Buffer {
  assert(tail.length === PUBLIC_KEY_BYTES, "keys of Ed25519 have 32 bytes");
  return Buffer.concat([head, tail]);
}
