// The reference of View: complete, and the one in docs/.

import { expect, it } from "vitest";
import type { View } from "../../../src/domain/view.ts";
import { viewShapes, viewText } from "./view-reference.ts";

it("every field of a view is listed, and every type that it leads to", () => {
  const [view] = viewShapes();
  const fields: Readonly<Record<keyof View, true>> = {
    ...{ nowMs: true, accountId: true, marketId: true, market: true, oracle: true, book: true, funding: true },
    ...{
      chain: true,
      stream: true,
      position: true,
      funds: true,
      reconciled: true,
      resync: true,
      agent: true,
      feeTier: true,
    },
    ...{
      openOrderCap: true,
      orders: true,
      vacated: true,
      isPaper: true,
      unreadable: true,
      accountOrderCount: true,
      outside: true,
      readLagMaxMs: true,
      signals: true,
      guidance: true,
    },
  };
  expect(view?.fields.map(({ name }) => name)).toEqual(Object.keys(fields));
  const named = viewShapes().map(({ name }) => name);
  expect(named).toEqual(
    expect.arrayContaining(["Quotes", "Quote", "Oracle", "Book", "Level", "Signals", "TrackedOrder"]),
  );
});

it("docs/view.md is the present one", async () => {
  await expect(viewText()).toMatchFileSnapshot("../../../docs/view.md");
});
