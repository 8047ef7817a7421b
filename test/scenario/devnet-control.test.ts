// The control listener of the contract (section 3) and the manual clock, over sockets.

import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import { ALICE, BOB, bob, config as manual, order, seal, signerOf } from "../unit/devnet/chain/set-up.ts";
import { ask, bobSells, config, control, list, send, start, stopAll } from "./devnet-set-up.ts";

afterEach(stopAll);

const patient: DevnetConfig = { ...manual, accounts: config.accounts };

describe("the control listener", () => {
  it("sets a market's status, which hides it from the list but not from sight", async () => {
    const devnet = await start();
    expect((await control(devnet, "PATCH", "/markets/1", { status: "Paused" })).status).toBe(200);
    expect(await list(`${devnet.validatorUrl}/v1/markets`)).toEqual([]);
    expect((await ask(`${devnet.validatorUrl}/v1/markets/1`)).body.status).toBe("Paused");
    expect((await send(devnet, order())).body.status).toBe("failed");
    await control(devnet, "PATCH", "/markets/1", { status: "Active" });
    expect((await send(devnet, order())).body.status).toBe("success");
  });

  it("publishes a print that renews the expiry, and forces status and expiry", async () => {
    const devnet = await start();
    const oracle = async () => (await ask(`${devnet.validatorUrl}/v1/oracle/1`)).body;
    await control(devnet, "PATCH", "/oracle/1", { validUntil: 1_700_000_000 });
    expect(await oracle()).toMatchObject({ status: "Stale", validUntil: 1_700_000_000 });
    await control(devnet, "PATCH", "/oracle/1", { price: "217.10" });
    expect(await oracle()).toMatchObject({ status: "Active", price: "21710000000" });
    await control(devnet, "PATCH", "/oracle/1", { status: "Halted" });
    expect((await oracle()).status).toBe("Halted");
    await control(devnet, "PATCH", "/oracle/1", { price: 218, status: "Stale", validUntil: 1_700_000_001 });
    expect(await oracle()).toMatchObject({ status: "Stale", price: "21800000000", validUntil: 1_700_000_001 });
  });

  it("credits collateral, approves agents and takes bridge deposits", async () => {
    const devnet = await start();
    await control(devnet, "POST", `/accounts/${ALICE}/deposit`, { usdc: "1000.5" });
    expect((await ask(`${devnet.validatorUrl}/v1/accounts/${ALICE}`)).body.collateral).toBe("101000500000");
    const agent = signerOf(7);
    const body = { pubkey: agent.publicKey, name: "bot", expiresAt: 1_924_905_600 };
    expect((await send(devnet, bobSells(), { signer: agent })).status).toBe(400);
    expect((await control(devnet, "POST", `/accounts/${BOB}/agents`, body)).status).toBe(200);
    expect((await send(devnet, bobSells(), { signer: agent })).body.status).toBe("success");
    expect((await control(devnet, "POST", "/bridge/deposits", { owner: bob.publicKey, usdc: "10" })).status).toBe(200);
  });

  it("tells height and state root", async () => {
    const devnet = await start();
    const { body } = await control(devnet, "GET", "/state");
    expect(body).toEqual({ height: expect.any(Number), stateRoot: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it.each([
    ["PATCH", "/markets/9", { status: "Paused" }, 404],
    ["PATCH", "/markets/1", { status: "paused" }, 400],
    ["PATCH", "/markets/1", {}, 400],
    ["PATCH", "/oracle/1", {}, 400],
    ["PATCH", "/oracle/1", { price: "1e3" }, 400],
    ["PATCH", "/oracle/1", { price: "0" }, 400],
    ["PATCH", "/oracle/1", { price: "1.123456789" }, 400],
    ["PATCH", "/oracle/1", { validUntil: 1_700_000_000_000 }, 400],
    ["PATCH", "/oracle/1", { cost: "1" }, 400],
    ["PATCH", "/oracle/9", { price: "1" }, 404],
    ["POST", "/accounts/999/deposit", { usdc: "1" }, 404],
    ["POST", "/accounts/12/deposit", { usdc: "-1" }, 400],
    ["POST", "/accounts/12/agents", { pubkey: "xyz" }, 400],
    ["POST", "/bridge/deposits", { owner: "0x12", usdc: "1" }, 400],
    ["POST", "/bridge/deposits", { owner: bob.publicKey }, 400],
    ["POST", "/bridge/deposits", { owner: bob.publicKey, usdc: "1", native: "1" }, 400],
    ["POST", "/bridge/withdrawals/1/claim", undefined, 404],
    ["POST", "/bridge/withdrawals/x/claim", undefined, 400],
    ["POST", "/accounts", { owner: "xyz" }, 400],
    ["POST", "/accounts", { owner: bob.publicKey }, 400],
    ["POST", "/clock", { advanceMs: 1 }, 409],
    ["GET", "/v1/markets", undefined, 404],
  ])("%s %s %j is %i with a sentence and a code", async (method, path, body, status) => {
    const devnet = await start();
    const answer = await control(devnet, method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.any(String), code: expect.stringMatching(/^\w+$/) });
  });

  it("is no part of the exchange's own listeners", async () => {
    const devnet = await start();
    expect((await ask(`${devnet.validatorUrl}/state`)).status).toBe(404);
    expect((await ask(`${devnet.restUrl}/state`)).status).toBe(404);
  });
});

describe("the manual clock", () => {
  it("moves by POST /clock alone, and answers a transaction when its block is made", async () => {
    const devnet = await start(patient);
    const before = devnet.chain.head();
    let answered = false;
    const placed = send(devnet, order(), { nonce: BigInt(before.timeMs) }).then((answer) => {
      answered = true;
      return answer;
    });
    // A second request over the same loopback is answered: the first has been received by then, and still waits.
    await ask(`${devnet.validatorUrl}/v1/node/info`);
    expect([answered, devnet.chain.head().height]).toEqual([false, before.height]);
    const moved = await control(devnet, "POST", "/clock", { advanceMs: 1000 });
    expect(moved.body).toMatchObject({ height: before.height + 1, timeMs: before.timeMs + 1000 });
    expect((await placed).body.status).toBe("success");
    expect((await control(devnet, "POST", "/clock", { advanceMs: -1 })).status).toBe(400);
    expect((await control(devnet, "POST", "/clock", { advanceMs: 0 })).body.height).toBe(before.height + 2);
  });

  it("ends where the calendar does, and what would go beyond changes nothing", async () => {
    const devnet = await start(patient);
    const { timeMs } = devnet.chain.head();
    const left = 8_640_000_000_000_000 - timeMs;
    expect(await control(devnet, "POST", "/clock", { advanceMs: left + 1 })).toMatchObject({
      status: 400,
      body: { code: "TIME_TOO_FAR" },
    });
    expect(devnet.chain.head()).toMatchObject({ height: 0, timeMs });
    expect((await control(devnet, "POST", "/clock", { advanceMs: left })).status).toBe(200);
    await control(devnet, "PATCH", "/oracle/1", { price: "218" });
    await control(devnet, "POST", "/clock", { advanceMs: 0 });
    expect((await ask(`${devnet.validatorUrl}/v1/oracle/1`)).body.lastUpdateDate).toBe(2_757_600_913);
  });

  it("takes into the block what was received before it was asked for, over connections however new", async () => {
    const devnet = await start(patient);
    const { hostname, port } = new URL(devnet.validatorUrl);
    await control(devnet, "GET", "/state"); // The operator's own connection is an old one, which is read first.
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
    const written = sockets.map(async (socket, at) => {
      const body = seal(order(), { nonce: BigInt(devnet.chain.timeMs() + at) });
      await once(socket, "connect");
      const text = Buffer.from(body);
      const head = `POST /v1/tx HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n`;
      await new Promise((done) => socket.write(Buffer.concat([Buffer.from(head), text]), done));
    });
    await Promise.all(written);
    const { height } = (await control(devnet, "POST", "/clock", { advanceMs: 200 })).body;
    expect((await ask(`${devnet.validatorUrl}/v1/explorer/blocks/${height}`)).body).toMatchObject({ txCount: 20 });
    for (const socket of sockets) socket.destroy();
  });

  it("gives equal roots to equal inputs and times", async () => {
    const [first, second] = [await start(patient), await start(patient)];
    const body = seal(order(), { nonce: BigInt(first.chain.timeMs()) });
    for (const devnet of [first, second]) {
      const placed = ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body });
      await ask(`${devnet.validatorUrl}/v1/node/info`);
      await control(devnet, "POST", "/clock", { advanceMs: 500 });
      await placed;
    }
    expect((await control(first, "GET", "/state")).body).toEqual((await control(second, "GET", "/state")).body);
  });
});
