// When each channel last had a message, for `quoin_feed_last_message_timestamp_seconds`.

import type { VenueEvent } from "../../domain/event.ts";
import type { Channel } from "../venue/port.ts";

/** Channels of S6.2 that the bot listens to, and the pongs. */
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
type ActiveChannel = (typeof channels)[number];

const channelOf: Readonly<Partial<Record<VenueEvent["kind"], ActiveChannel>>> = {
  book: "orderbook",
  trade: "trades",
  execution: "fills",
  orderPlaced: "orders",
  orderCanceled: "orders",
  orderModified: "orders",
  orderTriggered: "orders",
  liquidation: "liquidations",
  fundingUpdate: "funding",
  oracleUpdate: "oracleUpdates",
  pong: "pong",
} satisfies Readonly<Partial<Record<VenueEvent["kind"], Channel["channel"] | "pong">>>;

export class ChannelActivity {
  /** Wall time in ms; 0: never. */
  readonly #lastMs = new Map<ActiveChannel, number>(channels.map((channel) => [channel, 0]));

  note(event: VenueEvent, wallMs: number): void {
    const channel = channelOf[event.kind];
    if (channel !== undefined) this.#lastMs.set(channel, wallMs);
  }

  /** When each channel last had a message, wall ms; 0: never. */
  get lastMs(): ReadonlyMap<string, number> {
    return this.#lastMs;
  }
}
