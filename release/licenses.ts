// The licenses under which the packages of a release are given, against those that its users may take without asking a lawyer.

/** SPDX names. All of them permit use, change and sale, and ask for no more than that their text be kept. */
export const allowedLicenses: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
]);

/** A CycloneDX 1.5 document, as far as it is asked here. */
export type Bom = {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly {
      readonly license?: { readonly id?: string; readonly name?: string };
      readonly expression?: string;
    }[];
  }[];
};

/** A line for each package whose license is none of these, or not said. */
export function licenseFaults({ components }: Bom): readonly string[] {
  return components.flatMap(({ name, version, licenses = [] }) => {
    const said = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? "");
    if (said.length > 0 && said.every(isAllowed)) return [];
    return [`${name} ${version}: ${said.join(", ") || "no license said"}`];
  });
}

/** Of "A OR B" one is enough; of "A AND B" both are needed. */
function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, "");
  return plain.split(" OR ").some((choice) => choice.split(" AND ").every((name) => allowedLicenses.has(name.trim())));
}
