// One order canceled by name, by command and by HTTP, beside a daemon that goes on quoting: what was asked is in the trail.

import { beforeAll, expect, it } from "vitest";
import { jsonLines } from "../support/json-lines.ts";
import { operate } from "../support/operate.ts";
import { quoinDone, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyKey, counterpartyRow, protect, take } from "./counterparty.ts";
import { openOrdersOf, startDaemon } from "./daemon.ts";
import { configBeside, NOBODY, operator, post, resting, stateOf, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({ accounts: counterpartyRow });
let daemon: Running;
let url: string;

beforeAll(async () => {
  const body = { pubkey: counterpartyKey, name: "by hand", expiresAt: 4_102_444_800 };
  await operate(scene, "POST", "/accounts/12/agents", body);
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
});

const openIds = async () => (await openOrdersOf(scene.validatorUrl)).map(({ orderId }) => `${orderId}`);
/** That rests at the exchange too: an order that was canceled may stand in the status for a moment. */
const bestBid = () =>
  until("a bid that rests", async () => {
    const [bid] = (await statusOf(url)).accounts[0]?.markets[0]?.bids ?? [];
    const orderId = bid?.orderId ?? "";
    return (await openIds()).includes(orderId) ? orderId : "";
  });
const cancel = (order: string, ...more: readonly string[]) =>
  operator("cancel", configBeside(scene, url), "--account", "12", "--order", order, ...more);

it("cancels the order, and the strategy places another one", async () => {
  const order = await bestBid();
  expect(await openIds()).toContain(order);
  const { code, stdout } = await cancel(order);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`^account 12: order ${order} \\(buy 0\\.2 at 21\\d\\.\\d+ in market 1\\): canceled\\n$`),
    ),
  ]);
  await until("another order in its place", async () => {
    const ids = await openIds();
    return ids.length === 4 && !ids.includes(order);
  });
  expect(await stateOf(url), "an order that we cancel is no foreign activity").toBe("active");
  const again = await cancel(order);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is no longer open: filled or canceled")]);
});

it("is sent like every other cancel: written ahead with a nonce, and the trail says who asked for which order", async () => {
  const order = await bestBid();
  const { stdout } = await cancel(order, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ done: "cancel", accountId: "12", orderId: order, isConfirmed: true });
  const config = configBeside(scene, url);
  const rows = async (table: string) => {
    const exported = await quoinDone(["ledger", "export", "--config", config, "--table", table, "--format", "json"]);
    return jsonLines<Readonly<Record<string, string>>>(exported.stdout);
  };
  const isIts = ({ command = "" }) => command.includes('"kind":"cancel"') && command.includes(`"${order}"`);
  const intent = await until("the cancel in the ledger", async () => (await rows("intents")).find(isIts));
  expect(intent).toMatchObject({ account: "12", nonce: expect.stringMatching(/^\d{13,}$/) });
  const asked = await until("the trail", async () =>
    (await rows("audit")).findLast(({ call }) => call === "POST /cancel"),
  );
  expect(asked).toMatchObject({ caller: "127.0.0.1", authorized: "1", status: "200" });
  expect(asked.body).toContain(`"order":"${order}"`);
});

it("refuses what is not there, and asks a daemon of the right exchange alone", async () => {
  const none = await cancel("18446744073709551615");
  expect([none.code, none.stderr]).toEqual([1, "quoin: account 12 has no open order 18446744073709551615\n"]);
  for (const wrong of ["x", "-1", "18446744073709551616", ""]) expect((await cancel(wrong)).code).toBe(2);
  const unknown = await operator("cancel", configBeside(scene, url), "--account", "99", "--order", "1");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("has no account 99")]);
  const order = await bestBid();
  const elsewhere = await post(url, "/cancel", { account: "12", order, chainId: "venue-v4:mainnet:chain-1" });
  expect(elsewhere.status).toBe(404);
  const away = await operator("cancel", configBeside(scene, NOBODY), "--account", "12", "--order", order);
  expect([away.code, away.stderr]).toEqual([
    1,
    expect.stringMatching(/no daemon answers at .*; npx quoin cancel-all --config .* cancels/),
  ]);
  expect((await fetch(`${url}/cancel`, { method: "POST", body: "{}" })).status, "without the token").toBe(401);
  expect(await openIds(), "and it rests").toContain(order);
});

it("a cancel without an answer exits 3: the order may rest", async () => {
  const silent = { kind: "halfOpen", executes: false, action: "CancelOrder", count: 1 };
  expect((await operate(scene, "POST", "/faults", silent)).status).toBe(200);
  const { code, stderr } = await cancel(await bestBid());
  expect([code, stderr]).toEqual([3, expect.stringMatching(/the exchange did not answer .*may still rest/)]);
});

it("leaves an order of somebody else's to them", async () => {
  await take(scene.validatorUrl, { side: "sell", contracts: 0.1 });
  expect((await protect(scene.validatorUrl, { side: "sell", contracts: 0.1, usd: 150, account: 12n })).status).toBe(
    "success",
  );
  await until("the halt", async () => (await stateOf(url)) === "halted");
  await resting(scene, 1);
  const [order = ""] = await openIds();
  const { code, stderr } = await cancel(order);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`order ${order} of account 12 was not placed by Quoin`)]);
  expect(await openIds()).toEqual([order]);
  expect(daemon.stdout()).toContain('"event":"order.canceledByOperator"');
});
