// A transaction over HTTP, sent once: the end of a request as the end of a transaction.

import type { SubmitOutcome } from "../../../domain/event.ts";
import { decodeAnswer } from "../../../wire/answer.ts";
import { failureText, type HttpLane, type HttpRequest } from "./http.ts";

/** Room for the events of a transaction that swept a whole book. */
export const ANSWER_BYTES_MAX = 1_048_576;

/** Lost is unknown, and only an answer can say more. Never throws. */
export async function submitOn(lane: HttpLane, request: Omit<HttpRequest, "method">): Promise<SubmitOutcome> {
  const end = await lane.send({ method: "POST", ...request });
  if (end.kind === "notSent") return { kind: "notSent", why: failureText(end) };
  if (end.kind === "lost") return { kind: "unknown", why: failureText(end) };
  return decodeAnswer(end);
}
