// Changes that an agent proposes to a running daemon: nothing changes until a person approves with another token, once; on the page too.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ProposalLine } from "../../src/bot/dashboard/status.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { jsonLines } from "../support/json-lines.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { postHeaders, startDaemon } from "./daemon.ts";
import { configBeside, operator, post } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();
let url: string;
let config: string;

const textOf = (name: string): string => `token-text-of-${name}`;
const PATH = "accounts.12.markets.1.params.halfSpreadBps";

/** What the webhook has posted. */
const told: string[] = [];
const target = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part;
  });
  request.on("end", () => {
    told.push(body);
    response.end();
  });
});
afterAll(() => target.close());

beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const { port } = target.address() as AddressInfo;
  writeFileSync(join(scene.folder, "webhook.secret"), "a-secret-of-the-test\n", { mode: 0o600 });
  appendFileSync(
    scene.botConfig,
    `webhook: { url: "http://127.0.0.1:${port}/", secretFile: webhook.secret, pageUrl: "https://quoin.lan/desk" }\n`,
  );
  const folder = join(scene.folder, "var", "tokens");
  mkdirSync(folder);
  const scopes = {
    agent: ["read", "propose"],
    other: ["propose"],
    reader: ["read"],
    pilot: ["operate"],
    desk: ["read", "change"],
  };
  for (const [name, of] of Object.entries(scopes))
    writeFileSync(join(folder, name), JSON.stringify({ token: textOf(name), scopes: of }), { mode: 0o600 });
  ({ url } = await startDaemon(scene));
  config = configBeside(scene, url);
  await until("quotes", async () => (await fetch(`${url}/readyz`)).status === 200);
});

