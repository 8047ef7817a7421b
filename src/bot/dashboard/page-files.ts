// The files of the status page, read once and served unchanged.

import { readFileSync } from "node:fs";
import { join } from "node:path";

type PageFile = { readonly status: 200; readonly type: string; readonly body: string };

const scripts = ["actions", "chart", "dom", "market", "page", "risk", "session", "stream", "view", "words"];
const shared = [
  { route: "GET /page.css", name: "page.css", type: "text/css" },
  ...scripts.map(scriptOf),
  { route: "GET /icon.svg", name: "icon.svg", type: "image/svg+xml" },
];
const daemonPage = [{ route: "GET /", name: "index.html", type: "text/html" }, ...shared];
/** A node's first page is the fleet's; each of its accounts has a daemon's page. */
const nodePage = [
  { route: "GET /", name: "fleet.html", type: "text/html" },
  { route: "GET /account", name: "index.html", type: "text/html" },
  ...["fleet", "fleet-view"].map(scriptOf),
  ...shared,
];

function scriptOf(name: string) {
  return { route: `GET /${name}.js`, name: `${name}.js`, type: "text/javascript" };
}

/** Each file by its route; the page reads its data from `GET /events`. Throws what the file system throws. */
export const readPage = (of: "daemon" | "node"): ReadonlyMap<string, () => PageFile> =>
  new Map(
    (of === "daemon" ? daemonPage : nodePage).map(({ route, name, type }) => {
      const body = readFileSync(join(import.meta.dirname, "page", name), "utf8");
      return [route, () => ({ status: 200, type, body })];
    }),
  );
