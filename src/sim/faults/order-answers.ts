// An exchange that takes no new order for a while, and everything else: it finds fault with each signature, or asks to wait.

import { type Reply, refusal } from "../../devnet/api/http/reply.ts";
import type { HttpCall } from "../exchange.ts";

const answers: Readonly<Record<string, Reply>> = {
  ordersRejected: refusal(400, "INVALID_SIGNATURE", "the signature does not fit the nonce"),
  ordersThrottled: refusal(429, "THROTTLED", "too many orders"),
};

export const isOrder = ({ body }: Pick<HttpCall, "body">): boolean => /"(Place|Modify)Order"/.test(body ?? "");

/** Its answer to every new order; undefined: the variety is another. */
export const orderAnswer = (how: string): Reply | undefined => answers[how];
