// The files of the page, its look, and the libraries that its modules import, read once at the start and served unchanged. A browser finds
// a module only by address, so package names in imports become addresses here; the source files keep the names for the type checker.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { libraryText, lookText } from "../../look/files.ts";

export type PageFile = {
  readonly status: 200;
  readonly type: string;
  readonly body: string;
  /** The compressed body. */
  readonly gzip: Buffer;
};

/** By the name in an import: the address, and the package's file if it is not the default one. */
const libraries: Readonly<Record<string, { readonly as: string; readonly file?: string }>> = {
  preact: { as: "preact" },
  "preact/hooks": { as: "hooks" },
  htm: { as: "htm" },
  // The file that includes its own dependencies.
  "lightweight-charts": { as: "charts", file: "lightweight-charts.standalone.production.mjs" },
};

const scripts = [
  "account",
  "actions",
  "bars",
  "chart",
  "chart-canvas",
  "chart-data",
  "chart-series",
  "deeds",
  "html",
  "ladder",
  "lists",
  "market",
  "menus",
  "page",
  "proposals",
  "risk",
  "session",
  "settings",
  "stream",
  "tab",
  "tiles",
  "top",
  "view",
  "words",
];
const nodeScripts = ["fleet", "fleet-view"];

const shared = (): readonly Served[] => [
  fileOf("/page.css", "text/css", `${lookText("look.css")}\n${pageText("page.css")}`),
  fileOf("/icon.svg", "image/svg+xml", lookText("icon.svg")),
  served("icon-alarm.svg", "image/svg+xml"),
  fileOf("/chart-frame.js", "text/javascript", withAddresses(lookText("chart-frame.js"), "./lib/")),
  ...scripts.map((name) => served(`${name}.js`, "text/javascript")),
  ...Object.entries(libraries).map(libraryOf),
];

/** The first page of a fleet's node is the fleet's; each of its accounts has a daemon's page. */
const pages = {
  daemon: () => [served("index.html", "text/html", "/"), ...shared()],
  node: () => [
    served("fleet.html", "text/html", "/"),
    served("index.html", "text/html", "/account"),
    ...nodeScripts.map((name) => served(`${name}.js`, "text/javascript")),
    ...shared(),
  ],
};

type Served = readonly [route: string, file: () => Promise<PageFile>];

const served = (name: string, type: string, path = `/${name}`): Served =>
  fileOf(path, type, withAddresses(pageText(name), "./lib/"));

const pageText = (name: string): string => readFileSync(join(import.meta.dirname, "page", name), "utf8");

const libraryOf = ([name, { as, file }]: [string, { readonly as: string; readonly file?: string }]): Served =>
  fileOf(`/lib/${as}.js`, "text/javascript", withAddresses(libraryText(name, file), "./"));

const compress = promisify(gzip);

function fileOf(path: string, type: string, body: string): Served {
  let compressed: Promise<Buffer> | undefined;
  const file = async (): Promise<PageFile> => {
    // On the first request: neither a start nor the trading loop waits for it.
    compressed ??= compress(body, { level: 9 });
    return { status: 200, type, body, gzip: await compressed };
  };
  return [`GET ${path}`, file];
}

/** `folder`: address of the libraries for the importing file. Files of the look are next to the page's. */
const withAddresses = (text: string, folder: string): string =>
  text
    .replaceAll('"../../../look/', '"./')
    .replace(/\b(from\s*)"([\w/-]+)"/g, (all: string, from: string, name: string) => {
      const library = libraries[name];
      return library === undefined ? all : `${from}"${folder}${library.as}.js"`;
    });

/** Each file by its route; the page reads its data from `GET /events`. Throws what the file system throws, and if a package is missing. */
export const readPage = (of: "daemon" | "node"): ReadonlyMap<string, () => Promise<PageFile>> => new Map(pages[of]());
