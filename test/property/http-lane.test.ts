// Requests over real sockets to a server of changing moods: no request arrives twice, what is not sent never arrived, and an answer
// is that of its own request.

import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SocketLane } from "../../src/bot/venue/remote/http-lane.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { serveTcp } from "../unit/bot/venue/loopback.ts";

const moods = [
  "answer",
  "answerInPieces",
  "answerAndClose",
  "answerTwice",
  "reset",
  "close",
  "silence",
  "half",
  "wait",
] as const;
type Mood = (typeof moods)[number];

const answerTo = (id: string, ...headers: readonly string[]): string =>
  ["HTTP/1.1 200 OK", `Content-Length: ${id.length}`, ...headers, "", id].join("\r\n");

function behave(socket: Socket, mood: Mood, id: string): void {
  const whole = answerTo(id);
  switch (mood) {
    case "answer":
      return void socket.write(whole);
    case "answerInPieces":
      return void socket.write(whole.slice(0, 20), () => socket.write(whole.slice(20)));
    case "answerAndClose":
      return void socket.end(whole);
    case "answerTwice":
      return void socket.write(whole + whole);
    case "reset":
      return void socket.resetAndDestroy();
    case "close":
      return void socket.end();
    case "half":
      return void socket.end(whole.slice(0, 30));
    case "wait":
      return void setTimeout(() => socket.write(whole), 5);
    case "silence":
      return;
  }
}

test("each request arrives once at most, and its answer is its own", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...moods), { minLength: 1, maxLength: 30 }),
      fc.nat(3),
      async (order, warm) => {
        const arrived: string[] = [];
        const left = [...order];
        const server = await serveTcp((socket) => {
          let text = "";
          socket.on("data", (bytes) => {
            text += bytes.toString();
            const [, id] = /\r\n\r\n([\w-]{36})$/.exec(text) ?? [];
            if (id === undefined) return;
            text = "";
            arrived.push(id);
            behave(socket, left.pop() ?? "answer", id);
          });
        });
        const lane = new SocketLane(
          { origin: server.url, connections: 3, timeoutMs: 60, answerBytesMax: 1000, warmConnections: warm },
          { clock: systemClock },
        );
        try {
          const ids = order.map(() => randomUUID());
          const ends = await Promise.all(ids.map((body) => lane.send({ method: "POST", path: "/v1/tx", body })));
          expect(new Set(arrived).size).toBe(arrived.length);
          for (const [at, end] of ends.entries()) {
            const id = ids[at] ?? "";
            if (end.kind === "notSent") expect(arrived).not.toContain(id);
            if (end.kind === "answered") expect(end.body).toBe(id);
            if (end.kind === "answered") expect(arrived).toContain(id);
          }
        } finally {
          await lane.close();
          await server.close();
        }
      },
    ),
    { numRuns: 30 },
  );
});
