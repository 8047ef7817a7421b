// The streams of a client: as many as are asked for, closed together.

import { type RemoteOptions, wsUrlOf } from "../../../src/bot/venue/remote/remote.ts";
import type { Report } from "../../../src/bot/venue/remote/report.ts";
import { type LiveStream, openStream } from "../../../src/bot/venue/remote/socket.ts";
import type { Block } from "../../../src/domain/block.ts";
import type { StreamEvent } from "../../../src/domain/event.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import type { Prng } from "../../../src/kernel/prng.ts";
import type { ChannelRef } from "../../../src/wire/stream/client.ts";

export type StreamEvents = {
  readonly onEvent: (event: StreamEvent) => void;
  /** Of the explorer channel. */
  readonly onBlock?: (block: Block) => void;
};

export type Streams = {
  /** Comes back by itself, with everything subscribed anew, until closed. */
  readonly open: (channels: readonly ChannelRef[], events: StreamEvents) => LiveStream;
  readonly closeAll: () => void;
};

export type StreamsModules = { readonly clock: Clock; readonly prng: Prng; readonly report: Report };

/** Throws TypeError when the address is no URL. */
export function createStreams(options: RemoteOptions, modules: StreamsModules): Streams {
  const { pingMs, pongTimeoutMs, silenceMs, reconnect, readTimeoutMs } = options;
  const settings = {
    wsUrl: wsUrlOf(options),
    ...{ pingMs, pongTimeoutMs, silenceMs, reconnect },
    handshakeTimeoutMs: readTimeoutMs,
  };
  const open = new Set<LiveStream>();
  let epoch = 0;
  return {
    open(channels, events) {
      const stream = openStream(settings, { ...modules, nextEpoch: () => ++epoch }, channels, events);
      open.add(stream);
      return {
        ...stream,
        close() {
          open.delete(stream);
          stream.close();
        },
      };
    },
    closeAll() {
      for (const stream of open) stream.close();
      open.clear();
    },
  };
}
