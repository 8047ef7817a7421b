// The devnet over HTTP with real signatures: transactions per second and their latency, with the load in a process of its own on the same
// machine. The reference is a bare HTTP server that parses and verifies the same bodies, without an exchange.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Disk } from "../src/devnet/chain/log/disk.ts";
import { openDisk } from "../src/devnet/chain/log/store.ts";
import { startDevnet } from "../src/devnet/devnet.ts";
import { accountId, usdc } from "../src/domain/units.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { systemEntropy } from "../src/kernel/entropy.ts";
import { openEnvelope, signedMessage } from "../src/wire/envelope.ts";
import { createSigner, createVerifier } from "../src/wire/signing.ts";
import { plainAccount, plainExchange } from "../test/support/plain-exchange.ts";
import { type LoadOptions, type LoadResult, ownerOf } from "./devnet-load.ts";
import { type Bench, median } from "./measure.ts";

const CHAIN_ID = "venue-v4:devnet:chain-2";
const IN_FLIGHT = 32;
const COLLATERAL = usdc(10n ** 15n);

const account = (id: bigint) =>
  plainAccount({ accountId: accountId(id), owner: ownerOf(id).publicKey, collateral: COLLATERAL });

const config = plainExchange({
  chainId: CHAIN_ID,
  blockTimeMs: 5,
  openOrderCap: 100_000,
  accounts: [account(1n), account(2n)],
});

/** Runs the load against a port and returns what it printed. */
function loaded(port: number, transactions: number): Promise<LoadResult> {
  const options: LoadOptions = { port, chainId: CHAIN_ID, transactions, inFlight: IN_FLIGHT };
  const child = spawn(process.execPath, [`${import.meta.dirname}/devnet-load.ts`, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(printed) as LoadResult);
      else reject(new Error(`the load ended with code ${code}`));
    });
  });
}

async function devnetUnderLoad(transactions: number, disk?: Disk): Promise<LoadResult> {
  const devnet = await startDevnet(config, {
    clock: systemClock,
    verifier: createVerifier(),
    enclave: { entropy: systemEntropy, signerOf: createSigner },
    log: () => {},
    ...(disk && { disk }),
  });
  try {
    return await loaded(Number(new URL(devnet.validatorUrl).port), transactions);
  } finally {
    await devnet.close();
  }
}

/** The same with every answer written to a disk before it is sent. */
async function devnetOnDisk(transactions: number): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-bench-"));
  try {
    return await devnetUnderLoad(transactions, openDisk(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Parses, verifies and accepts: the upper bound for a devnet on this stack. */
async function standInUnderLoad(transactions: number): Promise<LoadResult> {
  const verifier = createVerifier();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const envelope = openEnvelope(Buffer.concat(chunks));
      const genuine = verifier.verify(envelope.signer, signedMessage(envelope), envelope.signature);
      const answer = genuine ? '{"status":"success","hash":"00","events":[]}' : "{}";
      response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await loaded((server.address() as AddressInfo).port, transactions);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const devnetHttp: Bench = {
  name: "devnet-http",
  async run({ quick }) {
    const transactions = quick ? 1000 : 20_000;
    const results: LoadResult[] = [];
    const onDisk: LoadResult[] = [];
    for (let run = 0; run < (quick ? 1 : 3); run += 1) {
      results.push(await devnetUnderLoad(transactions));
      onDisk.push(await devnetOnDisk(transactions));
    }
    const reference = await standInUnderLoad(transactions);
    const value = median(results.map(({ perSecond }) => perSecond));
    return {
      name: "devnet-http",
      value,
      unit: "tx/s",
      reference: "verifying stand-in",
      referenceValue: reference.perSecond,
      ratio: value / reference.perSecond,
      beside: {
        withDataDir: median(onDisk.map(({ perSecond }) => perSecond)),
        p50: median(results.map(({ p50Ms }) => p50Ms)),
        p99: median(results.map(({ p99Ms }) => p99Ms)),
        refused: median(results.map(({ refused }) => refused)),
      },
    };
  },
};
