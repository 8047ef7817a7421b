// The findings of the attacks, put back in by swapping a part of the composition: the simulation must find each.

import { expect, test } from "vitest";
import type { Account } from "../../src/domain/account.ts";
import type { StreamEvent, SubmitOutcome } from "../../src/domain/event.ts";
import type { MarketId, OrderId } from "../../src/domain/units.ts";
import { runWorld } from "../../src/sim/run.ts";
import type { Swaps } from "../../src/sim/world.ts";
import { openEnvelope } from "../../src/wire/envelope.ts";

const MINUTES = 4;

/** The order that a place or a modify made; undefined: none, or nobody knows. */
function placedBy(outcome: SubmitOutcome): { readonly orderId: OrderId; readonly marketId: MarketId } | undefined {
  if (outcome.kind !== "executed") return undefined;
  const event = outcome.events.find(({ type }) => type === "orderPlaced");
  return event?.type === "orderPlaced" ? event : undefined;
}

/** A read that lacks an order of ours is believed, however old it is: the order is gone, for this reason. */
const absenceIsAnEnd =
  (reason: string): NonNullable<Swaps["venue"]> =>
  (venue, { account: accountId, clock }) => {
    const ours = new Map<OrderId, MarketId>();
    let tell: (event: StreamEvent) => void = () => {};
    const judge = ({ openOrders }: Account): void => {
      for (const [orderId, marketId] of ours) {
        if (openOrders.some((each) => each.orderId === orderId)) continue;
        ours.delete(orderId);
        tell({ kind: "orderCanceled", accountId, marketId, orderId, reason, receivedMs: clock.elapsedMs() });
      }
    };
    return {
      ...venue,
      stream(channels, onEvent) {
        tell = onEvent;
        return venue.stream(channels, onEvent);
      },
      reads: {
        ...venue.reads,
        async account(id) {
          const read = await venue.reads.account(id);
          judge(read);
          return read;
        },
      },
      async submit(body, lane) {
        const outcome = await venue.submit(body, lane);
        const placed = placedBy(outcome);
        if (placed !== undefined) ours.set(placed.orderId, placed.marketId);
        return outcome;
      },
    };
  };

/** What nobody answered stays unknown: no fence ends it, and no time. */
const unknownForEver: Swaps = {
  config: (config) => ({ ...config, venue: { ...config.venue, landingBoundMs: 600_000 } }),
  venue: (venue) => ({
    ...venue,
    async submit(body, lane) {
      const isFence = openEnvelope(Buffer.from(body)).transaction.type === "CancelAllOrders";
      const outcome = await venue.submit(body, lane);
      return isFence ? { kind: "unknown", why: "nobody says" } : outcome;
    },
  }),
};

/** The watchdog asks whether the daemon turns, not whether it can act. */
const turningIsEnough: Swaps["watch"] = (modules) => ({
  ...modules,
  async heartbeat(timeoutMs) {
    const beat = await modules.heartbeat(timeoutMs);
    return beat && { ...beat, accounts: [] };
  },
});

/** Orders may stand anywhere around the print, wherever a book is walked to. */
const noCollar: Swaps["config"] = (config) => ({
  ...config,
  accounts: config.accounts.map((account) => ({
    ...account,
    markets: account.markets.map((market) => ({ ...market, limits: { ...market.limits, maxOracleDistanceBps: 9000 } })),
  })),
});

/** Each seed has the fault in question: those before it would only cost time. */
const mutants: readonly (readonly [finding: string, what: string, swaps: Swaps, law: string, seed: bigint])[] = [
  ["A1", "reads that lack an order refute it", { venue: absenceIsAnEnd("MarketClosed") }, "S2", 175n],
  ["A4", "what a read lacks is taken for another's cancel", { venue: absenceIsAnEnd("UserCanceled") }, "L4", 5n],
  ["A5", "what nobody answered stays unknown", unknownForEver, "L4", 6n],
  ["B2", "a watchdog that asks whether the daemon turns", { watch: turningIsEnough }, "S17", 363n],
  ["C1", "no collar around the print", { config: noCollar }, "S15", 6n],
];

test.each(mutants)("%s: %s", async (_finding, _what, swaps, law, seed) => {
  const { violation } = await runWorld({ seed, minutes: MINUTES, swaps });
  expect(violation?.law).toBe(law);
});
