// Faults on demand, each seen from the client's side of the socket, and the limits that keep one client from hurting others.

import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { price } from "../../src/domain/units.ts";
import { seriesOf } from "../support/index-series.ts";
import { until } from "../support/until.ts";
import { ALICE, config as manual, order } from "../unit/devnet/chain/set-up.ts";
import { ask, config, control, listen, send, start, stopAll } from "./devnet-set-up.ts";

afterEach(stopAll);

async function faulty(fault: Record<string, unknown>): Promise<Devnet> {
  const devnet = await start();
  expect((await control(devnet, "POST", "/faults", fault)).status).toBe(200);
  return devnet;
}

const resting = (devnet: Devnet) => devnet.chain.reads.account(ALICE)?.openOrders.length;
const nodeInfo = (devnet: Devnet) => ask(`${devnet.validatorUrl}/v1/node/info`);

describe("faults of requests", () => {
  it("drop before execution: no answer, and nothing happened", async () => {
    const devnet = await faulty({ kind: "dropBefore", count: 1 });
    await expect(send(devnet, order())).rejects.toThrow();
    expect(resting(devnet)).toBe(0);
    expect((await send(devnet, order())).body.status).toBe("success");
  });

  it("drop after execution: no answer, but it happened", async () => {
    const devnet = await faulty({ kind: "dropAfter", count: 1 });
    await expect(send(devnet, order())).rejects.toThrow();
    expect(resting(devnet)).toBe(1);
  });

  it("a status before execution, with and without Retry-After", async () => {
    const devnet = await faulty({ kind: "status", status: 429, retryAfterSecs: 3, count: 1 });
    const told = await send(devnet, order());
    expect([told.status, told.headers.get("retry-after"), resting(devnet)]).toEqual([429, "3", 0]);
    await control(devnet, "POST", "/faults", { kind: "status", status: 429, count: 1 });
    expect((await send(devnet, order())).headers.get("retry-after")).toBeNull();
  });

  it("a 5xx although it was executed", async () => {
    const devnet = await faulty({ kind: "status", status: 502, executes: true, count: 1 });
    expect((await send(devnet, order())).status).toBe(502);
    expect(resting(devnet)).toBe(1);
  });

  it("a garbage body", async () => {
    const devnet = await faulty({ kind: "garbage", count: 1 });
    const answer = await nodeInfo(devnet);
    expect(() => JSON.parse(answer.text)).toThrow();
  });

  it("a half-open socket: the answer never comes, and others are served", async () => {
    const devnet = await faulty({ kind: "halfOpen", action: "PlaceOrder", count: 1 });
    let ended = false;
    const placed = send(devnet, order()).finally(() => {
      ended = true;
    });
    placed.catch(() => undefined);
    await until("the order rests", () => resting(devnet) === 1);
    expect((await nodeInfo(devnet)).status).toBe(200);
    expect(ended).toBe(false);
  });

  it("a delay before or after", async () => {
    const devnet = await faulty({ kind: "delay", delayAnswerMs: 60_000, count: 1 });
    send(devnet, order()).catch(() => undefined);
    await until("the order rests before its answer is due", () => resting(devnet) === 1);
    await control(devnet, "POST", "/faults", { kind: "delay", delayMs: 30, count: 1 });
    expect((await nodeInfo(devnet)).status).toBe(200);
  });

  it("strikes only the route and the action it names", async () => {
    const devnet = await faulty({ kind: "status", status: 503, route: "POST /v1/tx", action: "CancelAllOrders" });
    expect((await send(devnet, order())).status).toBe(200);
    expect((await nodeInfo(devnet)).status).toBe(200);
    expect((await send(devnet, { type: "CancelAllOrders", marketId: null })).status).toBe(503);
  });

  it("strikes with the probability it names, by the devnet's seed", async () => {
    const strike = async () => {
      const devnet = await faulty({ kind: "status", status: 500, probability: 0.5 });
      const statuses: number[] = [];
      for (let i = 0; i < 20; i += 1) statuses.push((await nodeInfo(devnet)).status);
      return statuses;
    };
    const first = await strike();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await strike()).toEqual(first);
  });

  it("ends with its time, with its count, or when it is deleted", async () => {
    const devnet = await faulty({ kind: "status", status: 500, forMs: 20 });
    await until("its time is over", async () => (await nodeInfo(devnet)).status === 200);
    const { body } = await control(devnet, "POST", "/faults", { kind: "status", status: 500, count: 2 });
    await nodeInfo(devnet);
    expect((await control(devnet, "GET", "/faults")).body.faults).toMatchObject([
      { id: body.id, kind: "status", hits: 1 },
    ]);
    expect((await control(devnet, "DELETE", `/faults/${body.id}`)).status).toBe(200);
    expect((await nodeInfo(devnet)).status).toBe(200);
    await control(devnet, "POST", "/faults", { kind: "garbage" });
    await control(devnet, "DELETE", "/faults");
    expect((await control(devnet, "GET", "/faults")).body).toEqual({ faults: [] });
  });

  it("never strikes the control listener", async () => {
    const devnet = await faulty({ kind: "dropBefore" });
    expect((await control(devnet, "GET", "/state")).status).toBe(200);
  });

  it.each([
    [{}],
    [{ kind: "rain" }],
    [{ kind: "status" }],
    [{ kind: "status", status: 200 }],
    [{ kind: "delay", delayMs: -1 }],
    [{ kind: "delay", probability: 2 }],
    [{ kind: "swallowFrames", channel: "weather" }],
    [{ kind: "oracleJump", marketId: 1 }],
    [{ kind: "clockOffset", offsetMs: 1e12 }],
    [{ kind: "dropBefore", speed: 1 }],
  ])("%j is no fault: 400", async (fault) => {
    const devnet = await start();
    expect((await control(devnet, "POST", "/faults", fault)).status).toBe(400);
  });
});

