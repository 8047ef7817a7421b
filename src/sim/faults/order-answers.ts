// An exchange that accepts no new orders for a while, but everything else: it rejects every signature, or asks to wait.

import { type Reply, refusal } from "../../devnet/api/http/reply.ts";
import type { HttpCall } from "../exchange.ts";

const answers: Readonly<Record<string, Reply>> = {
  ordersRejected: refusal(400, "INVALID_SIGNATURE", "the signature does not fit the nonce"),
  ordersThrottled: refusal(429, "THROTTLED", "too many orders"),
};

export const isOrder = ({ body }: Pick<HttpCall, "body">): boolean => /"(Place|Modify)Order"/.test(body ?? "");

/** Its answer to every new order; undefined for other varieties. */
export const orderAnswer = (how: string): Reply | undefined => answers[how];
