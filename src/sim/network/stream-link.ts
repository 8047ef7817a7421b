// A WebSocket over a simulated connection: frames arrive in the order of sending, all of one instant together, unless a fault changes that.
// A connection may become silent without being closed.

import type { Connect, SocketEvents, StreamSocket } from "../../client/stream/socket.ts";
import type { Sent } from "../../devnet/api/stream/frames.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { SimulatedExchange, StreamEnd } from "../exchange.ts";
import type { Reach } from "../process-run.ts";
import type { NetworkConditions } from "./network-conditions.ts";

export type StreamWitness = {
  readonly onOpen: () => void;
  /** The frame reached the process. */
  readonly onFrame: (text: string) => void;
  readonly onClose: () => void;
};

export type StreamLinkModules = {
  readonly world: Clock;
  readonly processRun: Reach;
  readonly exchange: SimulatedExchange;
  readonly conditions: NetworkConditions;
  readonly witness: StreamWitness;
  /** Called for each connection when it opens, so that a fault can find it. */
  readonly register: (connection: LinkConnection) => void;
};

export type LinkConnection = {
  readonly isOpen: () => boolean;
  /** From now on: `silent`: nothing arrives either way; `pongsOnly`: pings are answered and nothing else arrives. */
  readonly mute: (how: "silent" | "pongsOnly") => void;
  /** The exchange's side breaks it. */
  readonly drop: () => void;
};

const PONG = '{"type":"pong"';

export function createStreamLink(modules: StreamLinkModules): Connect {
  return ({ handshakeTimeoutMs }, events) => {
    const connection = new Link(modules, events);
    connection.open(handshakeTimeoutMs);
    return connection;
  };
}

class Link implements StreamSocket {
  readonly #modules: StreamLinkModules;
  readonly #events: SocketEvents;
  #end: StreamEnd | null = null;
  #isDestroyed = false;
  #muted: "no" | "silent" | "pongsOnly" = "no";
  /** Frames of the current instant, and when the last frame so far will have arrived. */
  #flush: { readonly sentMs: number; readonly frames: Sent[] } | null = null;
  #lastArrivalMs = 0;
  /** When the client's last message will have arrived. */
  #lastSaidMs = 0;

  constructor(modules: StreamLinkModules, events: SocketEvents) {
    this.#modules = modules;
    this.#events = events;
  }

  open(handshakeTimeoutMs: number): void {
    const { world, processRun, exchange, conditions } = this.#modules;
    const fate = conditions.forConnection();
    if (fate === "hangs") {
      processRun.clock.after(handshakeTimeoutMs, () => this.#break(new Error("simulated: handshake timed out")));
      return;
    }
    world.after(2 * conditions.latencyMs(), () => {
      if (fate === "refused") return this.#arrive(() => this.#break(new Error("simulated: refused")));
      if (this.#isDestroyed || processRun.isDead) return;
      this.#end = exchange.connect(
        (frame) => this.#send(frame),
        () => this.#drop(),
      );
      this.#modules.register({
        isOpen: () => !this.#isDestroyed && this.#end !== null && !processRun.isDead,
        mute: (how) => {
          this.#muted = how;
        },
        drop: () => this.#drop(),
      });
      this.#arrive(() => {
        this.#modules.witness.onOpen();
        this.#events.onOpen();
      });
    });
  }

  /** Messages arrive in the order in which they were sent. */
  send(text: string): void {
    const { world, conditions } = this.#modules;
    const nowMs = world.monotonicMs();
    this.#lastSaidMs = Math.max(this.#lastSaidMs, nowMs + conditions.latencyMs());
    world.after(this.#lastSaidMs - nowMs, () => {
      if (!this.#isDestroyed && this.#muted !== "silent") this.#end?.received(text);
    });
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#leave();
    this.#modules.witness.onClose();
    this.#arrive(this.#events.onClose);
  }

  /** The exchange sends a frame: all of one instant arrive together, and none before an earlier one. */
  #send(frame: Sent): void {
    const { world, processRun, conditions } = this.#modules;
    if (processRun.isDead) this.#leave();
    if (processRun.isDead || this.#end === null) return;
    if (this.#muted === "silent" || (this.#muted === "pongsOnly" && !isPong(frame))) return;
    const { copies, delayMs, before } = conditions.forFrame(frame);
    if (before !== undefined) this.#enqueue(before);
    if (delayMs > 0) {
      for (let copy = 0; copy < copies; copy += 1) world.after(delayMs, () => this.#enqueue(frame));
      return;
    }
    for (let copy = 0; copy < copies; copy += 1) this.#enqueue(frame);
  }

  #enqueue(frame: Sent): void {
    const { world, conditions } = this.#modules;
    const nowMs = world.monotonicMs();
    if (this.#flush?.sentMs === nowMs) {
      this.#flush.frames.push(frame);
      return;
    }
    const flush = { sentMs: nowMs, frames: [frame] };
    this.#flush = flush;
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, nowMs + conditions.latencyMs());
    world.after(this.#lastArrivalMs - nowMs, () => {
      if (this.#flush === flush) this.#flush = null;
      for (const each of flush.frames) this.#arrive(() => this.#deliver(each));
    });
  }

  #deliver(frame: Sent): void {
    if (this.#isDestroyed) return;
    const { exchange, witness } = this.#modules;
    const { message } = frame;
    if (exchange.shortcuts && message?.says === "orderbook") this.#events.onBook(message.value);
    else {
      witness.onFrame(frame.text);
      for (const said of exchange.speech.isForeign ? exchange.speech.frames(frame) : [frame])
        if (said.isBinary) this.#events.onBinary(said.bytes);
        else this.#events.onText(said.text);
    }
  }

  #drop(): void {
    if (this.#isDestroyed || this.#end === null) return;
    this.#leave();
    this.#modules.world.after(this.#modules.conditions.latencyMs(), () => this.#arrive(() => this.#break(null)));
  }

  /** The process learns that the connection is gone. */
  #break(error: Error | null): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#leave();
    this.#modules.witness.onClose();
    if (error !== null) this.#events.onError(error);
    this.#events.onClose();
  }

  #leave(): void {
    this.#end?.closed();
    this.#end = null;
  }

  #arrive(run: () => void): void {
    this.#modules.processRun.enter(run);
  }
}

const isPong = ({ text }: Sent): boolean => text.startsWith(PONG);
