// Law: whatever is sent, the devnet answers with a 2xx or a 4xx and lives on, and a bad request changes nothing.
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { controlRoutes } from "../../../../src/devnet/api/control/control.ts";
import { objectOf } from "../../../../src/devnet/api/control/fields.ts";
import { readFault } from "../../../../src/devnet/api/faults/fault-rules.ts";
import { createCredentials } from "../../../../src/devnet/api/http/credentials.ts";
import { createHost, type Log } from "../../../../src/devnet/api/http/host.ts";
import { type HttpListener, listen } from "../../../../src/devnet/api/http/http-listener.ts";
import { openDoor } from "../../../../src/devnet/api/http/open-door.ts";
import type { Route } from "../../../../src/devnet/api/http/router.ts";
import { createHistory } from "../../../../src/devnet/api/routes/history.ts";
import { restRoutes } from "../../../../src/devnet/api/routes/rest.ts";
import { createServedReads } from "../../../../src/devnet/api/routes/served-reads.ts";
import { validatorRoutes } from "../../../../src/devnet/api/routes/validator.ts";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { WireError } from "../../../../src/wire/errors.ts";
import { config, openChain } from "../chain/set-up.ts";

let chain: Chain;
let listener: HttpListener;
let exchange: readonly Route[];
const logged: string[] = [];

beforeAll(async () => {
  chain = openChain();
  const credentials = createCredentials(config);
  exchange = [
    ...validatorRoutes(chain, createServedReads(chain.reads), credentials),
    ...restRoutes(chain, credentials, createHistory(new Set())),
  ];
  const log: Log = (message) => logged.push(message);
  listener = await listen(
    { name: "all", host: "127.0.0.1", port: 0, bodyBytesMax: 16_384 },
    {
      host: createHost([...exchange, ...controlRoutes(chain, "real")], { log }),
      door: openDoor,
      clock: systemClock,
      log,
    },
  );
});

afterAll(() => listener.close());

/** JSON that resembles what is meant: known keys, wrong values. */
const nearJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.bigInt().map(Number),
    fc.double({ noNaN: true }),
    fc.string(),
    fc.constantFrom("1e999", "217.10", "Active", "ab".repeat(32), "__proto__"),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      "transaction",
      "PlaceOrder",
      "chain_id",
      "signer",
      "signature",
      "nonce",
      "timestamp",
      "price",
      "status",
      "usdc",
      "owner",
      "pubkey",
      "expiresAt",
      "validUntil",
      "advanceMs",
      "kind",
      "constructor",
    ),
    tie("value"),
    { maxKeys: 6 },
  ),
}));
const body = fc.oneof(
  nearJson.value.map((value) => Buffer.from(JSON.stringify(value) ?? "")),
  nearJson.object.map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 1, max: 8000 }).map((depth) => Buffer.from('{"a":'.repeat(depth))),
);
const segment = fc.oneof(
  fc.string({ maxLength: 30 }).map(encodeURIComponent),
  fc.constantFrom("1", "12", "0", "-1", "99999999999999999999", "..", "%2e%2e", "by-owner"),
);

async function survives(routes: readonly Route[]): Promise<void> {
  const anyRoute = fc.nat().map((at) => routes[at % routes.length]!);
  const anyRequest = fc.record({ route: anyRoute, segment, query: fc.webQueryParameters(), body });
  await fc.assert(
    fc.asyncProperty(anyRequest, async (sent) => {
      const path = sent.route.path.replace(/\{\w+\}/g, () => sent.segment || "x");
      const answer = await fetch(`${listener.url}${path}?${sent.query}`, {
        method: sent.route.method,
        headers: { "x-api-key": "secret-key" },
        ...(sent.route.method === "GET" ? {} : { body: sent.body }),
      });
      const text = await answer.text();
      expect(answer.status, text).toBeLessThan(500);
      if (answer.status >= 400) expect(Object.keys(JSON.parse(text))).toEqual(["error", "code"]);
    }),
    { numRuns: 100 },
  );
  expect(logged).toEqual([]);
}

it("requests to the exchange with any segment, query and body, and no account changes", async () => {
  const accounts = () => config.accounts.map(({ accountId }) => chain.reads.account(accountId));
  const before = accounts();
  await survives(exchange);
  expect(accounts()).toEqual(before);
});

it("requests to the control listener with any segment, query and body", async () => {
  await survives(controlRoutes(chain, "real"));
});

it("faults of any shape", () => {
  fc.assert(
    fc.property(nearJson.object, (fields) => {
      try {
        readFault(objectOf(fields, ""));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(WireError);
      }
    }),
  );
});
