// A command's words when another program answers at the daemon's address.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { askHeartbeat } from "../../../../src/daemon/running/ask-daemon.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";

it.each([
  ['{"error":"it needs a token"}', "it needs a token"],
  ['{"message":"go away"}', '{"message":"go away"}'],
  ["<h1>Forbidden</h1>\n", "<h1>Forbidden</h1>"],
])("a refusal of %j is told as it was given", async (body, why) => {
  const server = createServer((_, answer) => answer.writeHead(401).end(body));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  expect(await askHeartbeat(`http://127.0.0.1:${port}`, 2000, systemClock)).toMatchObject({ httpStatus: 401, why });
  server.close();
});
