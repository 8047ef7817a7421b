// Access check of the control listener: programs on this machine may call it, web pages in a browser on this machine may not. A page from
// another site has a different Origin, a page that rebinds its name to loopback has a different Host, and JSON cannot be posted without a
// preflight.

import { isLoopback } from "../../../kernel/loopback.ts";
import type { Door } from "../http/door.ts";
import { refusal } from "../http/reply.ts";

export const operatorDoor: Door = {
  headers: {},
  stop({ header }) {
    const host = header("host");
    if (host === undefined || !isLoopback(host.replace(/:\d{1,5}$/, ""))) return foreignHost;
    const origin = header("origin");
    if (origin !== undefined && origin !== `http://${host}`) return foreignOrigin;
    const hasBody = header("transfer-encoding") !== undefined || Number(header("content-length") ?? 0) !== 0;
    if (hasBody && !/^application\/json\s*(;|$)/i.test(header("content-type") ?? "")) return notJson;
    return undefined;
  },
};

const foreignHost = refusal(
  403,
  "FOREIGN_HOST",
  "the Host header must name this machine: 127.0.0.1, [::1] or localhost",
);
const foreignOrigin = refusal(403, "FOREIGN_ORIGIN", "the control listener answers no page of another origin");
const notJson = refusal(415, "NOT_JSON", "a body needs Content-Type: application/json");
