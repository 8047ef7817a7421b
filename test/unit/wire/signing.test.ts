// Ed25519 by the published answers, forgeries, and secrets that do not show; the keyed hash that stands in for it in simulation.

import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { bytesOfHex, hexOf } from "../../../src/kernel/hex.ts";
import { checkSigning, createSigner, createVerifier, publicKeyOf, SigningError } from "../../../src/wire/signing.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../../src/wire/signing-simulated.ts";
import published from "../../vectors/rfc8032-ed25519.json" with { type: "json" };

const seed = new Uint8Array(32).fill(7);
const message = Buffer.from("what was meant");

describe.each(published.vectors)("RFC 8032 section 7.1, $name", (vector) => {
  const bytes = bytesOfHex(vector.message);

  test("public key and signature", () => {
    const signer = createSigner(bytesOfHex(vector.seed));
    expect(signer.publicKey).toBe(vector.publicKey);
    expect(hexOf(signer.sign(bytes))).toBe(vector.signature);
  });

  test("verifies, by hex and by bytes", () => {
    const { verify } = createVerifier();
    const signature = bytesOfHex(vector.signature);
    expect(verify(vector.publicKey, bytes, signature)).toBe(true);
    expect(verify(bytesOfHex(vector.publicKey), bytes, signature)).toBe(true);
  });
});

test("both implementations agree on this machine", () => {
  expect(checkSigning).not.toThrow();
});

describe("createVerifier", () => {
  const { verify } = createVerifier();
  const signer = createSigner(seed);
  const signature = signer.sign(message);

  test("refuses each single changed bit of message, key and signature", () => {
    for (const at of [0, 31, 32, 63]) {
      for (let bit = 1; bit < 256; bit *= 2)
        expect(verify(signer.publicKey, message, flipped(signature, at, bit))).toBe(false);
    }
    expect(verify(signer.publicKey, flipped(message, 3, 1), signature)).toBe(false);
    expect(verify(flipped(bytesOfHex(signer.publicKey), 0, 1), message, signature)).toBe(false);
  });

  test("refuses a second signature made from the first by adding the group order to S", () => {
    const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
    const s = BigInt(`0x${hexOf(Uint8Array.from(signature).slice(32).reverse())}`) + order;
    const tail = bytesOfHex(s.toString(16).padStart(64, "0")).reverse();
    expect(verify(signer.publicKey, message, Buffer.concat([signature.subarray(0, 32), tail]))).toBe(false);
  });

  test.each([
    ["an empty key", ""],
    ["a key in capitals", signer.publicKey.toUpperCase()],
    ["a key with 0x", `0x${signer.publicKey}`],
    ["a short key", signer.publicKey.slice(2)],
    ["a key of 31 bytes", new Uint8Array(31)],
    ["the key of all zeros", new Uint8Array(32)],
    ["bytes that are no point", new Uint8Array(32).fill(255)],
  ])("refuses %s without throwing", (_name, key) => {
    expect(verify(key, message, signature)).toBe(false);
  });

  test.each([0, 63, 65])("refuses a signature of %d bytes", (length) => {
    expect(verify(signer.publicKey, message, new Uint8Array(length))).toBe(false);
  });

  test("knows more keys than it remembers", () => {
    const { verify: verifyMany } = createVerifier();
    for (let n = 0; n < 4200; n += 1) {
      const key = new Uint8Array(32);
      new DataView(key.buffer).setUint32(0, n);
      verifyMany(key, message, signature);
    }
    expect(verifyMany(signer.publicKey, message, signature)).toBe(true);
  });
});

describe("createSigner", () => {
  test("shows its public key and nothing of its secret", () => {
    const signer = createSigner(seed);
    const shown = [inspect(signer, { depth: 9, showHidden: true }), JSON.stringify(signer), String(signer)].join();
    expect(shown).toContain(signer.publicKey);
    expect(shown).not.toContain(hexOf(seed));
    expect(shown).not.toContain("KeyObject");
    expect(Object.keys(signer)).toEqual(["publicKey", "sign"]);
  });

  test("copies its seed: the caller may wipe it", () => {
    const mine = Uint8Array.from(seed);
    const signer = createSigner(mine);
    mine.fill(0);
    expect(createVerifier().verify(publicKeyOf(seed), message, signer.sign(message))).toBe(true);
  });

  test.each([0, 31, 33, 64])("refuses a seed of %d bytes, without repeating it", (length) => {
    const wrong = new Uint8Array(length).fill(0xab);
    expect(() => createSigner(wrong)).toThrow(SigningError);
    expect(() => publicKeyOf(wrong)).toThrow(/^a private seed has 32 bytes$/);
  });
});

describe("keyed hash", () => {
  const signer = keyedHashSigner(seed);
  const { verify } = keyedHashVerifier;
  const signature = signer.sign(message);

  test("has the lengths of Ed25519 and verifies what it signed", () => {
    expect(signer.publicKey).toMatch(/^[0-9a-f]{64}$/);
    expect(signature).toHaveLength(64);
    expect(verify(signer.publicKey, message, signature)).toBe(true);
    expect(verify(bytesOfHex(signer.publicKey), message, signature)).toBe(true);
  });

  test("finds a changed message, key or signature", () => {
    expect(verify(signer.publicKey, flipped(message, 0, 1), signature)).toBe(false);
    expect(verify(keyedHashSigner(new Uint8Array(32)).publicKey, message, signature)).toBe(false);
    expect(verify(signer.publicKey, message, flipped(signature, 63, 1))).toBe(false);
    expect(verify("no key", message, signature)).toBe(false);
  });

  test("is no Ed25519: the real verifier refuses it", () => {
    expect(createVerifier().verify(signer.publicKey, message, signature)).toBe(false);
  });
});

function flipped(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  return Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ bit : byte));
}