describe("faults of the stream", () => {
  const book = [{ channel: "orderbook", market_id: 1 }];

  it("swallows frames", async () => {
    const devnet = await faulty({ kind: "swallowFrames", channel: "orders", count: 1 });
    const { of, settled } = await listen(devnet, [{ channel: "orders", account_id: 12 }, ...book]);
    await send(devnet, order());
    await settled();
    expect([of("orderPlaced").length, of("orderbookSnapshot").length]).toEqual([0, 2]);
  });

  it("sends frames twice", async () => {
    const devnet = await faulty({ kind: "duplicateFrames", channel: "orders" });
    const { of, settled } = await listen(devnet, [{ channel: "orders", account_id: 12 }]);
    await send(devnet, order());
    await settled();
    expect(of("orderPlaced")).toHaveLength(2);
  });

  it("gives a new subscriber the snapshot before the present one", async () => {
    const devnet = await start();
    await listen(devnet, book);
    await send(devnet, order());
    await control(devnet, "POST", "/faults", { kind: "staleSnapshot", count: 1 });
    const stale = await listen(devnet, book);
    expect(stale.of("orderbookSnapshot")).toMatchObject([{ bids: [] }]);
    const fresh = await listen(devnet, book);
    expect(fresh.of("orderbookSnapshot")[0]?.bids).toHaveLength(1);
  });

  it("goes half-open: the socket stays, and nothing comes, not even a pong", async () => {
    const devnet = await start();
    const { socket, say, frames } = await listen(devnet, book);
    const before = frames.length;
    await control(devnet, "POST", "/faults", { kind: "muteStream" });
    say({ type: "ping" });
    await send(devnet, order());
    const witness = await listen(devnet, book);
    await witness.settled();
    expect([frames.length, socket.readyState]).toEqual([before, WebSocket.OPEN]);
  });

  it("drops every connection, and refuses new ones for a while", async () => {
    const devnet = await start();
    const { socket } = await listen(devnet, book);
    await control(devnet, "POST", "/faults", { kind: "refuseStream", count: 1 });
    const closed = once(socket, "close");
    await control(devnet, "POST", "/faults", { kind: "dropStream" });
    await closed;
    await expect(listen(devnet, book)).rejects.toThrow("503");
    await listen(devnet, book);
  });
});

