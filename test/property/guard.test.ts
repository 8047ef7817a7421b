// Laws of the guard over broken and over random inputs: it never throws, never allows what it cannot judge, never lets the worst
// case pass its limit, and no worsening of a fact turns a no into a yes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../../src/bot/risk/guard.ts";
import { accountLimitsSchema } from "../../src/bot/risk/limits/limits.ts";
import { nothingObserved, observeAdd } from "../../src/bot/risk/observed.ts";
import type { RiskInputs } from "../../src/bot/risk/risk-state.ts";
import type { Command } from "../../src/domain/command.ts";
import { exposureRatio, worstCase } from "../../src/domain/exposure.ts";
import type { TrackedOrder } from "../../src/domain/order.ts";
import { type Side, usdc } from "../../src/domain/units.ts";
import { plainHeld } from "../support/plain-bot.ts";
import { healthy } from "../unit/bot/risk/closings.ts";
import {
  cancel,
  chainTimeMs,
  healthyView,
  lots,
  market,
  modify,
  now,
  oracle,
  order,
  place,
  trusting,
  usd,
  withInventory,
  withOrders,
} from "../unit/bot/risk/healthy.ts";

/** Every optional fact is in use, so that as much as can be is needed. */
const demanding: RiskInputs = {
  view: {
    ...withOrders(healthyView, [order(1, "sell", 202, 1, { level: 3 })]),
    agent: now({ pubkey: "ab".repeat(32), name: "bot", expiresAtSec: chainTimeMs / 1000 + 86_400 }),
  },
  limits: {
    ...healthy.limits,
    account: accountLimitsSchema.parse({ maxGrossNotional: 50_000, maxLoss: 1000, maxOpenOrders: 40 }),
  },
  state: {
    ...healthy.state,
    budget: now({ remaining: 1000n, reserve: 200n }),
    observed: observeAdd({ ...nothingObserved, prints: trusting(199.9) }, healthyView.nowMs - 1),
  },
};
const bid = place("buy", 199, 1);
const judged = (inputs: RiskInputs, command: Command) => {
  const { approved } = check([command], inputs.view, inputs.limits, inputs.state);
  return approved.includes(command as never);
};

type Path = readonly string[];
const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const pathsOf = (value: unknown, at: Path = []): readonly Path[] =>
  isBranch(value) ? Object.keys(value).flatMap((key) => [[...at, key], ...pathsOf(value[key], [...at, key])]) : [];
/** A copy with the value at `path` replaced; `gone` takes the key away. */
function put(value: unknown, [key, ...rest]: Path, change: { readonly to: unknown } | "gone"): unknown {
  if (key === undefined || !isBranch(value)) return value;
  const copy: Record<string, unknown> = Array.isArray(value) ? Object.assign([], value) : { ...value };
  if (rest.length > 0) copy[key] = put(value[key], rest, change);
  else if (change === "gone") delete copy[key];
  else copy[key] = change.to;
  return copy;
}
const paths = pathsOf(demanding);

