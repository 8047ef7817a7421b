// The reference of the devnet's configuration: complete, and the one in docs/.

import { expect, it } from "vitest";
import { keysOfDevnet, referenceText } from "./reference.ts";

it("every key says what it is", () => {
  expect(keysOfDevnet().flatMap(({ path, says }) => (says === undefined ? [path] : []))).toEqual([]);
});

it("docs/devnet-configuration.md is the present one", async () => {
  await expect(referenceText()).toMatchFileSnapshot("../../../../docs/devnet-configuration.md");
});
