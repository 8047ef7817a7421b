// SHA-256, as an identifier of transactions, blocks and configurations. Not for secrets.

import { hash } from "node:crypto";

/** 64 lowercase hex characters; text is hashed as UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}
