// Problems with a remote venue, as reports. Each is reported, so that it can be counted.

import { durationText } from "../../kernel/text.ts";

/** Why a connection ended. Closed set: label of `quoin_feed_reconnects_total`. */
export const streamEnds = ["closed", "failed", "refused", "pongTimeout", "silent", "requested"] as const;
export type StreamEnd = (typeof streamEnds)[number];

export type RemoteReport =
  /** `why`: the system's message; null: none. `waitMs`: time until the next connection. */
  | { readonly kind: "streamEnded"; readonly reason: StreamEnd; readonly why: string | null; readonly waitMs: number }
  /** A message of an unknown type. */
  | { readonly kind: "frameIgnored"; readonly type: string }
  /** A frame that differs from the interface: not trusted, not used. */
  | { readonly kind: "frameMalformed"; readonly code: string; readonly message: string }
  /** The exchange answered one of our messages with an error. */
  | { readonly kind: "streamRefused"; readonly message: string };

export type Report = (report: RemoteReport) => void;

/** For people: what happened and what follows. */
export function reportText(report: RemoteReport): string {
  switch (report.kind) {
    case "streamEnded":
      return `${endTexts[report.reason]}${report.why === null ? "" : ` (${report.why})`}; reconnecting${report.waitMs > 0 ? ` in ${durationText(report.waitMs)}` : ""}`;
    case "frameIgnored":
      return `ignored a stream message of unknown type ${report.type}`;
    case "frameMalformed":
      return `ignored a malformed stream message: ${report.message}`;
    case "streamRefused":
      return `the exchange refused a stream request: ${report.message}`;
  }
}

const endTexts: Readonly<Record<StreamEnd, string>> = {
  closed: "the exchange closed the stream",
  failed: "the stream failed",
  refused: "no stream of the exchange opens",
  pongTimeout: "the stream answers no ping",
  silent: "the stream is silent",
  requested: "the stream starts over on our request",
};