describe("totality", () => {
  const garbage = fc.constantFrom(undefined, null, Number.NaN, -1, 0, "x", {}, [], 0n, -1n, 1n << 70n, true, Infinity);
  const commands: readonly Command[] = [
    bid,
    place("sell", 201, 1, { reduceOnly: true }),
    modify(order(1, "sell", 202, 1), { newPrice: usd(203) }),
    modify(order(2, "buy", 199, 1), { newSize: lots(2) }),
    cancel(order(1, "sell", 202, 1)),
    { kind: "cancelAll", accountId: demanding.view.accountId, marketId: null, fences: null },
  ];

  test("law: whatever stands where, it does not throw, judges every command and passes every cancel", () => {
    const change = fc.tuple(
      fc.constantFrom(...paths),
      fc.oneof(
        garbage.map((to) => ({ to })),
        fc.constant("gone" as const),
      ),
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const broken = changes.reduce<unknown>((inputs, [path, to]) => put(inputs, path, to), demanding) as RiskInputs;
        const { approved, denied } = check(commands, broken.view, broken.limits, broken.state);
        for (const command of commands) {
          const isDenied = denied.some((one) => one.command === command);
          expect(approved.includes(command as never)).toBe(!isDenied);
          if (command.kind.startsWith("cancel")) expect(isDenied).toBe(false);
        }
        for (const { denials } of denied) expect(denials.length).toBeGreaterThan(0);
      }),
    );
  });

  /** What a bid can be judged without; everything else must be there. */
  const spare = [
    // Names, ages, times and figures that no rule reads.
    /\.ageMs$/,
    /^view\.funding(\.|$)/,
    /^view\.market\.value\.(marketId|name|best(Bid|Ask)|(lastO|o)raclePrice|oracleStatus|fundingRate|openInterest\w+|maxOpenInterest)$/,
    /^view\.market\.value\.(maintenanceMarginRatioBps|backstopAccountId|feeTiersEndpoint|last\w+|oracleValidUntilSec|fundingIntervalSecs)$/,
    /^view\.market\.value\.(assetClass|interestRateMicroBps|depthThresholdLamports)$/,
    /^view\.oracle\.value\.(marketId|last\w+)$/,
    /^view\.book\.value\.(marketId|(bids|asks)\.0\.(size|orderCount))$/,
    /^view\.chain\.value\.height$/,
    /^view\.position\.value\.entryPrice$/,
    /^view\.funds\.value\.(collateral|availableCollateral|feeTierVolume30d)$/,
    /^view\.agent\.value\.(pubkey|name)$/,
    /^view\.feeTier\.value\.(assetClass|minVolume30d|takerFeeBps)$/,
    /^view\.signals\.(heldMidUsd|intensityA|intensityK|dayVolatilityBps|adverseBps|markoutBps|skewScale|nowcastUsd|marketNowcastUsd|outsideNowcastUsd|nowcastPathUsd.*|nowcastErrorBps|printMoveBps|kappaPerHour|nextPrint.*)$/,
    /^view\.guidance/,
    // No outside fact bears on a limit.
    /^view\.outside/,
    // Of another order of ours only its side, price and what remains of it bear on this one; without a word on it, it stands in the book.
    /^view\.orders\.0\.(nonce|orderId|marketId|size|reduceOnly|postOnly|isConditional|isForeign|state|level|movingTo|sinceMs|queueAhead)$/,
    // Where the book may still show what has left it.
    /^view\.vacated$/,
    // A tier that the worst case does not reach, and the floor of the first.
    /^view\.market\.value\.marginTiers\.(0\.notionalFloor|1\.\w+|1)$/,
    // Of two words against the newest print the second needs it.
    /^view\.readLagMaxMs$/,
    // An empty side of the book is no fault.
    /^view\.book\.value\.(bids|asks)\.0$/,
    // Unknown means an assumed fee, cap or center, or the queue's own care of its budget.
    /^view\.feeTier\.(state|value)$/,
    /^view\.openOrderCap\.(state|value)$/,
    /^state\.budget\.state$/,
    /^state\.fairValueUsd$/,
    // Only the other side's orders try, and only where a side stands still.
    /^state\.stuckQuotes\.(sell|trial)$/,
    /^state\.rejections$/,
    /^limits\.market\.(assumedFeeBps|assumedOpenOrderCap)$/,
    // What only a quote that closes is held to.
    /^limits\.market\.maxThroughFairBps$/,
    // Limits of what is folded and tripped elsewhere, not judged here.
    /^limits\.market\.(volatilityCoolDownMs|adverseFills\w+|maxAdverseHalfSpreads|maxRejectRatio|reject\w+|maxFillsPerMinute|maxTurnoverPerMinute)$/,
    /^state\.observed\.(fills|answers|lastAnswers|lossSinceMs|judgedFills|adverse)(\.|$)/,
    /^state\.isAccountPnlUnconfirmed$/,
    // Without it our orders count as in the book: it offers less than there is.
    /^view\.isPaper$/,
    // How prints came to be trusted bears on the next one only.
    /^state\.observed\.prints\.(trusted\.publishedMs|newestMs|intervalsMs(\.0)?)$/,
    // What happened at an unknown time counts as recent.
    /^state\.observed\.adds\.(spanMs|buckets\.0\.startMs)$/,
  ];

  test.each(paths.map((path) => path.join(".")).filter((path) => !spare.some((pattern) => pattern.test(path))))(
    "forbidden: to approve without %s",
    (path) => {
      expect(judged(demanding, bid)).toBe(true);
      expect(judged(put(demanding, path.split("."), "gone") as RiskInputs, bid)).toBe(false);
    },
  );
});

