// The parameters of the strategies that ship, as docs/strategies.md lists them.

import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { shippedStrategies } from "../../support/shipped-strategies.ts";
import { withParameters } from "./parameters.ts";

const file = new URL("../../../docs/strategies.md", import.meta.url);

it("docs/strategies.md has the present parameters", async () => {
  await expect(await withParameters(await readFile(file, "utf8"))).toMatchFileSnapshot(file.pathname);
});

it.each(shippedStrategies)(
  "docs/strategies.md describes %s, and each of its parameters says what it is",
  async (name) => {
    const section = (await readFile(file, "utf8")).split(`\n## \`${name}\`\n`)[1]?.split("\n## ")[0] ?? "";
    expect(section).toContain(`<!-- parameters of ${name}`);
    for (const part of ["**Earns and risks:**", "**Fails**"]) expect(section).toContain(part);
    const keys = section.match(/^ *\w+:.*$/gm) ?? [];
    expect(keys.length).toBeGreaterThan(2);
    expect(section).not.toMatch(/; $|undefined/m);
  },
);
