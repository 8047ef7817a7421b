// What the fleet's page says first: whether every account is quoted, and whether a node has fallen silent.

import { expect, test } from "vitest";
import type { FleetView } from "../../../../src/bot/dashboard/fleet.ts";
import { elements, shownAs } from "./document.ts";

const line = { shard: "12", node: "a", epoch: 1, state: "quoting", sinceMs: 0, leaseMs: 3000 };
const node = { node: "a", isDraining: false, unable: null, program: "0.1.0", aliveMs: 3000 };
const view = {
  node: "a",
  chainId: "venue-v4:devnet:chain-2",
  version: "0.1.0",
  leaseMs: 4000,
  own: {},
  troubles: [],
  fleet: { nowMs: 5000, order: null, accounts: [line], nodes: [node], takeovers: [] },
} as unknown as FleetView;

test.each([
  ["all is well", {}, "✓ 1 of 1 accounts quoted"],
  [
    "a node is silent",
    { nodes: [node, { ...node, node: "b", aliveMs: -9000 }] },
    "! 1 of 1 accounts quoted, 1 of 2 nodes silent",
  ],
  ["an account is not quoted", { accounts: [{ ...line, state: "taking" }] }, "✗ 0 of 1 accounts quoted"],
])("the bar on top when %s", async (_, changed, says) => {
  const html = await shownAs("fleet-view.js", "FleetPage", {
    view: { ...view, fleet: { ...view.fleet, ...changed } },
    stale: "",
  });
  expect(elements(html, "span").map(({ text }) => text)).toContain(says);
});