describe("monotone", () => {
  /** Numbers that make up the inputs; each with the direction in which it gets worse. */
  const knobs = {
    oracleLeftMs: { min: -2000, max: 2000, worse: -1 },
    clockOffsetMs: { min: 0, max: 3000, worse: 1 },
    agentLeftSec: { min: 0, max: 2000, worse: -1 },
    lagMs: { min: 0, max: 3000, worse: 1 },
    volatilityBps: { min: 0, max: 300, worse: 1 },
    lossUsdc: { min: 0, max: 600, worse: 1 },
    budget: { min: 0, max: 60, worse: -1 },
    equityUsdc: { min: 0, max: 3000, worse: -1 },
    position: { min: 0, max: 22, worse: 1 },
    restingOrders: { min: 0, max: 20, worse: 1 },
    otherOrders: { min: 0, max: 300, worse: 1 },
    recentAdds: { min: 0, max: 120, worse: 1 },
    tenthsOfSize: { min: 1, max: 25, worse: 1 },
    throughFairCents: { min: -300, max: 300, worse: 1 },
    ownAskCents: { min: 0, max: 400, worse: -1 },
    grossElsewhereUsdc: { min: 0, max: 6000, worse: 1 },
  } as const;
  type Knob = keyof typeof knobs;
  type Setting = Readonly<Record<Knob, number>>;

  const names = Object.keys(knobs) as readonly Knob[];
  /** Mostly in health, so that one knob decides. */
  const setting = fc.record(
    Object.fromEntries(
      names.map((name) => {
        const { min, max, worse } = knobs[name];
        const good = worse > 0 ? min : max;
        return [
          name,
          fc.oneof({ weight: 4, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.integer({ min, max }) }),
        ];
      }),
    ),
  ) as unknown as fc.Arbitrary<Setting>;

  function inputsOf(set: Setting): RiskInputs {
    const orders = Array.from({ length: set.restingOrders }, (_, level) =>
      order(level + 1, "buy", 190, 0.5, { level: level + 1 }),
    );
    const ask = order(99, "sell", 199 + set.ownAskCents / 100, 0.1, { level: 50 });
    const view = withInventory(withOrders(healthyView, [...orders, ask]), set.position);
    const money = view.funds.state === "fresh" ? view.funds.value : undefined;
    if (money === undefined) throw new Error("the healthy view knows its funds");
    let observed = nothingObserved;
    for (let sent = 0; sent < set.recentAdds; sent += 1) observed = observeAdd(observed, healthyView.nowMs - 1);
    const loss = usdc(BigInt(-set.lossUsdc) * 1_000_000n);
    return {
      view: {
        ...view,
        accountOrderCount: orders.length + 1 + set.otherOrders,
        market: now(market),
        oracle: now({ ...oracle, validUntilSec: chainTimeMs / 1000 + 10 }),
        chain: now({
          height: 1,
          timeMs: chainTimeMs + 10_000 - set.oracleLeftMs,
          offsetMs: set.clockOffsetMs,
          blockMs: 0,
        }),
        agent: now({ pubkey: "ab".repeat(32), name: "bot", expiresAtSec: chainTimeMs / 1000 + 10 + set.agentLeftSec }),
        signals: { ...view.signals, volatilityBps: set.volatilityBps },
        funds: now({ ...money, equity: usdc(BigInt(set.equityUsdc) * 1_000_000n) }),
      },
      limits: { ...healthy.limits, account: accountLimitsSchema.parse({ maxGrossNotional: 6000 }) },
      state: {
        ...healthy.state,
        observed,
        eventLoopLagMs: now(set.lagMs),
        budget: now({ remaining: BigInt(set.budget * 20), reserve: 20n }),
        marketDailyPnl: now({ pnl: loss, best: usdc(0n) }),
        grossNotionalElsewhere: now(usdc(BigInt(set.grossElsewhereUsdc) * 1_000_000n)),
      },
    };
  }
  const commandOf = (set: Setting) => place("buy", 199, set.tenthsOfSize / 10);
  const allowed = (set: Setting) => {
    const inputs = inputsOf(set);
    const fair = { ...inputs.state, fairValueUsd: 199 - set.throughFairCents / 100 };
    return judged({ ...inputs, state: fair }, commandOf(set));
  };

  test("law: a worse fact never turns a denial into an approval", () => {
    fc.assert(
      fc.property(setting, fc.constantFrom(...names), fc.integer({ min: 1, max: 2000 }), (set, knob, by) => {
        const { min, max, worse } = knobs[knob];
        const worsened = { ...set, [knob]: Math.min(max, Math.max(min, set[knob] + worse * by)) };
        if (!allowed(set)) expect(allowed(worsened)).toBe(false);
      }),
    );
  });

  test("every knob decides alone somewhere: from its good end to its bad end the answer changes", () => {
    const good = Object.fromEntries(
      names.map((name) => [name, knobs[name].worse > 0 ? knobs[name].min : knobs[name].max]),
    ) as Setting;
    expect(allowed(good)).toBe(true);
    for (const name of names) {
      const bad = knobs[name].worse > 0 ? knobs[name].max : knobs[name].min;
      expect({ name, allowed: allowed({ ...good, [name]: bad }) }).toEqual({ name, allowed: false });
    }
  });
});

