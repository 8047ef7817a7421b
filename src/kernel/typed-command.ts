// Commands as a user pastes them in the folder where Quoin runs.

import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { programExtension } from "./program-extension.ts";

/** How to start Quoin and its Node. */
type Programs = { readonly quoin: string; readonly node: string };

/** How to start them in `folder`, if the program is in the folder `house`. Both paths are absolute; `house` ends with a separator. */
export function programsIn(folder: string, house: string, isCheckout: boolean): Programs {
  const isWithin = (parent: string): boolean => join(folder, sep).startsWith(parent);
  if (isCheckout && isWithin(house)) return { quoin: "npx quoin", node: "npx node" };
  if (isCheckout)
    return { quoin: shellWord(join(house, "src/start.js")), node: shellWord(join(house, "node_modules/.bin/node")) };
  // A package installed for only one project is not on PATH. It runs on the Node that installed it.
  const project = house.slice(0, house.lastIndexOf(`${sep}node_modules${sep}`) + 1);
  return { quoin: project !== "" && isWithin(project) && !isWithin(house) ? "npx quoin" : "quoin", node: "node" };
}

export const programs: Programs = programsIn(
  resolve("."),
  fileURLToPath(new URL("../../", import.meta.url)),
  programExtension === ".ts",
);

/** A Quoin command line. `config`: the configuration file as the user named it. */
export const commandText = (words: string, config?: string): string =>
  `${programs.quoin} ${words}${config === undefined ? "" : ` --config ${shellWord(config)}`}`;

/** One word for a POSIX shell, quoted if needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
