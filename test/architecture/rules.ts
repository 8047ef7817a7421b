// The rules that hold the tables of table.ts over a tree of sources. Each returns its violations as lines that say what to do.

import {
  type Ban,
  bans,
  concepts,
  doors,
  entryPoints,
  longFiles,
  mayImport,
  packageHomes,
  sizes,
  strategyDoor,
} from "./table.ts";
import { type Import, lineAt, type SourceFile, type Tree } from "./tree.ts";

export type Rule = (tree: Tree) => readonly string[];

/** Imports point one way: each folder of src imports what its row allows, strategies the one door. */
export const importsPointOneWay: Rule = (tree) =>
  eachImport(tree, (file, { target, typeOnly }) => {
    if (target === undefined || target === "package.json") return undefined;
    if (file.path.startsWith("strategies/")) {
      const isAllowed = target === strategyDoor || areaOf(target) === "strategies";
      return isAllowed ? undefined : `a strategy imports quoin/strategy and its neighbors, not ${target}`;
    }
    if (!file.path.startsWith("src/")) return undefined;
    const from = areaOf(file.path);
    const allowed = mayImport[from];
    if (allowed === undefined) return `${from} has no row in the table of imports`;
    if (areaOf(target) === from || allowed.some((entry) => admits(entry, target, typeOnly))) return undefined;
    return `${from} may not import ${target}: allowed are ${allowed.join(", ") || "none"}`;
  });

/** A package is imported in its home alone, and one without a home nowhere. */
export const packagesHaveOneHome: Rule = (tree) =>
  eachImport(tree, (file, { specifier, target }) => {
    if (target !== undefined || specifier.startsWith("node:")) return undefined;
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    const homes = packageHomes[name];
    if (homes === undefined) return `package ${name} has no home in the table`;
    return isAt(file.path, homes) ? undefined : `package ${name} lives in ${homes.join(", ")}`;
  });

/** Every import names a file that exists, so that the other rules see the whole graph. */
export const importsResolve: Rule = (tree) => {
  const paths = new Set(tree.map(({ path }) => path));
  return eachImport(tree, (_, { target }) =>
    target === undefined || target === "package.json" || paths.has(target) ? undefined : `no such file: ${target}`,
  );
};

