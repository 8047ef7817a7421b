// One keep-alive connection with many requests at once: they go out in order, and answers come back in that order. Several times as fast as
// fetch, so that an audit waits for the exchange, not for its client.

import { once } from "node:events";
import { connect } from "node:net";

export type Answer = { readonly status: number; readonly text: string };

export type Line = {
  readonly ask: (method: "GET" | "POST" | "PATCH", path: string, body?: string, headers?: string) => Promise<Answer>;
  readonly close: () => void;
};

type Waiting = { readonly resolve: (answer: Answer) => void; readonly reject: (cause: Error) => void };

const HEAD_END = Buffer.from("\r\n\r\n");

/** Rejects what waits when the connection ends. */
export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  const waiting: Waiting[] = [];
  let unread: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    let at = 0;
    for (;;) {
      const headEnd = unread.indexOf(HEAD_END, at);
      if (headEnd < 0) break;
      const head = unread.toString("latin1", at, headEnd);
      const bodyAt = headEnd + HEAD_END.length;
      const end = bodyAt + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (unread.length < end) break;
      waiting.shift()?.resolve({ status: Number(head.slice(9, 12)), text: unread.toString("utf8", bodyAt, end) });
      at = end;
    }
    if (at > 0) unread = unread.subarray(at);
  });
  const ended = () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the connection to ${url} ended`));
  };
  socket.on("error", ended);
  socket.on("close", ended);
  return {
    ask: (method, path, body = "", headers = "") =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        const type = body === "" ? "" : "content-type: application/json\r\n";
        socket.write(
          `${method} ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${headers}${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      }),
    close: () => socket.destroy(),
  };
}
