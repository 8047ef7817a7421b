// The shipped strategies by name: other files in strategies/ are a user's own, and no test here depends on them.

export const shippedStrategies = [
  "avellaneda-stoikov",
  "fixed-spread",
  "flatten",
  "glft",
  "ladder",
  "print-aware",
] as const;

/** Whether a source of the checkout is held to its laws: of strategies/ only what ships, and what `quoin strategy new` writes. */
export function isOurs(path: string): boolean {
  const [, file] = /^strategies\/(.*)$/.exec(path) ?? [];
  return file === undefined || file === "template/own.ts" || shippedStrategies.some((name) => file === `${name}.ts`);
}
