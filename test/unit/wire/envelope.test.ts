// Envelopes: the exact bytes that were ever signed, what breaks a signature, and what is refused before it is looked at.

import { verify as nobleVerify } from "@noble/ed25519";
import { describe, expect, test } from "vitest";
import { nonce } from "../../../src/domain/units.ts";
import { bytesOfHex, hexOf } from "../../../src/kernel/hex.ts";
import { parseJson } from "../../../src/kernel/json.ts";
import {
  BODY_BYTES_MAX,
  encodeRequest,
  openEnvelope,
  openRequest,
  sealEnvelope,
  signedMessage,
} from "../../../src/wire/envelope.ts";
import { WireError } from "../../../src/wire/errors.ts";
import { createSigner, createVerifier } from "../../../src/wire/signing.ts";
import { decodeTransaction, encodeTransaction } from "../../../src/wire/transaction.ts";
import golden from "../../vectors/envelopes.json" with { type: "json" };

const signer = createSigner(bytesOfHex(golden.seed));
const { verify } = createVerifier();

describe.each(golden.vectors)("golden envelope: $name", (vector) => {
  const { chainId, transactionText, timestampSec } = vector;
  const unsigned = { chainId, transactionText, nonce: nonce(BigInt(vector.nonce)), timestampSec };

  test("the transaction's text is the one written", () => {
    expect(encodeTransaction(decodeTransaction(parseJson(transactionText)))).toBe(transactionText);
  });

  test("message, signature and body are the same bytes as ever", () => {
    expect(Buffer.from(signedMessage(unsigned)).toString()).toBe(vector.message);
    expect(hexOf(signer.sign(signedMessage(unsigned)))).toBe(vector.signature);
    expect(sealEnvelope({ ...unsigned, signer })).toBe(vector.body);
  });

  test("an independent implementation takes the signature", () => {
    const [signature, publicKey] = [vector.signature, golden.publicKey].map((hex) => bytesOfHex(hex));
    expect(nobleVerify(signature!, Buffer.from(vector.message), publicKey!)).toBe(true);
  });

  test("the body opens into what was sealed, and verifies", () => {
    const opened = openEnvelope(Buffer.from(vector.body));
    expect(opened).toMatchObject({ ...unsigned, signer: golden.publicKey });
    expect(verify(opened.signer, signedMessage(opened), opened.signature)).toBe(true);
  });
});

const good = golden.vectors[0]!.body;

describe("the signature covers the exact text (S4.5)", () => {
  const verdict = (body: string): boolean => {
    const opened = openEnvelope(Buffer.from(body));
    return verify(opened.signer, signedMessage(opened), opened.signature);
  };

  test.each([
    ["a blank added", '"market_id":1', '"market_id": 1'],
    ["a value changed", '"price":21694000000', '"price":21694000001'],
    ["fields in another order", '"account_id":12,"market_id":1', '"market_id":1,"account_id":12'],
    ["an escape for a letter", '"Long"', '"\\u004cong"'],
    ["a null left out", '"trigger_price":null,', ""],
    ["another chain", "devnet:chain-2", "mainnet:chain-1"],
    ["another nonce", '"nonce":1790000000000', '"nonce":1790000000001'],
    ["another time", '"timestamp":1790000000', '"timestamp":1790000001'],
  ])("%s: parses, and does not verify", (_name, from, to) => {
    expect(good).toContain(from);
    expect(verdict(good)).toBe(true);
    expect(verdict(good.replace(from, to))).toBe(false);
  });

  test("members of the envelope may come in any order, with blanks between", () => {
    const { transaction, chain_id, ...rest } = JSON.parse(good);
    const text = golden.vectors[0]!.transactionText;
    const moved = `${JSON.stringify(rest, null, 2).slice(0, -2)} , "chain_id":"${chain_id}"\n,"transaction" : ${text} }`;
    expect(transaction).toBeDefined();
    expect(verdict(moved)).toBe(true);
  });
});

