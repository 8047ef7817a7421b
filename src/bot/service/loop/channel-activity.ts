// When each channel was last heard of, for `quoin_feed_last_message_timestamp_seconds`: noted as a number, shown when asked.

import type { VenueEvent } from "../../../domain/event.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Channel } from "../../venue/port.ts";

/** Channels of S6.2 that the bot listens to, and the pongs beside them. */
const channels = [
  "orderbook",
  "trades",
  "fills",
  "orders",
  "liquidations",
  "funding",
  "oracleUpdates",
  "pong",
] as const;
type Heard = (typeof channels)[number];

const channelOf: Readonly<Partial<Record<VenueEvent["kind"], Heard>>> = {
  book: "orderbook",
  trade: "trades",
  execution: "fills",
  orderPlaced: "orders",
  orderCanceled: "orders",
  liquidation: "liquidations",
  fundingUpdate: "funding",
  oracleUpdate: "oracleUpdates",
  pong: "pong",
} satisfies Readonly<Partial<Record<VenueEvent["kind"], Channel["channel"] | "pong">>>;

export class Hearing {
  /** Wall time in ms; 0: never. */
  readonly #heardMs = new Map<Heard, number>(channels.map((channel) => [channel, 0]));

  note(event: VenueEvent, wallMs: number): void {
    const channel = channelOf[event.kind];
    if (channel !== undefined) this.#heardMs.set(channel, wallMs);
  }

  show(metrics: Metrics): void {
    for (const [channel, heardMs] of this.#heardMs) metrics.feedLastMessage.labels({ channel }).set(heardMs / 1000);
  }
}
