// Cheap signing for simulation and backtest: a hash keyed with the public key. Envelopes have the same form and length, and a changed
// message, key or signature is detected. It proves nothing about the signer: never use it over sockets.

import { hash } from "node:crypto";
import { bytesFromHex, hexOf } from "../kernel/hex.ts";
import { PUBLIC_KEY_BYTES, type Signer, type Verifier } from "./signing.ts";

/** `seed`: any bytes; the public key is their SHA-256. */
export function keyedHashSigner(seed: Uint8Array): Signer {
  const key = hash("sha256", seed, "buffer");
  return { publicKey: hexOf(key), sign: (message) => keyedHash(key, message) };
}

export const keyedHashVerifier: Verifier = {
  verify(publicKey, message, signature) {
    const key = typeof publicKey === "string" ? bytesFromHex(publicKey, PUBLIC_KEY_BYTES) : publicKey;
    return key !== undefined && keyedHash(key, message).equals(signature);
  },
};

const keyedHash = (key: Uint8Array, message: Uint8Array): Buffer =>
  hash("sha512", Buffer.concat([key, message]), "buffer");
