// One host of an environment: reads and posts over connections of its own.

import type { Headers } from "../../../src/bot/venue/remote/http.ts";
import { SocketLane } from "../../../src/bot/venue/remote/http-lane.ts";
import { createGet, type Get, readLimits } from "../../../src/bot/venue/remote/reads.ts";
import type { RemoteOptions } from "../../../src/bot/venue/remote/remote.ts";
import { ANSWER_BYTES_MAX, submitOn } from "../../../src/bot/venue/remote/remote.ts";
import type { SubmitOutcome } from "../../../src/domain/event.ts";
import type { Clock } from "../../../src/kernel/clock.ts";

export type Host = {
  /** Reads that carry `headers`. */
  readonly get: (headers: Headers) => Get;
  /** Sends the body once. Never throws. */
  readonly post: (path: string, body: string, headers: Headers) => Promise<SubmitOutcome>;
  readonly close: () => Promise<void>;
};

type HostOptions = Omit<RemoteOptions, "validatorUrl">;

/** Posts never wait behind reads. Throws TypeError when `url` is none. */
export function openHost(url: string, options: HostOptions, modules: { readonly clock: Clock }): Host {
  const { origin, pathname } = new URL(url);
  const basePath = pathname.replace(/\/$/, "");
  const reading = new SocketLane(
    {
      origin,
      connections: options.readConnections,
      timeoutMs: options.readTimeoutMs,
      answerBytesMax: readLimits.lengthMax,
      warmConnections: 0,
    },
    modules,
  );
  const posting = new SocketLane(
    {
      origin,
      connections: options.submitConnections,
      timeoutMs: options.submitTimeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      warmConnections: 0,
    },
    modules,
  );
  return {
    get: (headers) => createGet(reading, basePath, headers),
    post: (path, body, headers) => submitOn(posting, { path: basePath + path, body, headers }),
    async close() {
      await Promise.all([reading.close(), posting.close()]);
    },
  };
}
