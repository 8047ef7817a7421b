// Holds docs/interface.md to the table; `-u` writes it.

import { resolve } from "node:path";
import { expect, it } from "vitest";
import { interfaceText } from "./document.ts";

it("docs/interface.md is as the table says (npx vitest run test/interface/document.test.ts -u writes it)", async () => {
  await expect(interfaceText()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/interface.md"));
});
