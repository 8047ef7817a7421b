// Faults that others' bots had, put back in by swapping a part of the composition: the simulation must find each. Had it not, its laws
// would be words.

import { describe, expect, test } from "vitest";
import { ReadError, type Venue } from "../../src/bot/venue/port.ts";
import type { Account } from "../../src/domain/account.ts";
import type { StreamEvent } from "../../src/domain/event.ts";
import type { Market } from "../../src/domain/market.ts";
import { type MarketId, nonce, type OrderId } from "../../src/domain/units.ts";
import { runCampaign } from "../../src/sim/campaign.ts";
import { runWorld } from "../../src/sim/run.ts";
import type { Swaps } from "../../src/sim/world.ts";
import { type OpenedEnvelope, openEnvelope, sealEnvelope } from "../../src/wire/envelope.ts";

const SEEDS_MAX = 40;
const MINUTES = 4;

/** The law that the first of the seeds to notice, of `first` and those after it, says is broken; null when none does. */
async function lawBroken(swaps: Swaps, first = 1n): Promise<string | null> {
  for (let seed = first; seed < first + BigInt(SEEDS_MAX); seed += 1n) {
    const { violation } = await runWorld({ seed, minutes: MINUTES, swaps });
    if (violation !== null) return violation.law;
  }
  return null;
}

/** A timeout is taken for a failure: what was sent is believed never to have landed. */
const timeoutIsFailure = (venue: Venue): Venue => ({
  ...venue,
  async submit(body, lane) {
    const outcome = await venue.submit(body, lane);
    return outcome.kind === "unknown" ? { kind: "notSent", why: outcome.why } : outcome;
  },
});

/** An exception ends the stop before it has looked whether anything rests. */
const stopEndsEarly: Swaps["bot"] = (bot) => ({ ...bot, url: bot.url, stop: () => Promise.resolve([]) });

/** Whoever places does not hear of the stop: each canceling of everything is followed by the newest order once more. */
const placesDuringTheStop: Swaps["venue"] = (venue, { worldConfig }) => {
  let newest: OpenedEnvelope | undefined;
  return {
    ...venue,
    async submit(body, lane) {
      const envelope = openEnvelope(Buffer.from(body));
      const outcome = await venue.submit(body, lane);
      if (envelope.transaction.type === "PlaceOrder") newest = envelope;
      if (envelope.transaction.type === "CancelAllOrders" && newest !== undefined) {
        const again = { ...newest, nonce: nonce(envelope.nonce + 1n), timestampSec: envelope.timestampSec };
        await venue.submit(sealEnvelope({ ...again, signer: worldConfig.keys.agent }), "place");
      }
      return outcome;
    },
  };
};

/** Every seventh order is forgotten as soon as it is placed: no answer, frame or read of it is heard. */
function ordersAreForgotten(venue: Venue): Venue {
  const isForgotten = (orderId: OrderId): boolean => orderId % 7n === 0n;
  const without = (account: Account): Account => ({
    ...account,
    openOrders: account.openOrders.filter(({ orderId }) => !isForgotten(orderId)),
  });
  const isHeard = (event: StreamEvent): boolean =>
    !((event.kind === "orderPlaced" || event.kind === "orderCanceled") && isForgotten(event.orderId));
  return {
    ...venue,
    reads: { ...venue.reads, account: async (id) => without(await venue.reads.account(id)) },
    stream: (channels, onEvent) => venue.stream(channels, (event) => isHeard(event) && onEvent(event)),
    async submit(body, lane) {
      const outcome = await venue.submit(body, lane);
      if (outcome.kind !== "executed") return outcome;
      const placed = outcome.events.find((event) => event.type === "orderPlaced");
      if (placed?.type !== "orderPlaced" || !isForgotten(placed.orderId)) return outcome;
      return { kind: "refused", hash: outcome.hash, error: "forgotten" };
    },
  };
}

/** What a decoder refused is believed: a market without margin tiers, in place of the last good one. */
function nonsenseIsBelieved(venue: Venue): Venue {
  const known = new Map<MarketId, Market>();
  return {
    ...venue,
    reads: {
      ...venue.reads,
      async market(id) {
        try {
          known.set(id, await venue.reads.market(id));
        } catch (error) {
          const last = known.get(id);
          if (!(error instanceof ReadError && error.code === "implausible") || last === undefined) throw error;
          return { ...last, marginTiers: [] };
        }
        return known.get(id) as Market;
      },
    },
  };
}

/** It looks at the exchange, and no cancel of its own leaves. */
const watchdogDoesNotCancel: Swaps["watch"] = (modules) => ({
  ...modules,
  venue: { ...modules.venue, submit: async () => ({ kind: "notSent", why: "connection" }) },
});

/** Whatever the daemon does, it is not heard. */
const watchdogIsDeaf: Swaps["watch"] = (modules) => ({ ...modules, heartbeat: async () => undefined });

describe("known faults of others are found", () => {
  // The first seed is one that is known to notice the fault: those before it would only cost time.
  test.each<[string, Swaps, bigint?]>([
    ["a timeout taken for a failure", { venue: timeoutIsFailure }, 18n],
    ["an exception inside the stop", { bot: stopEndsEarly }, 2n],
    ["placing during the stop", { venue: placesDuringTheStop }],
    ["lost order tracking", { venue: ordersAreForgotten }],
    ["an implausible read that is believed", { venue: nonsenseIsBelieved }],
  ])("%s", async (_, swaps, first) => {
    expect(await lawBroken(swaps, first)).not.toBeNull();
  });

  test.each<[string, Swaps, string, bigint]>([
    ["a watchdog that does not cancel", { watch: watchdogDoesNotCancel }, "S17", 2n],
    ["a watchdog that does not hear", { watch: watchdogIsDeaf }, "S14", 2n],
  ])("%s", async (_, swaps, law, first) => {
    expect(await lawBroken(swaps, first)).toBe(law);
  });
});

/** The same print, read again, is taken for a later publication. */
const readsArePublications: Swaps["venue"] = (venue, { clock }) => ({
  ...venue,
  reads: {
    ...venue.reads,
    oracle: async (market) => ({
      ...(await venue.reads.oracle(market)),
      lastUpdateTimestampMs: Math.floor(clock.wallMs()),
    }),
  },
});

test("a wrong print that confirms itself is found", async () => {
  const { violation } = await runWorld({ seed: 5020n, minutes: 10, swaps: { venue: readsArePublications } });
  expect(violation?.law).toBe("S15");
});

test("a failing world is made smaller, and what is left of its faults breaks the same law", async () => {
  const swaps: Swaps = { venue: ordersAreForgotten };
  const { failures } = await runCampaign(
    { firstSeed: 4n, seeds: 1, minutes: 2, repeatEvery: 0 },
    { runners: [(options) => runWorld({ ...options, swaps })], stopped: new Promise(() => {}), onSeed: () => {} },
  );
  const [failure] = failures;
  if (failure === undefined) throw new Error("the mutant was not found");
  const { end, shrunk } = failure;
  expect(shrunk.length).toBeLessThan(end.faults.length);
  const again = await runWorld({ seed: end.seed, minutes: 2, swaps, faults: shrunk });
  expect(again.violation?.law).toBe(end.violation?.law);
});