describe("openEnvelope refuses with a code and a place", () => {
  function faultOf(body: string | Uint8Array): string | undefined {
    try {
      openEnvelope(typeof body === "string" ? Buffer.from(body) : body);
      return undefined;
    } catch (thrown) {
      return thrown instanceof WireError ? `${thrown.code} ${thrown.path}`.trim() : `not coded: ${thrown}`;
    }
  }

  test.each([
    ["no chain id", '"chain_id":"venue-v4:devnet:chain-2",', "", "field_missing chain_id"],
    ["a null for it", '"venue-v4:devnet:chain-2"', "null", "field_type chain_id"],
    ["an empty one", "venue-v4:devnet:chain-2", "", "field_range chain_id"],
    ["no transaction", '"transaction":', '"transactions":', "field_unknown transactions"],
    ["no nonce", ',"nonce":1790000000000', "", "field_missing nonce"],
    ["a nonce as text", '"nonce":1790000000000', '"nonce":"1790000000000"', "field_type nonce"],
    ["a nonce beyond u64", '"nonce":1790000000000', '"nonce":18446744073709551616', "field_range nonce"],
    ["a time with fractions", '"timestamp":1790000000', '"timestamp":1790000000.5', "field_type timestamp"],
    ["a time with a fraction of nothing", '"timestamp":1790000000', '"timestamp":1790000000.0', "field_type timestamp"],
    ["a nonce with an exponent", '"nonce":1790000000000', '"nonce":179e10', "field_type nonce"],
    ["a byte with an exponent", '"signature":[', '"signature":[1e0,', "field_range signature"],
    ["a time before 1970", '"timestamp":1790000000', '"timestamp":-1', "field_range timestamp"],
    ["a signer of 31 bytes", '"signer":[', '"signer":[], "x":[', "field_unknown x"],
    ["an unknown member", '"nonce"', '"memo":1,"nonce"', "field_unknown memo"],
    ["a member twice", '"nonce"', '"nonce":1,"nonce"', "json_duplicate_key"],
    ["a member of the transaction twice", '"market_id":1', '"market_id":2,"market_id":1', "json_duplicate_key"],
    ["a key for prototypes", '"market_id":1', '"__proto__":1', "json_forbidden_key"],
    [
      "a fault in the transaction",
      '"market_id":1',
      '"market_id":65536',
      "field_range transaction.PlaceOrder.market_id",
    ],
    [
      "a null for leverage",
      '"stop_loss":null',
      '"stop_loss":null,"leverage":null',
      "field_null transaction.PlaceOrder.leverage",
    ],
    ["half a body", '"nonce"', "", "json_malformed"],
  ])("%s", (_name, from, to, fault) => {
    expect(good).toContain(from);
    expect(faultOf(good.replace(from, to))).toBe(fault);
  });

  test("signer and signature have their lengths", () => {
    expect(faultOf(good.replace(/"signer":\[\d+,/, '"signer":['))).toBe("field_range signer");
    expect(faultOf(good.replace(/"signature":\[/, '"signature":[1,'))).toBe("field_range signature");
    expect(faultOf(good.replace(/"signature":\[\d+,/, '"signature":[256,'))).toBe("field_type signature.0");
  });

  test.each([
    ["nothing", "", "json_malformed"],
    ["an array", "[]", "field_type"],
    ["a number", "7", "field_type"],
    ["null", "null", "field_type"],
    ["nesting without end", "[".repeat(5000), "json_too_deep"],
    ["more than a transaction can need", `{"a":"${"x".repeat(BODY_BYTES_MAX)}"}`, "json_too_large"],
  ])("%s", (_name, body, fault) => {
    expect(faultOf(body)).toBe(fault);
  });

  test("bytes that are no UTF-8", () => {
    const bytes = Uint8Array.from(Buffer.from(good));
    bytes[good.indexOf("devnet")] = 0xff;
    expect(faultOf(bytes)).toBe("utf8_malformed");
  });
});

test("a hosted request is the transaction without its proof", () => {
  const text = golden.vectors[3]!.transactionText;
  const body = encodeRequest({ transactionText: text, nonce: nonce(5n), timestampSec: 1_790_000_000 });
  expect(body).toBe(`{"transaction":${text},"nonce":5,"timestamp":1790000000}`);
  expect(openRequest(Buffer.from(body))).toEqual({
    transaction: { type: "CancelOrder", orderId: 18_446_744_073_709_551_615n },
    transactionText: text,
    nonce: 5n,
    timestampSec: 1_790_000_000,
  });
  expect(() => openRequest(Buffer.from(good))).toThrow(WireError);
});
