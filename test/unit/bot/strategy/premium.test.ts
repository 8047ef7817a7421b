// The target of the premium book: what was seen of premiums on made markets whose law is known, and what that pays for.

import { describe, expect, test } from "vitest";
import {
  noPremiumRecord,
  observeMinute,
  type PremiumEvidence,
  type PremiumRecord,
  premiumDecay,
  premiumTarget,
} from "../../../../src/bot/strategy/premium.ts";
import { createPrng, type Prng } from "../../../../src/kernel/prng.ts";
import { exp, ln } from "../../../../src/kernel/real.ts";

const normal = (prng: Prng): number => Math.sqrt(-2 * ln(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());

/** Days of minutes of a market whose premium goes away by `perHour`, over a worth that stands; each mid is off by noise. */
function seen(days: number, perHour: number, noiseBps: number, seed: bigint): PremiumRecord {
  const prng = createPrng(seed);
  const kept = exp(-perHour / 60);
  let premium = 0;
  let worth = 200;
  let record = noPremiumRecord;
  for (let minute = 0; minute < days * 1440; minute += 1) {
    premium = perHour === 0 ? 0 : kept * premium + 1.5e-4 * normal(prng);
    if (perHour === 0) worth *= 1 + 1.5e-4 * normal(prng);
    const told = premium + (noiseBps / 10_000) * normal(prng);
    record = observeMinute(record, { midUsd: worth * (1 + told), premium: told });
  }
  return record;
}

describe("how fast a premium goes away", () => {
  test("a known rate is found, within three of its errors, whatever the noise of a minute", () => {
    for (const perHour of [0.2, 0.5])
      for (const noise of [0, 10]) {
        const decay = premiumDecay(seen(20, perHour, noise, 5n));
        expect(decay).not.toBeNull();
        expect(Math.abs((decay?.perHour ?? 0) - perHour)).toBeLessThan(3 * (decay?.errorPerHour ?? 0) + 0.1 * perHour);
      }
  });

  test("noise in the mid is no premium that goes away", () => {
    const decays = [1n, 2n, 3n, 4n, 5n, 6n].map((seed) => premiumDecay(seen(10, 0, 10, seed)));
    const proven = decays.filter((decay) => decay !== null && decay.perHour > 2 * decay.errorPerHour);
    expect(proven).toEqual([]);
  });

  test("less than a day tells nothing, and a gap joins nothing across it", () => {
    expect(premiumDecay(seen(0.9, 0.5, 0, 1n))).toBeNull();
    const whole = seen(2, 0.5, 0, 1n);
    const after = observeMinute(whole, null);
    expect(after.last).toEqual([]);
    expect(premiumDecay(after)).toEqual(premiumDecay(whole));
    let gapped = after;
    for (let minute = 0; minute < 20; minute += 1) gapped = observeMinute(gapped, { midUsd: 400, premium: 1 });
    expect(premiumDecay(gapped)).toEqual(premiumDecay(whole));
  });
});

describe("the target", () => {
  const sizes = { capitalUsd: 80, maxContracts: 5, kellyShare: 0.25 };
  const evidence: PremiumEvidence = {
    priceUsd: 200,
    premium: 0.001,
    error: 0.0002,
    decay: { perHour: 0.2, errorPerHour: 0.05 },
    kappaPerHour: 0.04,
    volatility: 0.3e-4,
    printMove: 10e-4,
    printEveryMs: 86_400_000,
    initialMarginRatio: 0.05,
  };
  const target = (changed: Partial<PremiumEvidence> = {}, other: Partial<typeof sizes> = {}) =>
    premiumTarget({ ...sizes, ...other }, { ...evidence, ...changed });

  test("against the premium: a quarter of Kelly's by what is proven", () => {
    const pull = 0.15 + 0.04;
    const variance = 0.3e-4 ** 2 * 3600 + 0.001 ** 2 / 24;
    expect(target()).toBeCloseTo((-0.25 * 80 * pull * 0.0008) / (variance * 200), 9);
    expect(target({ premium: -0.001 })).toBeCloseTo(-target(), 9);
  });

  test("within the errors there is none; a premium that runs away pays for nothing", () => {
    expect(target({ premium: 0.000_19 })).toBe(-0);
    expect(target({ decay: { perHour: 0.05, errorPerHour: 0.06 }, kappaPerHour: 0 })).toBe(-0);
    expect(target({ decay: { perHour: -0.3, errorPerHour: 0.05 } })).toBe(-0);
  });

  test("never beyond maxContracts, nor beyond what the capital is margin for", () => {
    expect(target({ premium: 0.1 })).toBe(-5);
    expect(target({ premium: 0.1, initialMarginRatio: 1 })).toBe(-0.4);
    expect(target({}, { capitalUsd: 8 }) / target()).toBeCloseTo(0.1, 9);
  });

  test("more volatility, a wilder print: less", () => {
    expect(Math.abs(target({ volatility: 1e-4 }))).toBeLessThan(Math.abs(target()));
    expect(Math.abs(target({ printMove: 100e-4 }))).toBeLessThan(Math.abs(target()));
  });
});
