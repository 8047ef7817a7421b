// A request to an exchange over HTTP and the ways it can end. One fact of a failure matters: may a byte of the request have left?

import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { Kind } from "../../../wire/description.ts";

export type HttpRequest = {
  readonly method: "GET" | "POST";
  /** Absolute path on the lane's origin. */
  readonly path: string;
  /** JSON text, sent byte for byte; null for none. */
  readonly body: string | null;
};

/** How a request ended. `lost`: the server may have received it and acted on it; no answer came. */
export type HttpEnd =
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      readonly body: string;
      readonly retryAfter: string | null;
      /** Only for an exchange in this process: the value of the body, where this kind wrote it. Then nobody parses the text. */
      readonly as?: (<T>(kind: Pick<Kind<T>, "read">) => T | undefined) | undefined;
    }
  | { readonly kind: "notSent"; readonly why: HttpFailure; readonly cause: unknown }
  | { readonly kind: "lost"; readonly why: HttpFailure; readonly cause: unknown };

/** The end of a request to an exchange in this process. */
export const answered = ({
  status,
  text,
  headers,
}: {
  status: number;
  text: string;
  headers?: Readonly<Record<string, string>>;
}): HttpEnd => ({
  kind: "answered",
  httpStatus: status,
  body: text,
  retryAfter: headers?.["retry-after"] ?? null,
});

export type HttpFailure = "timeout" | "connection" | "tooLarge" | "malformed" | "closed";

export type HttpLaneOptions = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Concurrent requests; the rest wait in line. */
  readonly connections: number;
  /** From the call to the last byte of the answer, waiting in line included. */
  readonly timeoutMs: number;
  /** A longer answer is cut off and lost. */
  readonly answerBytesMax: number;
  /** Connections kept ready, so that no order waits for a handshake. */
  readonly warmConnections: number;
};

export type HttpLane = {
  /** Never throws, never sends twice, follows no redirect. */
  readonly send: (request: HttpRequest) => Promise<HttpEnd>;
  /** Ends what is under way and frees the sockets. */
  readonly close: () => Promise<void>;
};

export type HttpModules = { readonly clock: Clock };

/** A dead address is given up while the request's own limit leaves time to say so. */
export const connectTimeoutMsOf = ({ timeoutMs }: Pick<HttpLaneOptions, "timeoutMs">): number =>
  Math.ceil(timeoutMs * 0.8);

/** What failed, for people. */
export const failureText = ({ why, cause }: Exclude<HttpEnd, { kind: "answered" }>): string =>
  why === "timeout" ? "no answer in time" : `${why}: ${messageOf(cause)}`;
