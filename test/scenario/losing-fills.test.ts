// Fills that lose money, with real processes: a maker fee above the half-spread, one that the schedule does not tell of, and a counterparty
// that owns the rest of the book and moves it around the oracle.

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type RewritingProxy, startRewritingProxy } from "../support/rewriting-proxy.ts";
import { until } from "../support/until.ts";
import { cancel, counterpartyRow, rest, take } from "./counterparty.ts";
import { endScenes, openOrdersOf, reachThrough, type Scene, startDaemon, startScene } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";

let proxy: RewritingProxy | null = null;
let scene: Scene;
afterEach(async () => {
  await endScenes();
  await proxy?.close();
  proxy = null;
});

const params = "{ halfSpreadBps: 10, size: 0.5 }";
const fees = (makerFeeBps: number) =>
  `feeTiers: [{ assetClass: RealEstate, minVolume30d: 0, makerFeeBps: ${makerFeeBps}, takerFeeBps: 5 }]\n`;

const sentences = async (url: string): Promise<readonly (string | null)[]> => {
  const market = (await statusOf(url)).accounts[0]?.markets[0];
  return [market?.buy.sentence ?? null, market?.sell.sentence ?? null];
};

it("quotes nothing where the maker fee is more than the half-spread, and says so on both sides", async () => {
  scene = await startScene({ params, devnet: fees(40) });
  const { url } = await startDaemon(scene);
  await until("the sentences", async () =>
    (await sentences(url)).every((said) => /^not quoting because a fill would lose 29\.\d+ bps/.test(said ?? "")),
  );
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
});

it("reads the schedule again when a fill pays more than it says, and stops quoting at once", async () => {
  scene = await startScene({ params, devnet: fees(40), accounts: counterpartyRow });
  proxy = await startRewritingProxy(scene.validatorUrl);
  let tiersRead = 0;
  proxy.rewrite = (path, json) => {
    if (path !== "/v1/fee-tiers") return undefined;
    tiersRead += 1;
    return JSON.parse(JSON.stringify(json).replaceAll('"maker_fee_bps":40', '"maker_fee_bps":-1'));
  };
  reachThrough(scene, proxy);
  const { process: daemon, url } = await startDaemon(scene);
  await resting(scene, 2);
  const before = tiersRead;
  await take(scene.validatorUrl, { side: "sell", contracts: 0.1 });
  await daemon.seen("the difference", (text) => text.includes("paid 40 bps where the fee schedule says -1"));
  await until("another read", async () => tiersRead > before);
  await until("the sentence", async () => /would lose 29\.\d+ bps/.test((await sentences(url))[0] ?? ""));
  await resting(scene, 0);
});

/**
 * One phase of an attack by somebody who owns the rest of the book: it stands around `oracleUsd` and `bps`, until the daemon quotes there
 * too, and then takes what is best. `sizes`: of the orders on each side, contracts.
 */
async function attack(oracleUsd: number, bps: number, sizes: readonly number[]): Promise<void> {
  const { validatorUrl } = scene;
  const account = (await (await fetch(`${validatorUrl}/v1/accounts/13`)).json()) as {
    openOrders: { orderId: string }[];
  };
  await Promise.all(account.openOrders.map(({ orderId }) => cancel(validatorUrl, orderId)));
  const at = (away: number) => Math.round(oracleUsd * (1 + (bps + away) / 10_000) * 100) / 100;
  for (const [nth, contracts] of sizes.entries()) {
    await rest(validatorUrl, { side: "buy", contracts, usd: at(-15 - 5 * nth) });
    await rest(validatorUrl, { side: "sell", contracts, usd: at(15 + 5 * nth) });
  }
  await pause(400);
  await take(validatorUrl, { side: bps > 0 ? "sell" : "buy", contracts: 0.5 });
}

it("stops adding, in words, where somebody moves the book to and fro and takes the quotes that follow", async () => {
  scene = await startScene({
    params,
    accounts: counterpartyRow,
  });
  const { process: daemon, url } = await startDaemon(scene);
  await resting(scene, 2);
  const why = /after fills that the price moved against: their mean markout after .* is -\d/;
  const paused = new RegExp(`not quoting because paused ${why.source}`);
  await until("the pause", async () => {
    for (const bps of [45, -45]) {
      await attack(216.94, bps, [3, 4, 5]);
      await pause(700);
    }
    const said = await sentences(url);
    // The side that brings the position back goes on, with what reduces it.
    return said.every((sentence) => why.test(sentence ?? "")) && said.some((sentence) => paused.test(sentence ?? ""));
  });
  await daemon.seen("the sentence in the log", (text) => paused.test(text));
});

it("follows a book of one size by a quarter only: who moves it has nothing to take", async () => {
  scene = await startScene({ params, accounts: counterpartyRow });
  const { url } = await startDaemon(scene);
  await resting(scene, 2);
  for (const bps of [45, -45]) {
    await attack(216.94, bps, [3, 3, 3]);
    const fairValue = (await statusOf(url)).accounts[0]?.markets[0]?.fairValue ?? 0;
    expect(Math.abs(fairValue / 216.94 - 1) * 10_000).toBeLessThan(12);
  }
});
