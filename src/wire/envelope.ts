// A transaction with its signature (S4.5). The signature covers the exact text of the transaction: that text is made once, signed, and put
// into the body unchanged; a receiver cuts it out of the body and never serializes it again.

import type { Nonce } from "../domain/units.ts";
import { nonce } from "../domain/units.ts";
import { bytesOfHex } from "../kernel/hex.ts";
import { decodeUtf8, type JsonLimits, parseJson } from "../kernel/json.ts";
import { rawMember } from "../kernel/json-outline.ts";
import { at, type Kind, request, says } from "./description.ts";
import { WireError, within } from "./errors.ts";
import { SIGNATURE_BYTES, type Signer } from "./signing.ts";
import { bytes, publicKey, text, timeSec, u64 } from "./transaction/values.ts";
import { type Transaction, transaction } from "./transaction.ts";

/** The signed content. */
export type Unsigned = {
  readonly chainId: string;
  /** Exact JSON text of the transaction, from `encodeTransaction`. */
  readonly transactionText: string;
  readonly nonce: Nonce;
  /** Unix seconds. */
  readonly timestampSec: number;
};

/** An envelope that was parsed but not verified yet. */
export type OpenedEnvelope = Unsigned & {
  readonly transaction: Transaction;
  /** Public key, 64 lowercase hex characters. */
  readonly signer: string;
  readonly signature: Uint8Array;
};

/** A body of the hosted path: the enclave signs it. */
export type OpenedRequest = Omit<Unsigned, "chainId"> & { readonly transaction: Transaction };

/** The longest transaction in compact text stays below 3 kB with its envelope; the rest is room for blanks. */
export const BODY_BYTES_MAX = 16_384;
const bodyLimits: JsonLimits = { lengthMax: BODY_BYTES_MAX, depthMax: 8, wholeOnly: true };
const CHAIN_ID_BYTES_MAX = 128;

/** The message to sign: UTF-8 of the JSON array `[chain_id, transaction, nonce, timestamp]` with the exact transaction text. */
export function signedMessage(unsigned: Unsigned): Uint8Array {
  const { chainId, transactionText, timestampSec } = unsigned;
  return Buffer.from(`[${JSON.stringify(chainId)},${transactionText},${unsigned.nonce},${timestampSec}]`);
}

/** The complete body of POST /v1/tx. The same input gives the same bytes. */
export function sealEnvelope(unsigned: Unsigned & { readonly signer: Signer }): string {
  const { chainId, transactionText, timestampSec, signer } = unsigned;
  const signature = signer.sign(signedMessage(unsigned));
  return (
    `{"transaction":${transactionText},"chain_id":${JSON.stringify(chainId)}` +
    `,"signer":[${bytesOfHex(signer.publicKey).join(",")}],"signature":[${signature.join(",")}]` +
    `,"nonce":${unsigned.nonce},"timestamp":${timestampSec}}`
  );
}

/** The body of POST /tx/sign-and-submit: the enclave signs it. */
export const encodeRequest = (unsigned: Omit<Unsigned, "chainId">): string =>
  `{"transaction":${unsigned.transactionText},"nonce":${unsigned.nonce},"timestamp":${unsigned.timestampSec}}`;

const requestMembers = {
  transaction,
  nonce: u64(nonce, "unique per key; near Unix milliseconds"),
  timestampSec: at("timestamp", timeSec),
};

/** POST /tx/sign-and-submit: the exchange signs with the hosted key. */
export const hostedRequest = request(requestMembers);

/** POST /v1/tx. */
export const envelope = request({
  ...requestMembers,
  chainId: text(CHAIN_ID_BYTES_MAX),
  signer: publicKey,
  signature: says(
    bytes(SIGNATURE_BYTES),
    "Ed25519 over the UTF-8 of the JSON array [chain_id, transaction, nonce, timestamp], the transaction as its exact text",
  ),
});

/** Reads a body of POST /v1/tx; the signature is not verified here (S4.5: parse comes first). Throws WireError. */
export const openEnvelope = (body: Uint8Array): OpenedEnvelope => openBody(body, envelope);

/** Reads a body of POST /tx/sign-and-submit. Throws WireError. */
export const openRequest = (body: Uint8Array): OpenedRequest => openBody(body, hostedRequest);

/** Keeps the original text of the transaction, because signed text is never serialized again. */
function openBody<T>(body: Uint8Array, kind: Pick<Kind<T>, "read">): T & Pick<Unsigned, "transactionText"> {
  if (body.length > BODY_BYTES_MAX) {
    throw new WireError("json_too_large", "", `a transaction's body has at most ${BODY_BYTES_MAX} bytes`);
  }
  return within("", () => {
    const source = decodeUtf8(body);
    const found = kind.read(parseJson(source, bodyLimits));
    return { ...found, transactionText: rawMember(source, "transaction") ?? "" };
  });
}
