// Who asks (S5): an API key, or an owner session. Both are opaque, and go nowhere but into their header.

import type { Headers } from "../../../src/bot/venue/remote/http.ts";

/** How a session is carried is not shown: as a bearer token here (NS-18). */
export type Credential =
  | { readonly kind: "apiKey"; readonly key: string }
  | { readonly kind: "session"; readonly token: string };

/** Null: nobody; authenticated reads and the hosted path are refused then. */
export function headersFor(credential: Credential | null): Headers {
  if (credential === null) return {};
  return credential.kind === "apiKey"
    ? { "x-api-key": credential.key }
    : { authorization: `Bearer ${credential.token}` };
}
