// Agent keys of an account: what can be approved, how long it holds, what revoking does (S3, S4.6).

import { describe, expect, test } from "vitest";
import { approveAgent, revokeAgent } from "../../../../src/devnet/accounts/agents.ts";
import { createFamilies, keyOf, rowOf } from "./world.ts";

const agent = { pubkey: keyOf("g"), name: "bot", expiresAtSec: 2000 };

describe("agents", () => {
  test("revoking takes the key off; revoking what is not there is refused", () => {
    const registry = createFamilies();
    approveAgent(registry, rowOf(registry, 1n), agent);
    expect(revokeAgent(registry, rowOf(registry, 1n), agent.pubkey).status).toBe("success");
    expect(rowOf(registry, 1n).agents).toEqual([]);
    expect(revokeAgent(registry, rowOf(registry, 1n), agent.pubkey)).toMatchObject({ code: "UnknownAgent" });
  });

  test.each([
    ["a key that is no 32 bytes of lowercase hex", { pubkey: "AB".repeat(32) }, "InvalidAgentKey"],
    ["an expiry in milliseconds", { expiresAtSec: 1_790_000_000_000 }, "InvalidExpiry"],
    ["an expiry before time began", { expiresAtSec: -1 }, "InvalidExpiry"],
    ["a name of more than 64 bytes", { name: "é".repeat(33) }, "InvalidAgentName"],
  ])("%s is refused and changes nothing", (_, change, code) => {
    const registry = createFamilies();
    expect(approveAgent(registry, rowOf(registry, 1n), { ...agent, ...change })).toMatchObject({ code });
    expect(rowOf(registry, 1n).agents).toEqual([]);
  });

  test("the sixty-fifth key is refused, and renewing one of the sixty-four is not", () => {
    const registry = createFamilies();
    const pubkeyOf = (count: number) => count.toString(16).padStart(64, "0");
    for (let count = 0; count < 64; count += 1) {
      approveAgent(registry, rowOf(registry, 1n), { ...agent, pubkey: pubkeyOf(count) });
    }
    const row = rowOf(registry, 1n);
    expect(approveAgent(registry, row, { ...agent, pubkey: pubkeyOf(64) })).toMatchObject({ code: "AgentLimit" });
    expect(approveAgent(registry, row, { ...agent, pubkey: pubkeyOf(63) }).status).toBe("success");
  });
});
