// Reads over real sockets: each failure is a ReadError with its code, and nothing that does not parse becomes a value.

import { afterEach, expect, test } from "vitest";
import { ReadError, type Venue } from "../../../../src/bot/venue/port.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../../../../src/bot/venue/remote/remote.ts";
import { accountId } from "../../../../src/domain/units.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { until } from "../../../support/until.ts";
import { deadUrl, heldClock, serveHttp } from "./loopback.ts";

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

function venueAt(validatorUrl: string, clock = systemClock): Venue {
  const venue = createRemoteVenue(
    { ...defaultRemoteOptions, readTimeoutMs: 2000, validatorUrl },
    { clock, prng: createPrng(1n), report: () => {} },
  );
  open.push(venue);
  return venue;
}

async function answering(status: number, body: string) {
  const server = await serveHttp((_, response) => response.writeHead(status).end(body));
  open.push(server);
  return server;
}

const failure = async (read: Promise<unknown>): Promise<ReadError> => {
  const thrown: unknown = await read.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ReadError);
  return thrown as ReadError;
};

const BOOK = `{"marketId":1,"bids":[{"price":"10100000000","size":"1000000","orderCount":1}],"asks":[]}`;

test("a read asks for its path and decodes what comes", async () => {
  const server = await answering(200, BOOK);
  const book = await venueAt(server.url).reads.book(1);
  expect(book.bids).toEqual([{ price: 10_100_000_000n, size: 1_000_000n, orderCount: 1 }]);
  expect(server.received).toEqual([{ method: "GET", path: "/v1/markets/1/orderbook", body: "" }]);
});

test("account ids are exact over their whole type", async () => {
  const server = await answering(404, "{}");
  await failure(venueAt(server.url).reads.account(accountId(18_446_744_073_709_551_615n)));
  expect(server.received[0]?.path).toBe("/v1/accounts/18446744073709551615");
});

test("the open-order cap is null when the treasury names none that we know", async () => {
  const server = await answering(200, `{"account_activation_fee_usdc":"5000000"}`);
  expect(await venueAt(server.url).reads.openOrderCap()).toBeNull();
});

test.each([
  [404, "{}", "httpStatus"],
  [500, "{}", "httpStatus"],
  [429, "{}", "httpStatus"],
  [200, "<html>", "malformed"],
  [200, `{"marketId":1}`, "malformed"],
  [200, `{"marketId":1,"bids":[{"price":"-1","size":"1","orderCount":1}],"asks":[]}`, "implausible"],
  [200, `{"marketId":2,"bids":[],"asks":[]}`, "implausible"],
] as const)("%i %j is an error of kind %s", async (status, body, code) => {
  const server = await answering(status, body);
  const error = await failure(venueAt(server.url).reads.book(1));
  expect(error.code).toBe(code);
  expect(error.httpStatus).toBe(status);
  expect(error.message).toContain("GET /v1/markets/1/orderbook");
});

test("nobody listening is unreachable, with the cause", async () => {
  const error = await failure(venueAt(await deadUrl()).reads.node());
  expect(error.code).toBe("unreachable");
  expect(error.cause).toBeInstanceOf(Error);
});

test("no answer in time is a timeout", async () => {
  const server = await serveHttp(() => {});
  open.push(server);
  const { clock, pass } = heldClock();
  const failed = failure(venueAt(server.url, clock).reads.node());
  await until("the request to arrive", () => server.received.length === 1);
  pass();
  expect((await failed).code).toBe("timeout");
});

test("any status of success is one", async () => {
  const server = await answering(203, BOOK);
  expect((await venueAt(server.url).reads.book(1)).bids).toHaveLength(1);
});

test("a list that is none is named with its path", async () => {
  const server = await answering(200, `{"positions":{}}`);
  const { message } = await failure(venueAt(server.url).reads.positions(accountId(12n)));
  expect(message).toBe("GET /v1/accounts/12/positions: must be a list");
});
