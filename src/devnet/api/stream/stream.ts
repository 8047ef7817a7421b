// The stream of S6.2 over the chain: subscriptions of clients, messages about changes, and book snapshots made once for all subscribers.

import type { MarketId } from "../../../domain/units.ts";
import { WireError } from "../../../wire/errors.ts";
import {
  CHANNELS_PER_MESSAGE_MAX,
  type ChannelRef,
  type ClientMessage,
  decodeClientMessage,
} from "../../../wire/stream/client.ts";
import type { EventBatch } from "../../chain/block-maker.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Faults } from "../faults/faults.ts";
import type { ForeignSpeech } from "../faults/foreign-words.ts";
import { blockFrame, type Channel, type Frame, framesOf, Sent, topicOf } from "./frames.ts";

/** Path on the validator's host (S6.2). */
export const STREAM_PATH = "/v1/ws";

export type HubModules = {
  readonly chain: Chain;
  readonly faults: Pick<Faults, "forFrame" | "forSnapshot" | "forConnection">;
  readonly speech: Pick<ForeignSpeech, "isForeign" | "frames">;
};

/** One client. Compared by identity; exists until its transport closes. */
export type Connection = {
  /** Sends one frame; skipped if the connection is muted. A connection that is too far behind is dropped instead. */
  readonly send: (frame: Sent) => void;
  /** Makes the connection half-open: it stays open, but nothing is sent or read. */
  readonly mute: () => void;
  /** Ends the connection at once, without a closing frame. */
  readonly drop: () => void;
};

/** The stream, independent of its transport. */
export type StreamHub = {
  /** Returns false if a new connection must be refused. */
  readonly mayOpen: () => boolean;
  readonly opened: (connection: Connection) => void;
  /** Handles a client's message in its original text. */
  readonly received: (connection: Connection, text: string) => void;
  /** Handles a client's decoded message. */
  readonly heard: (connection: Connection, message: ClientMessage) => void;
  readonly closed: (connection: Connection) => void;
  readonly connections: () => readonly Connection[];
  /** Stops publishing. The connections stay open. */
  readonly close: () => void;
};

/** One connection may subscribe to as many topics as one message may request. */
const TOPICS_PER_CONNECTION_MAX = CHANNELS_PER_MESSAGE_MAX;

/** Publishes the chain's events and blocks to the connections that subscribed to them. */
export function createHub({ chain, faults, speech }: HubModules): StreamHub {
  const connections = new Set<Connection>();
  const subscriptions = createSubscriptions<Connection>(TOPICS_PER_CONNECTION_MAX);
  const snapshots = createSnapshots(chain);

  function deliver(connection: Connection, channel: Channel, frame: Sent): void {
    const fate = faults.forFrame(channel);
    if (fate === "swallow") return;
    const said = speech.isForeign ? speech.frames(frame) : [frame];
    for (const one of said) connection.send(one);
    if (fate === "duplicate") for (const one of said) connection.send(one);
  }

  function publish({ channel, topic, sent }: Frame): void {
    for (const connection of subscriptions.listeners(topic)) deliver(connection, channel, sent);
  }

  function publishBook(marketId: MarketId): void {
    const listeners = subscriptions.listeners(topicOf({ channel: "orderbook", marketId }));
    if (listeners.size === 0) return;
    const frame = snapshots.present(marketId);
    if (frame === undefined) return;
    for (const connection of listeners) deliver(connection, "orderbook", frame);
  }

  function onEvents(batch: EventBatch): void {
    const changed = new Set<MarketId>();
    for (const event of batch.events) {
      if (event.type === "BookChanged") changed.add(event.marketId);
      else for (const frame of framesOf(event, batch.timeMs)) publish(frame);
    }
    for (const marketId of changed) {
      snapshots.changed(marketId);
      publishBook(marketId);
    }
  }

  function subscribe(connection: Connection, ref: ChannelRef): void {
    const snapshot = ref.channel === "orderbook" ? firstSnapshot(ref.marketId) : undefined;
    if (ref.channel === "orderbook" && snapshot === undefined) {
      sendError(connection, "UNKNOWN_MARKET", `there is no market ${ref.marketId}`);
    } else if (!subscriptions.add(connection, topicOf(ref))) {
      sendError(
        connection,
        "TOO_MANY_SUBSCRIPTIONS",
        `at most ${TOPICS_PER_CONNECTION_MAX} subscriptions a connection`,
      );
    } else if (snapshot !== undefined) deliver(connection, "orderbook", snapshot);
  }

  function firstSnapshot(marketId: MarketId): Sent | undefined {
    const stale = faults.forSnapshot() ? snapshots.previous(marketId) : undefined;
    return stale ?? snapshots.present(marketId);
  }

  function heard(connection: Connection, message: ClientMessage): void {
    if (message.type === "ping") {
      const { height, timeMs: blockTimeMs } = chain.head();
      connection.send(new Sent({ says: "pong", value: { height, blockTimeMs } }));
      return;
    }
    for (const ref of message.channels) {
      if (message.type === "subscribe") subscribe(connection, ref);
      else subscriptions.remove(connection, topicOf(ref));
    }
  }

  function received(connection: Connection, text: string): void {
    try {
      const message = decodeClientMessage(text);
      heard(connection, message);
      if (message.type === "ping") return;
      for (const fault of message.faults) sendError(connection, "MALFORMED", fault.message);
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      sendError(connection, "MALFORMED", thrown.message);
    }
  }

  const ends = [chain.onEvents(onEvents), chain.onBlock((block) => publish(blockFrame(block)))];
  return {
    mayOpen: () => !faults.forConnection(),
    opened: (connection) => void connections.add(connection),
    received,
    heard,
    closed(connection) {
      connections.delete(connection);
      subscriptions.removeAll(connection);
    },
    connections: () => [...connections],
    close() {
      for (const end of ends) end();
    },
  };
}