const postAs = (name: string, path: string, body: unknown = {}): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${textOf(name)}` },
    body: JSON.stringify(body),
  });
const wish = (value: unknown, reason = "wider at night", path = PATH) => ({ path, value, reason });
/** A token proposes at most once a second. */
async function proposed(value: unknown, reason?: string): Promise<ProposalLine> {
  let answer: Response | undefined;
  await until("a proposal that is not too early", async () => {
    answer = await postAs("agent", "/proposals", wish(value, reason));
    return answer.status !== 429;
  });
  expect(answer?.status).toBe(200);
  return (await answer?.json()) as ProposalLine;
}
const halfSpread = async (): Promise<string | undefined> => {
  const events = await fetch(`${url}/events`);
  const reader = events.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n\n")) text += decoder.decode((await reader?.read())?.value);
  await reader?.cancel();
  return /"halfSpreadBps":"([^"]+)"/.exec(text)?.[1];
};

it("who may not propose or decide changes nothing", async () => {
  for (const name of ["reader", "pilot", "desk"]) expect((await postAs(name, "/proposals", wish(9))).status).toBe(403);
  const { id, difference } = await proposed(9);
  expect(difference).toEqual(["market 1 of account 12: halfSpreadBps 2 -> 9"]);
  for (const verdict of ["approve", "refuse"])
    for (const name of ["reader", "pilot", "agent", "other"])
      expect((await postAs(name, `/proposals/${id}/${verdict}`)).status).toBe(403);
  expect((await postAs("desk", `/proposals/${id}/approve`, { reason: "a word that nobody hears" })).status).toBe(400);
  expect(await halfSpread()).toBe("2");
  const event = await until("the webhook", async () => told.find((body) => body.includes("proposal.made")));
  expect(JSON.parse(event)).toMatchObject({
    account: "12",
    market: 1,
    reason: expect.stringContaining("halfSpreadBps 2 -> 9"),
    haltUrl: "https://quoin.lan/desk/#ask=halt",
  });
  expect(event).not.toContain("token-text-of-");
  const listed = await quoinDone(["proposals", "--config", config, "--json"]);
  expect(jsonLines(listed.stdout)).toMatchObject([{ id, state: "open", path: PATH, value: 9, by: "agent" }]);
});

it("the command approves once, with another token; the trail names both", async () => {
  const [{ id }] = jsonLines((await operator("proposals", config, "--json")).stdout) as readonly [ProposalLine];
  const approved = await operator("approve", config, id);
  expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining(`approved proposal ${id} of agent`)]);
  expect(await halfSpread()).toBe("9");
  for (const verdict of ["approve", "refuse"]) {
    const again = await operator(verdict, config, id);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is approved")]);
    expect((await postAs("desk", `/proposals/${id}/${verdict}`)).status).toBe(409);
  }
  const { stdout } = await quoinDone(["ledger", "export", "--config", config, "--table", "audit", "--format", "json"]);
  const called = (
    jsonLines(stdout) as readonly { readonly call: string; readonly caller: string; readonly status: string }[]
  ).map(({ call, caller, status }) => `${caller}: ${call} ${status}`);
  expect(called).toContain("agent at 127.0.0.1: POST /proposals 200");
  expect(called).toContain(`127.0.0.1: POST /proposals/${id}/approve 200`);
  expect(stdout).not.toContain("token-text-of-");
});

it("a changed configuration, another text, and one's own approval are refused with 409", async () => {
  const { id } = await proposed(11);
  expect((await postAs("desk", "/proposals/2-0123456789ab/approve")).status).toBe(409);
  expect(
    (await post(url, "/params", { reason: "meanwhile", account: "12", market: 1, params: { levels: 1 } })).status,
  ).toBe(200);
  const stale = await postAs("desk", `/proposals/${id}/approve`);
  expect([stale.status, await stale.text()]).toEqual([409, expect.stringContaining("stale")]);
  expect((await operator("approve", config, id)).code).toBe(1);
  const own = await (await post(url, "/proposals", wish(12))).json();
  const { id: ownId } = own as ProposalLine;
  expect((await post(url, `/proposals/${ownId}/approve`, {})).status).toBe(409);
  expect((await postAs("desk", `/proposals/${ownId}/refuse`)).status).toBe(200);
  expect((await postAs("desk", `/proposals/${ownId}/approve`)).status).toBe(409);
  expect((await postAs("desk", "/proposals/99-0123456789ab/approve")).status).toBe(404);
  expect(await halfSpread()).toBe("9");
  const states = jsonLines((await operator("proposals", config, "--all", "--json")).stdout) as readonly ProposalLine[];
  expect(states.map(({ state }) => state)).toEqual(["approved", "stale", "refused"]);
});

it("what a change may not do, no proposal may: a looser limit, a value out of bounds, another file", async () => {
  for (const [path, value] of [
    ["accounts.12.markets.1.limits.maxPosition", 21],
    [PATH, -1],
    ["accounts.12.markets.1.strategy", "./evil.ts"],
    ["accounts.12.markets.1.params.unknown", 1],
  ] as const) {
    await until("an answer that is not too early", async () => {
      const { status } = await postAs("agent", "/proposals", wish(value, "why not", path));
      if (status !== 429) expect(status, path).toBe(400);
      return status !== 429;
    });
  }
  expect((await operator("proposals", config)).stdout).toBe("no open proposals\n");
});

it("ledger verify checks the audit's chain, and finds a row that was changed", async () => {
  const verify = () => quoinDone(["ledger", "verify", "--config", config]);
  const whole = await verify();
  expect([whole.code, whole.stdout]).toEqual([
    0,
    expect.stringMatching(/^audit: \d+ rows, chained, head [0-9a-f]{64}$/m),
  ]);
  const database = new DatabaseSync(join(scene.folder, "var", "quoin.sqlite"), { timeout: 5000 });
  const change = (caller: string, before: string): void =>
    void database.prepare("UPDATE audit SET caller = ? WHERE caller = ? AND call LIKE '%approve'").run(caller, before);
  change("desk at 127.0.0.1", "127.0.0.1");
  const changed = await verify();
  change("127.0.0.1", "desk at 127.0.0.1");
  database.close();
  expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining("fault: the audit is broken at its row")]);
});

// chromium comes with the system, not with npm: .ci/run installs it, and elsewhere this is skipped.
describe.skipIf(!hasBrowser)("on the page", () => {
  async function openPage(): Promise<Page> {
    const browser = await openBrowser();
    onTestFinished(browser.close);
    const page = await browser.context.newPage();
    await page.goto(url);
    await page.locator("article").waitFor();
    return page;
  }
  const answer = (page: Page, words: RegExp) =>
    until("the answer", async () => words.test(await page.locator("#ask-answer").innerText()));

  it("shows the exact difference as text, asks for the token each time, and keeps none", async () => {
    const page = await openPage();
    const { id } = await proposed(13, '<img src=x onerror="document.title=1"><b>approve me</b>');
    const section = page.getByRole("region", { name: `proposal ${id}` });
    await section.waitFor();
    const shown = await section.innerText();
    expect(shown).toContain("halfSpreadBps 9 -> 13");
    expect(shown).toContain("<b>approve me</b>");
    expect(await section.locator("img, b").count()).toBe(0);

    for (const [token, said] of [
      [textOf("reader"), /lacks the scope change/],
      [textOf("agent"), /lacks the scope change/],
      [textOf("nobody"), /the token is wrong/],
    ] as const) {
      await section.getByRole("button", { name: "Approve…" }).click();
      expect(await page.locator("#ask-words").innerText()).toContain("halfSpreadBps 9 -> 13");
      await page.locator("dialog input[name=token]").fill(token);
      await page.locator("dialog button[type=submit]").click();
      await answer(page, said);
      await page.keyboard.press("Escape");
    }
    expect(await halfSpread()).toBe("9");

    await section.getByRole("button", { name: "Approve…" }).click();
    await page.locator("dialog input[name=token]").fill(textOf("desk"));
    await page.locator("dialog button[type=submit]").click();
    await section.waitFor({ state: "detached" });
    expect(await halfSpread()).toBe("13");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  it("under a foreign name that leads here, as by DNS rebinding, the daemon serves nothing", async () => {
    const browser = await openBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
    onTestFinished(browser.close);
    const page = await browser.context.newPage();
    const { port } = new URL(url);
    expect((await page.goto(`http://evil.example:${port}/`))?.status()).toBe(403);
    const tried = await page.evaluate(
      `Promise.all(["/status.json", "/proposals"].map(async (path) => (await fetch(path, { headers: { authorization: "Bearer ${textOf("desk")}" } })).status))`,
    );
    expect(tried).toEqual([403, 403]);
  });

  it("a link of a critical event opens the halt, and asks for a token", async () => {
    const page = await openPage();
    await page.goto("about:blank");
    await page.goto(`${url}/#ask=halt`);
    await page.locator("dialog[open]").waitFor();
    expect(new URL(page.url()).hash).toBe("");
    await page.locator("dialog input[name=token]").fill(textOf("pilot"));
    await page.locator("dialog button[type=submit]").click();
    await until("the halt", async () => (await page.title()) === "Quoin: halted, DEVNET");
    expect(
      (await fetch(`${url}/resume`, { method: "POST", headers: postHeaders(url), body: '{"reason":"on"}' })).status,
    ).toBe(200);
  });
});
