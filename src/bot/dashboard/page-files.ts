// The files of the status page, read once and served unchanged.

import { readFileSync } from "node:fs";
import { join } from "node:path";

type PageFile = { readonly status: 200; readonly type: string; readonly body: string };

const files = [
  { route: "GET /", name: "index.html", type: "text/html" },
  { route: "GET /page.css", name: "page.css", type: "text/css" },
  ...["page", "actions", "chart", "dom", "market", "stream", "view", "words"].map((name) => ({
    route: `GET /${name}.js`,
    name: `${name}.js`,
    type: "text/javascript",
  })),
  { route: "GET /icon.svg", name: "icon.svg", type: "image/svg+xml" },
];

/** Each file by its route; the page reads its data from `GET /events`. Throws what the file system throws. */
export const readPage = (): ReadonlyMap<string, () => PageFile> =>
  new Map(
    files.map(({ route, name, type }) => {
      const body = readFileSync(join(import.meta.dirname, "page", name), "utf8");
      return [route, () => ({ status: 200, type, body })];
    }),
  );
