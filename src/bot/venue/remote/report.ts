// Trouble on the way to a remote venue, as reports. Every one is reported, so that it can be counted; the first of each kind is marked,
// so that the log has one line for a flood.

import { durationText } from "../../../kernel/text.ts";

/** Why a connection ended. Closed set: label of `quoin_feed_reconnects_total`. */
export const streamEnds = ["closed", "failed", "refused", "pongTimeout", "silent", "requested"] as const;
export type StreamEnd = (typeof streamEnds)[number];

export type RemoteReport =
  | { readonly kind: "streamEnded"; readonly reason: StreamEnd; readonly waitMs: number }
  | { readonly kind: "socketFailed"; readonly message: string }
  /** A message of a type that we do not know. */
  | { readonly kind: "frameIgnored"; readonly type: string }
  /** A frame that is not what the interface says: not trusted, not used. */
  | { readonly kind: "frameMalformed"; readonly code: string; readonly message: string }
  /** The exchange answered a message of ours with an error. */
  | { readonly kind: "streamRefused"; readonly message: string };

export type Report = (report: RemoteReport) => void;

/** For people: what happened and what follows. */
export function reportText(report: RemoteReport): string {
  switch (report.kind) {
    case "streamEnded":
      return `${endTexts[report.reason]}; reconnecting${report.waitMs > 0 ? ` in ${durationText(report.waitMs)}` : ""}`;
    case "socketFailed":
      return `the stream's connection failed: ${report.message}`;
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
  refused: "the exchange refused the stream",
  pongTimeout: "the stream answers no ping",
  silent: "the stream is silent",
  requested: "the stream starts over on our request",
};

/** `isFirst`: the first report of its kind. */
export type ReportSink = (report: RemoteReport, isFirst: boolean) => void;

/** The other end may send any number of names: beyond this many they count as one kind. */
const KINDS_MAX = 100;

export function markFirst(sink: ReportSink): Report {
  const known = new Set<string>();
  return (report) => {
    const kind = known.size < KINDS_MAX ? kindOf(report) : report.kind;
    const isFirst = !known.has(kind);
    known.add(kind);
    sink(report, isFirst);
  };
}

function kindOf(report: RemoteReport): string {
  switch (report.kind) {
    case "frameIgnored":
      return `${report.kind}:${report.type}`;
    case "frameMalformed":
      return `${report.kind}:${report.code}`;
    case "streamEnded":
      return `${report.kind}:${report.reason}`;
    default:
      return report.kind;
  }
}
