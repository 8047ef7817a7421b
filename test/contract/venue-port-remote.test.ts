// The contract of the venue port over real sockets: the remote venue against the whole devnet.

import type { DevnetConfig } from "../../src/devnet/config.ts";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { accountId, price, size, usdc } from "../../src/domain/units.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemEntropy } from "../../src/kernel/entropy.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { createRemoteVenue, defaultRemoteOptions } from "../../src/venue/remote/remote.ts";
import { createSigner, createVerifier } from "../../src/wire/signing.ts";
import { until } from "../support/until.ts";
import { type Party, type VenueWorld, venueContract } from "./venue-port.ts";

const party = (id: bigint, seed: number): Party => ({
  accountId: accountId(id),
  signer: createSigner(new Uint8Array(32).fill(seed)),
});
const maker = party(12n, 3);
const taker = party(20n, 5);

const accountOf = ({ accountId: id, signer }: Party, owner: number): DevnetConfig["accounts"][number] => ({
  accountId: id,
  owner: createSigner(new Uint8Array(32).fill(owner)).publicKey,
  collateral: usdc(100_000_000_000n),
  native: 0n,
  masterAccountId: null,
  agents: [{ pubkey: signer.publicKey, name: "bot", expiresAtSec: 4_000_000_000 }],
  volume30d: usdc(0n),
});

const config: DevnetConfig = {
  chainId: "venue-v4:devnet:chain-2",
  blockTimeMs: 20,
  seed: 7n,
  clock: { mode: "real" },
  timestampToleranceSecs: 60,
  openOrderCap: 200,
  markets: [
    {
      marketId: 1,
      name: "USA-HPI",
      assetClass: "RealEstate",
      status: "Active",
      tickSize: price(1_000_000n),
      initialMarginRatioBps: 500,
      maintenanceMarginRatioBps: 250,
      priceBandBps: 1000,
      maxOpenInterest: size(1_000_000_000_000n),
      fundingIntervalSecs: 3600,
      oracle: { source: "fixed", price: price(20_000_000_000n), validForSecs: 86_400 },
      marginTiers: [{ notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 }],
    },
  ],
  accounts: [accountOf(maker, 1), accountOf(taker, 2)],
  feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }],
  apiKeys: [],
  sessions: [],
  users: [],
  flow: { enabled: false },
  throttle: { requestsPerSecond: 0, actionBudget: 0 },
};

async function makeWorld(): Promise<VenueWorld> {
  const devnet = await startDevnet(config, {
    clock: systemClock,
    verifier: createVerifier(),
    enclave: { entropy: systemEntropy, signerOf: createSigner },
    log: () => {},
  });
  const venue = createRemoteVenue(
    { ...defaultRemoteOptions, validatorUrl: devnet.validatorUrl, pingMs: 30 },
    { clock: systemClock, prng: createPrng(1n), report: () => {} },
  );
  return {
    venue,
    chainId: config.chainId,
    marketId: 1,
    maker,
    taker,
    chainMs: () => systemClock.wallMs(),
    eventually: (what, probe) => until(what, () => Boolean(probe())),
    async publish(usd) {
      const body = JSON.stringify({ price: usd });
      await fetch(`${devnet.controlUrl}/oracle/1`, { method: "PATCH", body });
    },
    async close() {
      await venue.close();
      await devnet.close();
    },
  };
}

venueContract("remote, over sockets", makeWorld);
