// Identifies the caller: X-API-Key, or an owner session as a bearer token (S5). The interface does not show how either is issued; the
// devnet's are in its configuration.

import { hash, timingSafeEqual } from "node:crypto";
import type { Credential } from "../../accounts/hosted-keys.ts";
import type { DevnetConfig } from "../../config/config.ts";
import { type Reply, refusal } from "./reply.ts";
import type { Request } from "./router.ts";

export type Credentials = {
  /** The caller's credential, or a 401 reply. A valid session does not make up for a wrong API key. */
  readonly of: (request: Request) => Credential | Reply;
};

type Known = { readonly digest: Buffer; readonly owner: string };

const BEARER = /^Bearer +(\S+)$/i;

export function createCredentials(config: Pick<DevnetConfig, "apiKeys" | "sessions">): Credentials {
  const keys = config.apiKeys.map(({ key, owner }) => ({ digest: digestOf(key), owner }));
  const tokens = config.sessions.map(({ token, owner }) => ({ digest: digestOf(token), owner }));
  return {
    of(request) {
      const key = request.header("x-api-key");
      const token = BEARER.exec(request.header("authorization") ?? "")?.[1];
      const owner = key === undefined ? ownerOf(tokens, token) : ownerOf(keys, key);
      return owner === undefined ? unauthorized : { kind: key === undefined ? "session" : "apiKey", owner };
    },
  };
}

export const isReply = (caller: Credential | Reply): caller is Reply => "status" in caller;

/** Takes the same time for every wrong secret, so that timing reveals nothing. */
function ownerOf(known: readonly Known[], secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined;
  const digest = digestOf(secret);
  return known.filter((each) => timingSafeEqual(each.digest, digest))[0]?.owner;
}

const digestOf = (secret: string): Buffer => hash("sha256", secret, "buffer");

const unauthorized = refusal(401, "UNAUTHORIZED", "this needs a valid X-API-Key or owner session", {
  "www-authenticate": "Bearer",
});
