// Ed25519 signing and verifying as arguments. The real ones use node:crypto, which is several times faster than JavaScript; `checkSigning`
// checks it against published answers and an independent implementation at every start.

// The package's declarations name KeyObject: this line leads a compiler without Node's types in its configuration to them.
/// <reference types="node" preserve="true" />

import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { hashes, getPublicKey as nobleGetPublicKey, sign as nobleSign, verify as nobleVerify } from "@noble/ed25519";
import { assert } from "../kernel/assert.ts";
import { createOldestOutMap } from "../kernel/bounded.ts";
import { CodedError } from "../kernel/errors.ts";
import { bytesFromHex, bytesOfHex, hexOf } from "../kernel/hex.ts";

/** Holds a secret that no property, text or JSON of it shows. */
export type Signer = {
  /** 64 lowercase hex characters. */
  readonly publicKey: string;
  /** 64 bytes. Ed25519 is deterministic: the same message gives the same signature. */
  readonly sign: (message: Uint8Array) => Uint8Array;
};

export type Verifier = {
  /** `publicKey`: 32 bytes, or their hex. Never throws: an invalid key or signature gives false. */
  readonly verify: (publicKey: string | Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
};

export class SigningError extends CodedError<"seed_malformed" | "signing_broken"> {}

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** DER prefixes of a bare seed (PKCS#8) and of a bare public key (SubjectPublicKeyInfo), RFC 8410. */
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
  return signerOf({
    publicKey,
    key: createPrivateKey({ key: joined(PRIVATE_PREFIX, seed), format: "der", type: "pkcs8" }),
  });
}

/** A signer in transfer to another thread of this process; its key does not print either. */
export type SharedSigner = { readonly publicKey: string; readonly key: KeyObject };

const keysOfSigners = new WeakMap<Signer, KeyObject>();

/** Null if the signer was not made from a seed. */
export function shareSigner(signer: Signer): SharedSigner | null {
  const key = keysOfSigners.get(signer);
  return key === undefined ? null : { publicKey: signer.publicKey, key };
}

/** Rebuilds the signer from its shared form. */
export function signerOf({ publicKey, key }: SharedSigner): Signer {
  const signer: Signer = { publicKey, sign: (message) => sign(null, message, key) };
  keysOfSigners.set(signer, key);
  return signer;
}

/** More keys than a devnet's crowd, agents and load generators use; each takes about a kilobyte. */
const KEY_CACHE_MAX = 4096;

/** A verifier that caches a limited number of keys and drops the oldest first. */
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
        return false; // Bytes that are not a point of the curve are not a key.
      }
    },
  };
}

/**
 * Signs and verifies the RFC's known answers, forgeries included, and the first one also with the other implementation, which derives all
 * public keys. Takes about 30 ms; call it at start. Throws SigningError `signing_broken`: then nothing may be signed.
 */
export function checkSigning(): void {
  const verifier = createVerifier();
  for (const [nth, answer] of knownAnswers.entries()) {
    const seed = bytesOfHex(answer.seed);
    const message = bytesOfHex(answer.message);
    const signer = createSigner(seed);
    const signature = signer.sign(message);
    const forged = Uint8Array.from(signature, (byte, at) => (at === 0 ? byte ^ 1 : byte));
    const agreed =
      signer.publicKey === answer.publicKey &&
      hexOf(signature) === answer.signature &&
      verifier.verify(answer.publicKey, message, signature) &&
      !verifier.verify(answer.publicKey, message, forged) &&
      (nth > 0 ||
        (hexOf(nobleSign(message, seed)) === answer.signature &&
          nobleVerify(signature, message, bytesOfHex(answer.publicKey))));
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

type KnownAnswer = {
  readonly seed: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
};

/** RFC 8032 section 7.1, tests 1, 2, 3 and SHA(abc); all hex. */
const knownAnswers: readonly KnownAnswer[] = [
  {
    seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    message: "",
    signature:
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    message: "72",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
  {
    seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    message: "af82",
    signature:
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  },
  {
    seed: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
    publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    message:
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    signature:
      "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
  },
];
