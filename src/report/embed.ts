// Embeds style, script and chart library in the page, so that it needs no other file. The page's content-security policy has the hash of
// each, so that nothing else can run in it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../kernel/hash.ts";
import { libraryText, lookText } from "../look/files.ts";

export type Embedded = {
  readonly policy: string;
  readonly style: string;
  readonly scripts: string;
  readonly icon: string;
};

/** Throws what the file system throws. */
export function embedded(): Embedded {
  const style = `${lookText("look.css")}\n${own("report.css")}`;
  const library = libraryText("lightweight-charts", "lightweight-charts.standalone.production.js");
  const script = [lookText("chart-frame.js"), own("report.js")].map(joined).join("\n");
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(library)} ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return {
    policy,
    style: `<style>${style}</style>`,
    icon: lookText("icon.svg"),
    scripts: `<script>${library}</script>\n<script type="module">${script}</script>`,
  };
}

const own = (name: string): string => readFileSync(join(import.meta.dirname, "browser", name), "utf8");

/** Converts a script to a part of one module: the library is a global of the page, the other parts are in the same module. */
const joined = (text: string): string =>
  text
    .replace(/^import (\{[^}]*\}) from "lightweight-charts";$/gm, "const $1 = LightweightCharts;")
    .replace(/^import \{[^}]*\} from "[^"]+";\n/gm, "")
    .replace(/^export (?=const|function)/gm, "");

const hashOf = (text: string): string => `'sha256-${Buffer.from(sha256Hex(text), "hex").toString("base64")}'`;
