// A client of the stream that keeps every frame, for tests that judge frames.

import { once } from "node:events";
import { WebSocket } from "ws";
import { until } from "./until.ts";

type Frame = Readonly<Record<string, never>>;

export type Ear = {
  readonly frames: readonly Frame[];
  readonly of: (type: string) => readonly Frame[];
  readonly say: (message: unknown) => void;
  /** Resolves when everything sent before has arrived. */
  readonly settled: () => Promise<void>;
  readonly socket: WebSocket;
};

/** Opens a stream, subscribes, and resolves after a pong. Adds the socket to `sockets`, to close it. */
export async function hear(wsUrl: string, sockets: WebSocket[], channels: readonly unknown[]): Promise<Ear> {
  const socket = new WebSocket(wsUrl);
  sockets.push(socket);
  const frames: Frame[] = [];
  socket.on("message", (bytes: Buffer) => frames.push(JSON.parse(bytes.toString())));
  socket.on("error", () => undefined);
  await once(socket, "open");
  const say = (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const of = (type: string) => frames.filter((frame) => frame.type === type);
  const settled = async () => {
    const before = of("pong").length;
    say({ type: "ping" });
    await until("a pong", () => of("pong").length > before);
  };
  if (channels.length > 0) say({ type: "subscribe", channels });
  await settled();
  return { socket, frames, of, say, settled };
}