/** Book frames of all markets, each made on first use after a change. */
function createSnapshots(chain: Chain) {
  const frames = new Map<MarketId, { present: Sent | undefined; previous: Sent | undefined }>();

  function present(marketId: MarketId): Sent | undefined {
    const known = frames.get(marketId);
    if (known?.present !== undefined) return known.present;
    const book = chain.reads.book(marketId);
    if (book === undefined) return undefined;
    const made = new Sent({ says: "orderbook", value: book });
    frames.set(marketId, { present: made, previous: known?.previous });
    return made;
  }

  return {
    present,
    /** The frame before the current one. */
    previous: (marketId: MarketId) => frames.get(marketId)?.previous,
    changed(marketId: MarketId): void {
      const known = frames.get(marketId);
      if (known?.present !== undefined) frames.set(marketId, { present: undefined, previous: known.present });
    },
  };
}

const sendError = (connection: Connection, code: string, message: string): void =>
  connection.send(new Sent({ says: "error", value: { code, message } }));

/** Subscriptions by topic (such as `orderbook:1`) and by listener, so that neither a change nor a closing connection needs a search. */
type Subscriptions<Listener> = {
  /** False if the listener is at its limit; a repeated subscription to a topic does not count. */
  readonly add: (listener: Listener, topic: string) => boolean;
  readonly remove: (listener: Listener, topic: string) => void;
  readonly removeAll: (listener: Listener) => void;
  /** In the order of subscription. */
  readonly listeners: (topic: string) => ReadonlySet<Listener>;
};

const NOBODY: ReadonlySet<never> = new Set();

function createSubscriptions<Listener>(topicsPerListenerMax: number): Subscriptions<Listener> {
  const byTopic = new Map<string, Set<Listener>>();
  const byListener = new Map<Listener, Set<string>>();

  function detach(listener: Listener, topic: string): void {
    const listeners = byTopic.get(topic);
    listeners?.delete(listener);
    if (listeners?.size === 0) byTopic.delete(topic);
  }

  return {
    add(listener, topic) {
      const topics = byListener.get(listener) ?? new Set();
      if (topics.has(topic)) return true;
      if (topics.size >= topicsPerListenerMax) return false;
      byListener.set(listener, topics.add(topic));
      byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(listener));
      return true;
    },
    remove(listener, topic) {
      if (byListener.get(listener)?.delete(topic)) detach(listener, topic);
    },
    removeAll(listener) {
      for (const topic of byListener.get(listener) ?? []) detach(listener, topic);
      byListener.delete(listener);
    },
    listeners: (topic) => byTopic.get(topic) ?? NOBODY,
  };
}
