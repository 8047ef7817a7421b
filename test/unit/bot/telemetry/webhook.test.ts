// The webhook against a real HTTP server: signed, within seconds, again after lost answers and 500s, bounded while the target is down.

import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Webhook, type WebhookResult } from "../../../../src/bot/telemetry/webhook.ts";
import { criticalEvent, shapes } from "../../../../src/bot/telemetry/webhook-shapes.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const SECRET = "a-secret-of-the-test";
const event = {
  event: "latch.tripped",
  account: "12",
  market: 1,
  reason: "market 1 halted: a loss",
  atMs: Date.now(),
};

type Seen = { readonly body: string; readonly signature: string | undefined };
let seen: Seen[];
/** What the target does with each request in turn; then it takes all. */
let answers: ("lost" | number)[];
let server: Server;
let url: string;
let results: WebhookResult[];
let dropped: string[];

beforeEach(async () => {
  [seen, answers, results, dropped] = [[], [], [], []];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const signature = request.headers["x-quoin-signature"] as string | undefined;
      seen.push({ body: Buffer.concat(chunks).toString("utf8"), signature });
      const answer = answers.shift() ?? 200;
      if (answer === "lost") request.socket.destroy();
      else response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterEach(() => server.close());

const makeWebhook = (at: string, haltUrl: string | null = null) =>
  new Webhook(
    { url: at, format: "json", secret: SECRET, haltUrl },
    {
      clock: systemClock,
      post: async (to, body, headers) => (await fetch(to, { method: "POST", body, headers })).status,
      count: (result) => results.push(result),
      onDropped: (why) => dropped.push(why),
    },
  );

describe("an event", () => {
  test("arrives as our JSON, signed over its very bytes", async () => {
    const webhook = makeWebhook(url);
    webhook.tell(event);
    await webhook.close(5000);
    const [{ body, signature } = { body: "", signature: "" }] = seen;
    expect(JSON.parse(body)).toEqual(event);
    expect(signature).toBe(`sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`);
    expect(results).toEqual(["sent"]);
  });

  test("arrives within five seconds although an answer was lost, one was 500 and one 429, and counts once", async () => {
    answers = ["lost", 500, 429];
    const webhook = makeWebhook(url);
    webhook.tell(event);
    // Gives up after so long.
    await webhook.close(5000);
    expect([seen.length, results]).toEqual([4, ["sent"]]);
  });

  test("that the target refuses for good does not keep the next one back", async () => {
    answers = [400];
    const webhook = makeWebhook(url);
    webhook.tell(event);
    webhook.tell({ ...event, event: "massCancel.failed" });
    await webhook.close(5000);
    expect(results).toEqual(["dropped", "sent"]);
    expect(dropped).toEqual(["latch.tripped: the target answers with 400"]);
  });
});

describe("a target that is down", () => {
  test("holds two hundred events at most, and the newest arrive in their order when it is back", async () => {
    answers = Array.from({ length: 3 }, () => 503);
    const webhook = makeWebhook(url);
    for (let market = 0; market < 250; market += 1) webhook.tell({ ...event, market });
    expect(results).toEqual(Array.from({ length: 50 }, () => "dropped"));
    await webhook.close(10_000);
    const markets = seen.slice(3).map(({ body }) => (JSON.parse(body) as { market: number }).market);
    expect(markets.slice(-200)).toEqual(Array.from({ length: 200 }, (_, index) => index + 50));
  });

  test("does not keep a process from ending", async () => {
    const webhook = makeWebhook("http://127.0.0.1:9/nobody");
    webhook.tell(event);
    await webhook.close(200);
    expect(results).toEqual([]);
  });

  test("is asked ever more rarely, and an event of an hour ago is given up", async () => {
    const clock = createVirtualClock({
      startMs: event.atMs,
      settle: () => new Promise((resolve) => setImmediate(resolve)),
    });
    let asked = 0;
    const webhook = new Webhook(
      { url, format: "json", secret: SECRET, haltUrl: null },
      {
        clock,
        post: () => {
          asked += 1;
          return Promise.reject(new Error("down"));
        },
        count: (result) => results.push(result),
        onDropped: () => {},
      },
    );
    webhook.tell({ ...event, atMs: clock.wallMs() });
    for (let second = 0; second < 3700; second += 1) await clock.advance(1000);
    expect(results).toEqual(["dropped"]);
    expect(asked).toBeGreaterThan(100);
    expect(asked).toBeLessThan(140);
  });
});

test("a line of level error is an event; others are none", () => {
  const line = { level: "error", time: 7, event: "latch.tripped", account: "12", market: null, msg: "halted" };
  const told = { event: "latch.tripped", account: "12", market: null, reason: "halted", atMs: 7 };
  expect(criticalEvent(JSON.stringify(line))).toEqual(told);
  expect(criticalEvent(JSON.stringify({ ...line, level: "warn" }))).toBeUndefined();
});

test("the numbers of a day go as JSON beside the sentence, and not where a target takes sentences", () => {
  const day = { ...event, event: "day.summary", summary: { fills: 3 } };
  expect(shapes.json(day, SECRET, null)).toEqual(day);
  expect(shapes.json(event, SECRET, null)).toEqual(event);
  expect(shapes.slack(day, SECRET, null)).toEqual({ text: "Quoin: market 1 halted: a loss (day.summary)" });
});

describe("ready shapes", () => {
  const text = "Quoin: market 1 halted: a loss (latch.tripped)";
  test.each([
    ["slack", { text }],
    ["discord", { content: text, allowed_mentions: { parse: [] } }],
    ["telegram", { text }],
    [
      "pagerduty",
      {
        routing_key: SECRET,
        event_action: "trigger",
        dedup_key: "latch.tripped 12 1",
        payload: {
          summary: text,
          source: "quoin",
          severity: "critical",
          timestamp: new Date(event.atMs).toISOString(),
          custom_details: event,
        },
      },
    ],
  ] as const)("%s", (format, body) => {
    expect(shapes[format](event, SECRET, null)).toEqual(body);
  });

  test("each has the link to halt where it fits, and the end of a day has none", async () => {
    const link = "https://quoin.lan/#ask=halt";
    expect(shapes.json(event, SECRET, link)).toEqual({ ...event, haltUrl: link });
    for (const format of ["slack", "telegram"] as const)
      expect(shapes[format](event, SECRET, link)).toEqual({ text: `${text} Halt: ${link}` });
    expect(shapes.discord(event, SECRET, link)).toMatchObject({ content: `${text} Halt: ${link}` });
    expect(shapes.pagerduty(event, SECRET, link)).toMatchObject({
      payload: { summary: text },
      links: [{ href: link, text: "Halt" }],
    });
    const webhook = makeWebhook(url, link);
    webhook.tell(event);
    webhook.tell({ ...event, event: "day.summary", summary: {} });
    await webhook.close(5000);
    expect(seen.map(({ body }) => (JSON.parse(body) as { haltUrl?: string }).haltUrl)).toEqual([link, undefined]);
  });

  test("a reason of any length fits", () => {
    const { text: cut } = shapes.slack({ ...event, reason: "x".repeat(5000) }, SECRET, null) as { text: string };
    expect(cut.length).toBeLessThanOrEqual(1000);
  });
});
