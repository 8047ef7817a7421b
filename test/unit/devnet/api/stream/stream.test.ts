// The stream over a chain: one snapshot a change, however many listen, and none made for nobody.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createFaults } from "../../../../../src/devnet/api/faults/faults.ts";
import { createHub, type StreamHub } from "../../../../../src/devnet/api/stream/stream.ts";
import {
  defaultStreamOptions,
  type StreamServer,
  serveStream,
} from "../../../../../src/devnet/api/stream/stream-server.ts";
import type { Chain } from "../../../../../src/devnet/chain/chain.ts";
import { price } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../../src/kernel/prng.ts";
import { until } from "../../../../support/until.ts";
import { inOneBlock, openChain, order, seal } from "../../chain/set-up.ts";

let chain: Chain;
let server: Server;
let hub: StreamHub;
let stream: StreamServer;
let booksRead = 0;

beforeEach(async () => {
  booksRead = 0;
  chain = openChain();
  const counting: Chain = {
    ...chain,
    reads: {
      ...chain.reads,
      book(market, depth) {
        booksRead += 1;
        return chain.reads.book(market, depth);
      },
    },
  };
  server = createServer();
  hub = createHub({ chain: counting, faults: createFaults(systemClock, createPrng(1n)) });
  stream = serveStream(server, defaultStreamOptions, { ...hub, clock: systemClock, log: () => undefined });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterEach(async () => {
  hub.close();
  await stream.close();
  server.close();
});

it("a snapshot is made once for a hundred subscribers", async () => {
  const heard = Array.from({ length: 100 }, () => 0);
  await Promise.all(
    heard.map(async (_, at) => {
      const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ws`);
      socket.on("message", () => {
        heard[at] = (heard[at] ?? 0) + 1;
      });
      await once(socket, "open");
      socket.send('{"type":"subscribe","channels":[{"channel":"orderbook","market_id":1}]}');
    }),
  );
  await until("a first snapshot for each", () => heard.every((count) => count === 1));
  expect(booksRead).toBe(1);
  await inOneBlock(chain, [seal(order()), seal(order({ price: price(19_800_000_000n) }))]);
  await until("a snapshot after each of the two changes", () => heard.every((count) => count === 3));
  expect(booksRead).toBe(3);
});

it("no snapshot is made where nobody listens", async () => {
  await inOneBlock(chain, [seal(order())]);
  expect(booksRead).toBe(0);
});
