// Access policy of the exchange's own hosts: open to every browser app (CORS), as on real exchanges. Nothing depends on a cookie or on the
// caller's network: transactions are signed, and private reads need a key or a session.

import type { Door } from "./door.ts";
import type { Reply } from "./reply.ts";

export const openDoor: Door = {
  headers: { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" },
  stop: ({ method, header }) =>
    method === "OPTIONS" && header("access-control-request-method") !== undefined ? preflight : undefined,
};

/** A browser then asks once a day per path, not before every request. */
const preflight: Reply = {
  status: 200,
  contentType: "text/plain",
  text: "",
  headers: {
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": "X-API-Key, Authorization, Content-Type",
    "access-control-max-age": "86400",
  },
};
