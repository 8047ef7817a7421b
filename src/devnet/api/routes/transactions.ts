// Submission (S4.5): passes the bytes to the chain as they came and returns its answer. An executed and refused transaction is HTTP 200
// with status failed; one that was never executed is a 4xx.

import { encodeFailure, encodeSuccess } from "../../../wire/answer.ts";
import type { Answer } from "../../chain/admission/answer.ts";
import type { Chain } from "../../chain/chain.ts";
import { jsonText, type Reply, refusal } from "../http/reply.ts";
import { post, type Route } from "../http/router.ts";

export function transactionRoutes(chain: Pick<Chain, "submit">): readonly Route[] {
  return [post("/v1/tx", async ({ body }) => answerReply(await chain.submit(body)))];
}

/** The chain's answer as an HTTP reply. */
export function answerReply(answer: Answer): Reply {
  switch (answer.kind) {
    case "executed":
      return jsonText(encodeSuccess(answer.hash, answer.events));
    case "refused":
      return jsonText(encodeFailure(answer.hash, answer.error, answer.code));
    case "rejected":
      return refusal(answer.httpStatus, answer.code, answer.error);
  }
}