/** No file imports itself over others, types included: what cannot be read in one direction is one thing in two files. */
export const importsHaveNoCycle: Rule = (tree) => {
  const graph = new Map(tree.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]));
  const done = new Set<string>();
  const violations: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) violations.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" → ")}`);
    if (done.has(path) || trail.includes(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return violations;
};

/** Every file of src is reached from where the program begins. Declarations are seen by the compiler without an import. */
export const nothingIsDead: Rule = (tree) => {
  const files = new Map(tree.map((file) => [file.path, file]));
  const alive = new Set<string>();
  const reach = (path: string): void => {
    if (alive.has(path)) return;
    alive.add(path);
    for (const { target } of files.get(path)?.imports ?? []) if (target !== undefined) reach(target);
  };
  for (const path of files.keys()) if (path.endsWith(".d.ts") || isEntry(path)) reach(path);
  return [...files.keys()].filter((path) => !alive.has(path)).map((path) => `${path}: nothing that runs imports it`);
};

/** What is banned is touched in its homes alone. */
export const bansHold: Rule = (tree) => bans.flatMap((ban) => tree.flatMap((file) => breaches(ban, file)));

/** A home that no longer touches what it is a home of is struck from the table. Folders may have empty days. */
export const homesAreNeeded: Rule = (tree) =>
  bans.flatMap((ban) =>
    tree
      .filter((file) => file.path in ban.homes && touches(ban, file).length === 0)
      .map(({ path }) => `${path} no longer touches ${ban.what}: strike it from the table`),
  );

/** A file opens with its purpose in a few lines of comment. */
export const filesOpenWithTheirPurpose: Rule = (tree) =>
  tree.flatMap(({ path, text }) => {
    const lines = text.split("\n");
    const opening = lines.slice(lines[0]?.startsWith("#!") ? 1 : 0);
    const comment = opening.findIndex((line) => !line.startsWith("//"));
    if (comment === 0) return [`${path}: opens with no comment that says its purpose`];
    return comment > sizes.purposeLinesMax
      ? [`${path}: its purpose takes more than ${sizes.purposeLinesMax} lines`]
      : [];
  });

/** What is outside of a room with a door sees nothing of it but the door. */
export const doorsAreUsed: Rule = (tree) =>
  eachImport(tree, ({ path }, { target }) => {
    const [room, door] = Object.entries(doors).find(([folder]) => target?.startsWith(folder)) ?? [];
    if (room === undefined || path.startsWith(room) || target === door) return undefined;
    return `the door of ${room} is ${door}, not ${target}`;
  });

/** The table of imports names only rooms that exist. */
export const roomsExist: Rule = (tree) => {
  const entries = Object.entries(mayImport).flatMap(([area, allowed]) => [area, ...allowed]);
  return [...new Set(entries.map((entry) => entry.replace(/^type /, "")))]
    .filter((room) => !tree.some(({ path }) => path === `src/${room}` || path.startsWith(`src/${room}/`)))
    .map((room) => `src/${room} does not exist: strike it from the table of imports`);
};

/** A file is one concept: one that grows long says in the table why it still is, and is struck from there when it shrinks. */
export const longFilesSayWhy: Rule = (tree) => {
  const isLong = ({ text }: SourceFile): boolean => text.split("\n").length - 1 > sizes.longBeyond;
  const long = new Set(tree.filter(isLong).map(({ path }) => path));
  return [
    ...[...long]
      .filter((path) => !(path in longFiles))
      .map(
        (path) => `${path}: more than ${sizes.longBeyond} lines: say in the table why it is one concept, or split it`,
      ),
    ...Object.keys(longFiles)
      .filter((path) => tree.some((file) => file.path === path) && !long.has(path))
      .map((path) => `${path} is no longer long: strike it from the table`),
  ];
};

/** A small file that a single neighbor imports is a part of that neighbor, unless the table names its concept. */
export const smallFilesAreConcepts: Rule = (tree) => {
  const parts = new Map(
    tree.flatMap(({ path, text }): readonly [string, string][] => {
      const importers = tree.filter(({ imports }) => imports.some(({ target }) => target === path));
      const [only] = importers;
      const isSmall = text.split("\n").length - 1 < sizes.smallBelow;
      return isSmall && only !== undefined && importers.length === 1 && folderOf(only.path) === folderOf(path)
        ? [[path, only.path]]
        : [];
    }),
  );
  const isInTree = (path: string) => tree.some((file) => file.path === path);
  return [
    ...[...parts]
      .filter(([path]) => !(path in concepts))
      .map(
        ([path, only]) => `${path}: small, and only ${only} imports it: join them, or name its concept in the table`,
      ),
    ...Object.keys(concepts)
      .filter((path) => isInTree(path) && !parts.has(path))
      .map((path) => `${path} needs no place among the concepts any longer: strike it from the table`),
  ];
};

/** What is not done is an issue, not a mark in the code. The word is written in two parts so that this file passes. */
export const nothingIsPostponed: Rule = (tree) =>
  tree.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(new RegExp(`\\b(?:${"TO"}${"DO"}|${"FIX"}${"ME"}|${"X"}${"XX"})\\b`, "g")),
      ({ 0: word, index }) => `${path}:${lineAt(text, index)}: ${word}`,
    ),
  );

function eachImport(tree: Tree, fault: (file: SourceFile, imported: Import) => string | undefined): readonly string[] {
  return tree.flatMap((file) =>
    file.imports.flatMap((imported) => {
      const said = fault(file, imported);
      return said === undefined ? [] : [`${file.path}:${imported.line}: ${said}`];
    }),
  );
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** Of src the top folder or file, of the bot's wing its part. */
function areaOf(path: string): string {
  const [top, area, part] = path.split("/");
  if (top !== "src" || area === undefined) return top ?? path;
  return area === "bot" ? `bot/${part}` : area;
}

/** An entry of the table is a folder or file of src; with `type` in front it admits types alone. */
function admits(entry: string, target: string, typeOnly: boolean): boolean {
  const path = `src/${entry.replace(/^type /, "")}`;
  if (entry.startsWith("type ") && !typeOnly) return false;
  return target === path || target.startsWith(`${path}/`);
}

function isAt(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => (home.endsWith("/") ? path.startsWith(home) : path === home));
}

function isEntry(path: string): boolean {
  return entryPoints.some((entry) => (entry.endsWith("/*.ts") ? path.startsWith(entry.slice(0, -4)) : path === entry));
}

function breaches(ban: Ban, file: SourceFile): readonly string[] {
  if (isAt(file.path, Object.keys(ban.homes)) || !isAt(file.path, ban.within ?? ["src/", "strategies/"])) return [];
  return touches(ban, file).map((line) => `${file.path}:${line}: ${ban.what} is banned here: ${ban.instead}`);
}

/** The lines of a file that touch what is banned. */
function touches({ code, modules = [], admitsTypes = false }: Ban, file: SourceFile): readonly number[] {
  const inCode =
    code === undefined
      ? []
      : Array.from(file.code.matchAll(new RegExp(code, "g")), ({ index }) => lineAt(file.code, index));
  const imported = file.imports.filter(
    ({ specifier, target, typeOnly }) => modules.includes(target ?? specifier) && !(admitsTypes && typeOnly),
  );
  return [...inCode, ...imported.map(({ line }) => line)];
}
