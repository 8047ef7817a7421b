// The stream over a chain: one snapshot a change, however many listen, and none made for nobody.
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createFaults } from "../../../../../src/devnet/api/faults/faults.ts";
import { ForeignSpeech } from "../../../../../src/devnet/api/faults/foreign-words.ts";
import { createHost } from "../../../../../src/devnet/api/http/host.ts";
import { type HttpListener, listen } from "../../../../../src/devnet/api/http/http-listener.ts";
import { openDoor } from "../../../../../src/devnet/api/http/open-door.ts";
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
let listener: HttpListener;
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
  listener = await listen(
    { name: "stream", host: "127.0.0.1", port: 0, bodyBytesMax: 1 },
    { host: createHost([], { log: () => {} }), door: openDoor, clock: systemClock, log: () => {} },
  );
  hub = createHub({
    chain: counting,
    faults: createFaults(systemClock, createPrng(1n)),
    speech: new ForeignSpeech(),
  });
  stream = serveStream(listener, defaultStreamOptions, { ...hub, clock: systemClock, log: () => undefined });
});

afterEach(async () => {
  hub.close();
  await stream.close();
  await listener.close();
});

it("a snapshot is made once for a hundred subscribers", async () => {
  const heard = Array.from({ length: 100 }, () => 0);
  await Promise.all(
    heard.map(async (_, at) => {
      const socket = new WebSocket(`${listener.url.replace("http", "ws")}/v1/ws`);
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
