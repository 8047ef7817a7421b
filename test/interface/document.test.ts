// Holds docs/interface.md and its reasons to the table; `-u` writes them.

import { resolve } from "node:path";
import { expect, it } from "vitest";
import { assumptionsText, interfaceText } from "./document.ts";

it("docs/interface.md is as the table says (npx vitest run test/interface/document.test.ts -u writes it)", async () => {
  await expect(interfaceText()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/interface.md"));
});

it("docs/reference/interface-assumptions.md is as the table says", async () => {
  const file = resolve(import.meta.dirname, "../../docs/reference/interface-assumptions.md");
  await expect(assumptionsText()).toMatchFileSnapshot(file);
});