describe("faults of the chain", () => {
  it("pauses a market for a while", async () => {
    const devnet = await faulty({ kind: "marketPaused", marketId: 1, forMs: 700 });
    expect(devnet.chain.reads.market(1)?.status).toBe("Paused");
    await until("the pause is over", () => devnet.chain.reads.market(1)?.status === "Active");
  });

  it("halts an oracle for a while, and makes it jump", async () => {
    const devnet = await faulty({ kind: "oracleHalted", marketId: 1, forMs: 700 });
    expect(devnet.chain.reads.oracle(1)?.status).toBe("Halted");
    await until("the halt is over", () => devnet.chain.reads.oracle(1)?.status === "Active");
    await control(devnet, "POST", "/faults", { kind: "oracleJump", marketId: 1, bps: -500 });
    expect(devnet.chain.reads.oracle(1)?.price).toBe(price(19_000_000_000n));
  });

  it("makes prints late: the oracle goes stale, then comes back", async () => {
    const series = seriesOf([201n, 202n, 203n].map((usd) => usd * 100_000_000n));
    const markets = config.markets.map((market) => ({
      ...market,
      oracle: { source: "csv" as const, series, choice: null, printEverySecs: 1, validForSecs: 1.1 },
    }));
    const clock = { mode: "manual" as const, startMs: 1_790_000_000_000 };
    const devnet = await start({ ...manual, markets, blockTimeMs: 200, clock });
    await control(devnet, "POST", "/faults", { kind: "oracleLate", marketId: 1, lateMs: 600 });
    const seen: string[] = [];
    for (let block = 1; block <= 9; block += 1) {
      await control(devnet, "POST", "/clock", { advanceMs: 200 });
      const oracle = devnet.chain.reads.oracle(1);
      seen.push(`${oracle?.status} ${Number(oracle?.price) / 1e8}`);
    }
    expect(seen.slice(0, 5)).toEqual(Array(5).fill("Active 201"));
    expect(seen.slice(5, 7)).toEqual(Array(2).fill("Stale 201"));
    expect(seen.slice(7)).toEqual(Array(2).fill("Active 202"));
  });

  it("puts the chain's clock off", async () => {
    const devnet = await faulty({ kind: "clockOffset", offsetMs: 3_600_000 });
    await until("an hour ahead", () => devnet.chain.timeMs() > Date.now() + 3_000_000);
    expect((await send(devnet, order(), { timestampSec: Math.floor(Date.now() / 1000) })).body.code).toBe("TIMESTAMP");
  });

  it.each([
    [{ kind: "marketPaused", marketId: 9 }],
    [{ kind: "oracleHalted", marketId: 9 }],
    [{ kind: "oracleLate", marketId: 9, lateMs: 1 }],
    [{ kind: "oracleJump", marketId: 9, bps: 1 }],
  ])("%j names no market: 404", async (fault) => {
    const devnet = await start();
    expect((await control(devnet, "POST", "/faults", fault)).status).toBe(404);
  });
});

describe("limits", () => {
  it("a message that is too large ends its connection, and no other", async () => {
    const devnet = await start();
    const loud = await listen(devnet, []);
    const quiet = await listen(devnet, []);
    const closed = once(loud.socket, "close");
    loud.say("x".repeat(200_000));
    await closed;
    await quiet.settled();
  });

  it("subscriptions of one connection are bounded", async () => {
    const devnet = await start();
    const { of, say, settled } = await listen(devnet, []);
    const channels = (from: number) =>
      Array.from({ length: 1000 }, (_, at) => ({ channel: "fills", account_id: from + at }));
    say({ type: "subscribe", channels: channels(0) });
    await settled();
    expect(of("error")).toEqual([]);
    say({ type: "subscribe", channels: channels(1000).slice(0, 3) });
    await settled();
    expect(of("error")).toHaveLength(3);
  });

  it("idle connections by the hundred cost nobody anything", async () => {
    const devnet = await start();
    const sockets = await Promise.all(
      Array.from({ length: 300 }, () => listen(devnet, [{ channel: "trades", market_id: 1 }])),
    );
    expect((await send(devnet, order())).body.status).toBe("success");
    await Promise.all(sockets.map(({ settled }) => settled()));
  });

  it("an upgrade elsewhere than /v1/ws is 404", async () => {
    const devnet = await start();
    const socket = new WebSocket(devnet.wsUrl.replace("/v1/ws", "/v2/ws"));
    const [failure] = await once(socket, "error");
    expect(String(failure)).toContain("404");
  });

  it("requests beyond the rate of the configuration get 429, on the control listener never", async () => {
    const devnet = await start({ ...config, throttle: { requestsPerSecond: 3, actionBudget: 0 } });
    // At once, and more than a slow machine's seconds refill.
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await nodeInfo(devnet)).status));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    for (let i = 0; i < 5; i += 1) expect((await control(devnet, "GET", "/state")).status).toBe(200);
  });
});
