// Who may come in from where: the exchange's hosts are open to every browser app, the control listener to programs of this machine alone.

import { once } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { type Browser, hasBrowser, openBrowser } from "../support/browser.ts";
import { ALICE, order, seal } from "../unit/devnet/chain/set-up.ts";
import { ask, control, nextNonce, start, stopAll } from "./devnet-set-up.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await start();
});
afterAll(stopAll);

const collateral = async () => (await ask(`${devnet.validatorUrl}/v1/accounts/${ALICE}`)).body.collateral;
const deposit = `/accounts/${ALICE}/deposit`;
const JSON_TYPE = { "content-type": "application/json" };

/** Asks control with headers as they are: fetch would not let a Host or Origin be named. */
function controlWith(
  headers: Readonly<Record<string, string>>,
  { method = "POST", path = deposit, body = '{"usdc":"1"}' } = {},
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(devnet.controlUrl + path, { method, headers }, async (answer) => {
      const names = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"));
      expect(names).toEqual([]);
      let text = "";
      for await (const chunk of answer) text += chunk;
      resolve({ status: answer.statusCode, text });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

describe("the control listener", () => {
  it.each(["127.0.0.1", "127.0.0.1:1", "127.8.9.10:18082", "localhost", "LocalHost:18082", "[::1]:18082", "[::1]"])(
    "answers a program that calls it %s",
    async (host) => {
      expect(await controlWith({ ...JSON_TYPE, host })).toEqual({ status: 200, text: '{"status":"success"}' });
    },
  );

  it.each([
    "evil.example",
    "evil.example:18082",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "xlocalhost",
    "10.0.0.1:18082",
    "localhost:18082:1",
    "localhost@evil.example",
    "[::2]:18082",
  ])("refuses the Host %j, in reads too, and credits nothing", async (host) => {
    const before = await collateral();
    expect(await controlWith({ ...JSON_TYPE, host })).toMatchObject({
      status: 403,
      text: expect.stringMatching(/FOREIGN_HOST/),
    });
    const read = await controlWith({ host }, { method: "GET", path: "/state", body: "" });
    expect(read).toMatchObject({ status: 403 });
    expect(await collateral()).toBe(before);
  });

  it.each(["http://evil.example", "http://localhost:3000", "https://127.0.0.1", "null", "file://"])(
    "refuses the Origin %s",
    async (origin) => {
      const before = await collateral();
      expect(await controlWith({ ...JSON_TYPE, origin })).toMatchObject({
        status: 403,
        text: expect.stringMatching(/FOREIGN_ORIGIN/),
      });
      const claim = await controlWith({ origin }, { path: "/bridge/withdrawals/1/claim", body: "" });
      expect(claim).toMatchObject({ status: 403 });
      expect(await collateral()).toBe(before);
    },
  );

  it("answers its own origin", async () => {
    expect(await controlWith({ ...JSON_TYPE, origin: devnet.controlUrl })).toMatchObject({ status: 200 });
  });

  it.each([
    {},
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-type": "text/plain; application/json" },
    { "content-type": "application/jsonx" },
    { "transfer-encoding": "chunked" },
  ])("takes no body but JSON: %j", async (headers) => {
    const before = await collateral();
    expect(await controlWith(headers as Record<string, string>)).toMatchObject({
      status: 415,
      text: expect.stringMatching(/NOT_JSON/),
    });
    expect(await collateral()).toBe(before);
  });

  it("takes JSON whose type names its charset, and nothing at all where nothing is asked", async () => {
    expect(await controlWith({ "content-type": "Application/JSON; charset=utf-8" })).toMatchObject({ status: 200 });
    expect(await controlWith({}, { method: "DELETE", path: "/faults", body: "" })).toMatchObject({ status: 200 });
  });

  it("refuses preflights", async () => {
    const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
    expect(await controlWith(headers, { method: "OPTIONS", body: "" })).toMatchObject({ status: 403 });
    expect(await controlWith({}, { method: "OPTIONS", body: "" })).toMatchObject({ status: 405 });
  });
});

describe("the exchange's hosts", () => {
  const allowed = (headers: Headers) => headers.get("access-control-allow-origin");

  it("let every origin read, answers and refusals alike", async () => {
    const origin = { origin: "http://app.example" };
    for (const url of [devnet.validatorUrl, devnet.restUrl]) {
      for (const path of ["/openapi.json", "/nowhere", "/%ff"]) {
        expect(allowed((await fetch(url + path, { headers: origin })).headers), url + path).toBe("*");
      }
      expect(allowed((await fetch(`${url}/openapi.json`, { method: "DELETE" })).headers)).toBe("*");
    }
    const unreadable = await fetch(`${devnet.validatorUrl}/v1/tx`, { method: "POST", headers: origin, body: "{" });
    expect([unreadable.status, allowed(unreadable.headers)]).toEqual([400, "*"]);
    const long = await fetch(devnet.validatorUrl, { headers: { long: "x".repeat(9000) } });
    expect([long.status, allowed(long.headers)]).toEqual([431, "*"]);
  });

  it.each(["/v1/tx", "/tx/sign-and-submit", "/v1/transfers/history"])("answer a preflight of %s", async (path) => {
    const url = path === "/tx/sign-and-submit" ? devnet.restUrl : devnet.validatorUrl;
    const answer = await fetch(url + path, {
      method: "OPTIONS",
      headers: {
        origin: "http://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key,authorization,content-type",
      },
    });
    expect([answer.ok, await answer.text()]).toEqual([true, ""]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": "X-API-Key, Authorization, Content-Type",
    });
  });
});

// chromium comes with the system, not with npm: .ci/run installs it, and elsewhere these are skipped.
describe.skipIf(!hasBrowser)("a page of another origin, in a real browser", () => {
  let browser: Browser;
  let elsewhere: Server;
  let page: Page;

  beforeAll(async () => {
    elsewhere = createServer((_, response) => response.end("<!doctype html><title>an app</title>"));
    await once(elsewhere.listen(0, "127.0.0.1"), "listening");
    browser = await openBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
    page = await browser.context.newPage();
    await page.goto(`http://evil.example:${(elsewhere.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    elsewhere?.close();
  });

  /** What fetch gives in the page: status and text, or "refused" where the browser lets the page see nothing. */
  const fetched = (url: string, init: Readonly<Record<string, unknown>> = {}, on = page): Promise<unknown> =>
    on.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }), () => "refused")`);

  it("reads a market, and a private row with its key", async () => {
    const market = await fetched(`${devnet.validatorUrl}/v1/markets/1`);
    expect(market).toMatchObject({ status: 200, text: expect.stringMatching(/"marketId":1|"id":1/) });
    const transfers = `${devnet.validatorUrl}/v1/transfers/history`;
    expect(await fetched(transfers)).toMatchObject({ status: 401, text: expect.stringMatching(/UNAUTHORIZED/) });
    expect(await fetched(transfers, { headers: { "X-API-Key": "secret-key" } })).toMatchObject({ status: 200 });
  });

  it("posts a signed transaction and hears of it on the stream", async () => {
    const channels = [{ channel: "orders", account_id: Number(ALICE) }];
    await page.evaluate(`new Promise((resolve, reject) => {
      globalThis.heard = [];
      const socket = new WebSocket(${JSON.stringify(devnet.wsUrl)});
      socket.onerror = () => reject(new Error("the stream failed"));
      socket.onmessage = ({ data }) => { heard.push(data); if (data.includes('"pong"')) resolve(); };
      socket.onopen = () => {
        socket.send('${JSON.stringify({ type: "subscribe", channels })}');
        socket.send('{"type":"ping"}');
      };
    })`);
    const timestampSec = Math.floor(devnet.chain.timeMs() / 1000);
    const body = Buffer.from(seal(order(), { timestampSec, nonce: nextNonce() })).toString();
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    const answer = await fetched(`${devnet.validatorUrl}/v1/tx`, sent);
    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/"success"/) });
    await page.waitForFunction('heard.some((frame) => frame.includes("orderPlaced"))');
  });

  it("cannot touch control: neither by JSON, nor by a form, nor by what a browser sends without asking", async () => {
    const before = await collateral();
    const body = '{"usdc":"1000"}';
    const url = devnet.controlUrl + deposit;
    const json = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    expect(await fetched(url, json)).toBe("refused");
    expect(await fetched(url, { method: "POST", body })).toBe("refused");
    await fetched(url, { method: "POST", mode: "no-cors", body });
    await page.evaluate(`navigator.sendBeacon(${JSON.stringify(url)}, new Blob([${JSON.stringify(body)}]))`);
    expect(await fetched(`${devnet.controlUrl}/state`)).toBe("refused");
    const form = await browser.context.newPage();
    await form.goto(page.url());
    const posted = form.waitForResponse(url);
    await form.setContent(
      `<form method="post" enctype="text/plain" action="${url}"><input name='{"usdc":"1000","x":"' value='"}'></form>`,
    );
    await form.evaluate("document.forms[0].submit()");
    expect((await posted).status()).toBe(403);
    await form.close();
    expect(await collateral()).toBe(before);
    expect((await control(devnet, "GET", "/faults")).body).toEqual({ faults: [] });
  });

  it("cannot touch control under a name that it rebinds to this machine", async () => {
    const before = await collateral();
    const rebound = await browser.context.newPage();
    const port = new URL(devnet.controlUrl).port;
    expect((await rebound.goto(`http://evil.example:${port}/state`))?.status()).toBe(403);
    const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"usdc":"1"}' };
    expect(await fetched(deposit, json, rebound)).toMatchObject({ status: 403 });
    await rebound.close();
    expect(await collateral()).toBe(before);
  });
});
