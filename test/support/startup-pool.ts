// The front of a pool such as PgBouncer, before a real PostgreSQL: it reads a client's startup parameters, refuses the first that it was
// not told to ignore in PgBouncer's own words (08P01), and passes on the rest.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Parameters that PgBouncer tracks itself. */
const FOLLOWED: ReadonlySet<string> = new Set(["user", "database", "client_encoding", "application_name"]);
const HEAD_BYTES = 8;

export type StartupPool = { readonly port: number; readonly close: () => void };

/** `ignored`: `ignore_startup_parameters`. `socketPath`: of the server. */
export async function startPool(socketPath: string, ignored: readonly string[]): Promise<StartupPool> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client.on("error", () => {}));
    client.once("data", (start) => {
      const parameters = parametersOf(start);
      const refused = [...parameters.keys()].find((name) => !FOLLOWED.has(name) && !ignored.includes(name));
      if (refused !== undefined) {
        client.end(errorMessage(`unsupported startup parameter: ${refused}`));
        return;
      }
      const behind = connect(socketPath);
      sockets.add(behind.on("error", () => client.destroy()));
      behind.write(startMessage(new Map([...parameters].filter(([name]) => FOLLOWED.has(name)))));
      client.pipe(behind).pipe(client);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function parametersOf(start: Buffer): ReadonlyMap<string, string> {
  const words = start.subarray(HEAD_BYTES).toString("utf8").split("\0");
  const pairs = Array.from({ length: Math.floor(words.length / 2) }, (_, at) => words.slice(2 * at, 2 * at + 2));
  return new Map(pairs.filter(([name]) => name !== "").map(([name = "", value = ""]) => [name, value]));
}

function startMessage(parameters: ReadonlyMap<string, string>): Buffer {
  const body = Buffer.from(`${[...parameters].flat().join("\0")}\0\0`);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeInt32BE(HEAD_BYTES + body.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, body]);
}

function errorMessage(says: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0M${says}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E", 0);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
