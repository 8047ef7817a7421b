// The contract of the venue port over the devnet called directly, under virtual time.

import type { Venue } from "../../src/bot/venue/port.ts";
import { price } from "../../src/domain/units.ts";
import { macrotask } from "../../src/kernel/clock.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { createVirtualClock } from "../../src/kernel/virtual-clock.ts";
import { createSimulatedExchange } from "../../src/sim/exchange.ts";
import { createInProcessVenue } from "../../src/sim/in-process-venue.ts";
import { latencyOnly, sameLatency } from "../../src/sim/network/network-conditions.ts";
import { ProcessRun } from "../../src/sim/process-run.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../src/wire/signing-simulated.ts";
import { contractExchange, type VenueWorld, venueContract } from "./venue-port.ts";

const START_MS = 1_790_000_000_000;

const { maker, taker, config } = contractExchange(keyedHashSigner, 200);

/** The suite awaits answers without moving time, so time moves whenever somebody waits. */
function pumped(venue: Venue, advance: () => Promise<void>): Venue {
  const until = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    void work.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await macrotask();
    while (!isDone) await advance();
    return work;
  };
  const reads = Object.fromEntries(
    Object.entries(venue.reads).map(([name, read]) => [
      name,
      (...given: never[]) => until((read as (...of: never[]) => Promise<unknown>)(...given)),
    ]),
  ) as Venue["reads"];
  return { ...venue, reads, submit: (body, lane) => until(venue.submit(body, lane)) };
}

async function makeWorld(): Promise<VenueWorld> {
  const world = createVirtualClock({ startMs: START_MS, settle: macrotask });
  const exchange = createSimulatedExchange(
    { config },
    { clock: world, verifier: keyedHashVerifier, signerOf: keyedHashSigner, log: () => {} },
  );
  const prng = createPrng(1n);
  const venue = createInProcessVenue(
    {},
    {
      world,
      processRun: new ProcessRun({ world, view: world.viewOf({ skewMs: 0, driftPpm: 0 }) }),
      exchange,
      conditions: latencyOnly(sameLatency(() => 1 + prng.below(20))),
      prng,
    },
  );
  return {
    venue: pumped(venue, () => world.advance(10)),
    chainId: config.chainId,
    marketId: 1,
    maker,
    taker,
    chainMs: () => world.wallMs(),
    async eventually(what, probe) {
      const deadlineMs = world.elapsedMs() + 30_000;
      for (;;) {
        const found = probe();
        if (found) return found;
        if (world.elapsedMs() > deadlineMs) throw new Error(`waited in vain for ${what}`);
        await world.advance(10);
      }
    },
    async publish(usd) {
      await world.advance(100); // As long as an operator's request would take.
      exchange.chain.control.publishPrint(1, price(BigInt(Math.round(Number(usd) * 1e8))));
    },
    async close() {
      await venue.close();
      await exchange.close();
    },
  };
}

venueContract("in process, under virtual time", makeWorld);
