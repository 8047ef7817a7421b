// `quoinProcess devnet --data-dir`, killed the instant it has answered, and with its folder taken away: what was answered is there, what
// cannot be kept is refused.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nonce, price } from "../../src/domain/units.ts";
import { encodeRequest } from "../../src/wire/envelope.ts";
import { encodeTransaction, type Transaction } from "../../src/wire/transaction.ts";
import { endAll, quoinDone, quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { ALICE, alice, BOB, bob, order, seal } from "../unit/devnet/chain/set-up.ts";
import { ask } from "./devnet-set-up.ts";

let folder: string;
let chain: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quoin-kill-"));
  chain = join(folder, "chain");
  writeFileSync(
    join(folder, "devnet.yaml"),
    `chainId: venue-v4:devnet:chain-2
blockTimeMs: 2000
seed: 1
markets:
  - marketId: 1
    name: HPI
    assetClass: RealEstate
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    maxOpenInterest: 1000000
    oracle: { source: fixed, price: 200, validForSecs: 86400 }
accounts:
  - { accountId: ${ALICE}, owner: ${alice.publicKey}, collateral: 100000, native: 0 }
  - { accountId: ${BOB}, owner: ${bob.publicKey}, collateral: 100000, native: 0 }
apiKeys: [{ key: secret-key, owner: ${alice.publicKey} }]
`,
  );
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

type Served = {
  readonly process: RunningProcess;
  readonly validatorUrl: string;
  readonly restUrl: string;
  readonly controlUrl: string;
};

async function serve(): Promise<Served> {
  const ports = ["--port", "0", "--rest-port", "0", "--control-port", "0"];
  const process = quoinProcess(["devnet", "--config", join(folder, "devnet.yaml"), ...ports, "--data-dir", chain]);
  const line = await process.seen("the devnet's line", (text) => (text.includes("devnet.ready") ? text : ""));
  return { process, ...JSON.parse(line) };
}

const now = (transaction: Transaction, options: Parameters<typeof seal>[1] = {}) =>
  seal(transaction, { nonce: BigInt(Date.now()), timestampSec: Math.floor(Date.now() / 1000), ...options });
const post = (url: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  ask(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
const ordersOf = async ({ validatorUrl }: Served) =>
  (await ask(`${validatorUrl}/v1/accounts/${ALICE}`)).body.openOrders as readonly { readonly orderId: number }[];
const collateralOf = async ({ validatorUrl }: Served) =>
  BigInt((await ask(`${validatorUrl}/v1/accounts/${BOB}`)).body.collateral as string);

test("what was answered before a kill is there after it, once", async () => {
  let served = await serve();
  const sent: Uint8Array[] = [];
  for (let kill = 1; kill <= 4; kill += 1) {
    const collateral = await collateralOf(served);
    const placed = now(order({ price: price(19_000_000_000n) }), { signer: alice });
    const refused = now(order({ accountId: BOB, marketId: 9 }), { signer: bob });
    sent.push(placed, refused);
    const asked = { transactionText: encodeTransaction(order()), nonce: nonce(BigInt(Date.now() + 1)) };
    const hosted = encodeRequest({ ...asked, timestampSec: Math.floor(Date.now() / 1000) });
    const answers = [
      await post(`${served.validatorUrl}/v1/tx`, placed),
      await post(`${served.validatorUrl}/v1/tx`, refused),
      await post(`${served.restUrl}/tx/sign-and-submit`, hosted, { "x-api-key": "secret-key" }),
      await post(`${served.controlUrl}/accounts/${BOB}/deposit`, '{"usdc":"1"}'),
    ];
    await served.process.end("SIGKILL");
    expect(answers.map(({ body }) => body.status)).toEqual(["success", "failed", "success", "success"]);
    served = await serve();
    expect(await ordersOf(served)).toHaveLength(2 * kill);
    expect(await collateralOf(served)).toBe(collateral + 1_000_000n);
    for (const body of sent) {
      expect(await post(`${served.validatorUrl}/v1/tx`, body)).toMatchObject({ status: 400 });
    }
    expect((await ask(`${served.validatorUrl}/v1/explorer/blocks/1`)).body).toMatchObject({ height: 1, txCount: 3 });
  }
  await served.process.end();
  const verified = await quoinDone(["devnet", "verify", "--data-dir", chain]);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("12 transactions") });
});

test("a folder that goes away is a 503 and one line; it goes on when it is back, and a stop ends it either way", async () => {
  const served = await serve();
  const place = () => post(`${served.validatorUrl}/v1/tx`, now(order(), { signer: alice }));
  expect(await place()).toMatchObject({ status: 200 });
  renameSync(chain, `${chain}.away`);
  for (let time = 0; time < 3; time += 1) {
    expect(await place()).toMatchObject({ status: 503, body: { code: "UNWRITABLE", error: expect.any(String) } });
  }
  expect(await ordersOf(served)).toHaveLength(1);
  expect(served.process.stderr().match(/was removed or moved: transactions are refused/g)).toHaveLength(1);
  renameSync(`${chain}.away`, chain);
  expect(await place()).toMatchObject({ status: 200 });
  rmSync(chain, { recursive: true });
  expect(await place()).toMatchObject({ status: 503 });
  expect(await served.process.end()).toBe(1);
  expect(served.process.stderr()).toContain("did not keep its last state");
});