describe("exposure", () => {
  const placed = fc.record({
    side: fc.constantFrom<Side>("buy", "sell"),
    cents: fc.integer({ min: 1, max: 300 }),
    tenths: fc.integer({ min: 1, max: 20 }),
    reduceOnly: fc.boolean(),
    level: fc.integer({ min: 0, max: 9 }),
  });
  const resting = fc.record({
    side: fc.constantFrom<Side>("buy", "sell"),
    tenths: fc.integer({ min: 1, max: 20 }),
    state: fc.constantFrom<TrackedOrder["state"]>("working", "inFlight", "unknown", "canceling"),
    reduceOnly: fc.boolean(),
  });

  test("law: whatever of an approved batch lands and fills, the position stays within the limit", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -200, max: 200 }),
        fc.array(resting, { maxLength: 8 }),
        fc.array(placed, { minLength: 1, maxLength: 12 }),
        (inventory, live, wanted) => {
          const orders = live.map((one, index) =>
            order(index + 1, one.side, one.side === "buy" ? 195 : 205, one.tenths / 10, { ...one, level: 20 + index }),
          );
          const view = withInventory(withOrders(healthyView, orders), inventory / 10);
          const limit = healthy.limits.market.maxPosition;
          const before = worstCase(plainHeld(lots(inventory / 10)), orders);
          const commands = wanted.map(({ side, cents, tenths, reduceOnly, level }) =>
            place(side, side === "buy" ? 200 - cents / 100 : 200 + cents / 100, tenths / 10, { reduceOnly, level }),
          );
          const { approved } = check(commands, view, healthy.limits, healthy.state);
          const landed = approved.flatMap((command, index) =>
            command.kind === "place"
              ? [order(100 + index, command.side, 200, Number(command.size) / 1e6, { reduceOnly: command.reduceOnly })]
              : [],
          );
          const after = worstCase(plainHeld(lots(inventory / 10)), [...orders, ...landed]);
          expect(after.long <= limit || after.long === before.long).toBe(true);
          expect(after.short <= limit || after.short === before.short).toBe(true);
          if (after.long > 0n)
            expect(exposureRatio(after, limit, "buy")).toBeCloseTo(Number(after.long) / Number(limit));
        },
      ),
    );
  });
});
