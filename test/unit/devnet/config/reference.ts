// docs/devnet-configuration.md as text, made from the schema of the devnet's configuration.

import { devnetSchema } from "../../../../src/devnet/config/schema.ts";
import { type Key, keysIn, writtenSchema } from "../../../support/configuration-keys.ts";

export const keysOfDevnet = (): readonly Key[] => [...keysIn(writtenSchema(devnetSchema))];

export const referenceText = (): string =>
  [
    "# Configuration of the devnet",
    "",
    "Made from the schema by `npx vitest run test/unit/devnet/config/reference.test.ts -u`; a test fails when the two differ.",
    "",
    "Prices (USD), sizes (contracts) and amounts (USDC, NATIVE) are human decimals, read exactly. A key that is not here, and a value that",
    "is not allowed, is refused at its line and column, with what would be allowed.",
    "",
    "| Key | Allowed | Default | Meaning |",
    "| --- | --- | --- | --- |",
    ...keysOfDevnet().map(
      ({ path, allowed, byDefault, says }) => `| \`${path}\` | ${allowed} | ${byDefault} | ${says} |`,
    ),
    "",
  ].join("\n");
