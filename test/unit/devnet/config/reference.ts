// docs/devnet-configuration.md as text, made from the schema of the devnet's configuration.

import { devnetSchema } from "../../../../src/devnet/config/schema.ts";
import { type Key, keysIn, keyYaml, writtenSchema } from "../../../support/configuration-keys.ts";

export const keysOfDevnet = (): readonly Key[] => [...keysIn(writtenSchema(devnetSchema))];

export const referenceText = (): string =>
  [
    "# Configuration of the devnet",
    "",
    "Made from the schema by `npx vitest run test/unit/devnet/config/reference.test.ts -u`; a test fails when the two differ.",
    "",
    "Prices (USD), sizes (contracts) and amounts (USDC, NATIVE) are decimals, read exactly. A key or value that is not here is refused at its line",
    "and column. Beside each key its default, what is allowed, and what it means.",
    "",
    // Names and meanings have the units.
    ...keyYaml(keysOfDevnet().map((key) => ({ ...key, unit: "" }))),
    "",
  ].join("\n");
