// An exchange behind sockets: reads and submits over HTTP, facts over a WebSocket. Cancels have connections of their own.

import { openStream, type ReconnectOptions, wsUrlOf } from "../../../client/stream/live-stream.ts";
import type { Report } from "../../../client/stream/report.ts";
import type { Connect } from "../../../client/stream/socket.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Prng } from "../../../kernel/prng.ts";
import { decodeAnswer } from "../../../wire/answer.ts";
import { readLimits } from "../../../wire/read-answer.ts";
import { requestTiming, streamTiming } from "../../timing.ts";
import type { Venue } from "../port.ts";
import { failureText, type HttpLane, type HttpLaneOptions, type HttpModules, type HttpRequest } from "./http.ts";
import { SocketLane } from "./http-lane.ts";
import { createGet, createReads } from "./reads.ts";
import { connectWebSocket } from "./web-socket.ts";

export type RemoteOptions = {
  /** http or https; may have a path, which then precedes every path of the interface. */
  readonly validatorUrl: string;
  /** ws or wss. Null: the validator's address with scheme ws or wss and path /v1/ws. */
  readonly wsUrl: string | null;
  readonly readTimeoutMs: number;
  readonly submitTimeoutMs: number;
  /** For cancels and fences: they can be repeated without harm, so a lost one is given up sooner. */
  readonly cancelTimeoutMs: number;
  readonly cancelConnections: number;
  readonly submitConnections: number;
  readonly readConnections: number;
  /** Connections kept ready for cancels, and as many for other commands: no order waits for a handshake. */
  readonly warmConnections: number;
  /** HTTP 404 for a list of orders or positions is an empty one (`venue.dialect`, emptyList). */
  readonly isMissingEmpty: boolean;
  readonly pingMs: number;
  readonly pongTimeoutMs: number;
  readonly silenceMs: number;
  readonly reconnect: ReconnectOptions;
};

/** Everything but the address. Connections: the concurrent requests of each kind, and some spare. */
export const defaultRemoteOptions: Omit<RemoteOptions, "validatorUrl"> = {
  wsUrl: null,
  isMissingEmpty: false,
  ...requestTiming,
  cancelConnections: 8,
  submitConnections: 16,
  readConnections: 8,
  warmConnections: 4,
  ...streamTiming,
};

/** How bytes travel. Default: real sockets. */
export type Transport = {
  readonly lane: (options: HttpLaneOptions) => HttpLane;
  readonly connect: Connect;
};

export const sockets = (modules: HttpModules): Transport => ({
  lane: (options) => new SocketLane(options, modules),
  connect: connectWebSocket,
});

export type RemoteModules = {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly report: Report;
  readonly transport?: Transport;
};

/** Opens the connections kept ready for orders, and others when needed. Throws TypeError when an address is not a URL. */
export function createRemoteVenue(options: RemoteOptions, modules: RemoteModules): Venue {
  const { origin, pathname } = new URL(options.validatorUrl);
  const basePath = pathname.replace(/\/$/, "");
  const wsUrl = wsUrlOf(options);
  const { lane, connect } = modules.transport ?? sockets(modules);
  const { warmConnections } = options;
  const posting = (connections: number, timeoutMs: number): HttpLane =>
    lane({ origin, connections, timeoutMs, answerBytesMax: ANSWER_BYTES_MAX, warmConnections });
  const cancels = posting(options.cancelConnections, options.cancelTimeoutMs);
  const submits = posting(options.submitConnections, options.submitTimeoutMs);
  const reading = lane({
    origin,
    connections: options.readConnections,
    timeoutMs: options.readTimeoutMs,
    answerBytesMax: readLimits.lengthMax,
    warmConnections: 0,
  });
  const streams = new Set<{ readonly close: () => void }>();
  let epoch = 0;

  return {
    reads: createReads(createGet(reading, basePath), { given: new Set(), isMissingEmpty: options.isMissingEmpty }),
    submit(body, kind) {
      return submitOn(kind === "cancel" ? cancels : submits, { path: `${basePath}/v1/tx`, body });
    },
    stream(channels, onEvent) {
      const { pingMs, pongTimeoutMs, silenceMs, reconnect, readTimeoutMs } = options;
      const stream = openStream(
        { wsUrl, pingMs, pongTimeoutMs, silenceMs, reconnect, handshakeTimeoutMs: readTimeoutMs },
        { ...modules, connect, nextEpoch: () => ++epoch },
        channels,
        { onEvent },
      );
      streams.add(stream);
      return {
        close() {
          streams.delete(stream);
          stream.close();
        },
        resubscribe(channel) {
          stream.unsubscribe([channel]);
          stream.subscribe([channel]);
        },
      };
    },
    async close() {
      for (const stream of streams) stream.close();
      streams.clear();
      await Promise.all([cancels.close(), submits.close(), reading.close()]);
    },
  };
}

/** Room for the events of a transaction that swept a whole book. */
export const ANSWER_BYTES_MAX = 1_048_576;

/** Sends a transaction once. A lost request is unknown; only an answer can say more. Never throws. */
export async function submitOn(lane: HttpLane, request: Omit<HttpRequest, "method">): Promise<SubmitOutcome> {
  const end = await lane.send({ method: "POST", ...request });
  if (end.kind === "notSent") return { kind: "notSent", why: failureText(end) };
  if (end.kind === "lost") return { kind: "unknown", why: failureText(end) };
  return decodeAnswer(end);
}
