// The contract of the venue port over real sockets: the remote venue against the whole devnet.

import { createRemoteVenue, defaultRemoteOptions } from "../../src/bot/venue/remote/remote.ts";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemEntropy } from "../../src/kernel/entropy.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { createSigner, createVerifier } from "../../src/wire/signing.ts";
import { operate } from "../support/operate.ts";
import { until } from "../support/until.ts";
import { contractExchange, type VenueWorld, venueContract } from "./venue-port.ts";

const { maker, taker, config } = contractExchange(createSigner, 20);

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
      await operate(devnet, "PATCH", "/oracle/1", { price: usd });
    },
    async close() {
      await venue.close();
      await devnet.close();
    },
  };
}

venueContract("remote, over sockets", makeWorld);
