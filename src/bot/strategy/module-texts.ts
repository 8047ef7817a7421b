// Imports a strategy's file and its imports by path from texts that were read, whatever the disk now holds, and on machines without the
// file. An edit of any of them makes another module, so a strategy can be swapped while the bot runs.

import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../../kernel/hash.ts";
import { programExtension } from "../../kernel/program-extension.ts";

/** What a strategy's file may import without a node_modules nearby: our own copy, one for all. */
const OFFERED: Readonly<Record<string, string>> = {
  "quoin/strategy": new URL(`public${programExtension}`, import.meta.url).href,
  zod: import.meta.resolve("zod"),
};

/** The same as paths, for a compiler that should find what the loader finds. */
export const offeredFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(OFFERED).map(([name, address]) => [name, fileURLToPath(address)]));

/** Text by the address under which it is imported. */
const offered = new Map<string, string>();

/**
 * Reads `file`, its imports by path, and theirs; from then on they are imported from these texts at their addresses with `?version=`
 * appended. Returns the version, 12 hex digits of the texts' hash. Throws what `read` throws for `file`.
 */
export function offerModules(file: URL, read: (path: URL) => string): string {
  const texts = readModules(file, read);
  const version = sha256Hex(JSON.stringify([...texts.values()])).slice(0, 12);
  if (offered.size === 0) registerHooks({ resolve, load });
  for (const [address, text] of texts) offered.set(`${address}?version=${version}`, text);
  return version;
}

/** The text of the file imported under `address`, if it was offered. */
export const offeredText = (address: string): string | undefined => offered.get(address);

/** Returns the texts of `version`, by the file's address. */
export function offeredTexts(version: string): Readonly<Record<string, string>> {
  const ending = `?version=${version}`;
  const texts = [...offered].filter(([address]) => address.endsWith(ending));
  return Object.fromEntries(texts.map(([address, text]) => [address.slice(0, -ending.length), text]));
}

/** A relative, absolute or file-URL specifier. */
const PATH = /^(?:\.{1,2}|file:\/\/)?\//;
/** Matches comments too: reading a module needlessly does no harm. */
const LOCAL_IMPORTS = /\b(?:from|import)\s*\(?\s*["']((?:\.{1,2}|file:\/\/)?\/[^"'?#]+\.(?:m?[jt]s|json))["']/g;

function readModules(file: URL, read: (path: URL) => string): ReadonlyMap<string, string> {
  const texts = new Map([[file.href, read(file)]]);
  // A Map's loop also visits entries added meanwhile.
  for (const [address, text] of texts) {
    for (const [, path = ""] of text.matchAll(LOCAL_IMPORTS)) {
      const imported = new URL(path, address);
      if (texts.has(imported.href)) continue;
      try {
        texts.set(imported.href, read(imported));
      } catch {} // Only the import knows whether it is needed.
    }
  }
  return texts;
}

/** Its stack has the line of the import, which the runtime's own error lacks. */
class ForbiddenImport extends Error {
  constructor(specifier: string, importer: string) {
    super(
      PATH.test(specifier)
        ? `it imports "${specifier}", and there is no such file; its name is written in full, as ./name.ts`
        : `it imports "${specifier}"; a strategy imports quoin/strategy, zod, and files by their path`,
    );
    const before = (offered.get(importer) ?? "").split(specifier, 1)[0] ?? "";
    this.stack = `${this.message}\n    at ${importer}:${before.split("\n").length}:1`;
  }
}

type Hooks = Parameters<typeof registerHooks>[0];

const resolve: NonNullable<Hooks["resolve"]> = (specifier, context, next) => {
  const { parentURL = "" } = context;
  const isLocal = PATH.test(specifier) && offered.has(parentURL);
  const address = isLocal ? `${new URL(specifier, parentURL).href}${new URL(parentURL).search}` : specifier;
  if (offered.has(address)) return { url: address, format: formatOf(address), shortCircuit: true };
  const house = OFFERED[specifier];
  if (house === undefined && offered.has(parentURL)) throw new ForbiddenImport(specifier, parentURL);
  return next(house ?? specifier, context);
};

const load: NonNullable<Hooks["load"]> = (address, context, next) => {
  const source = offered.get(address);
  return source === undefined ? next(address, context) : { source, format: formatOf(address), shortCircuit: true };
};

function formatOf(address: string): string {
  const { pathname } = new URL(address);
  if (pathname.endsWith(".json")) return "json";
  return pathname.endsWith("ts") ? "module-typescript" : "module";
}
