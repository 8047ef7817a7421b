// `quoin strategy new`: writes a working strategy, its test, a configuration that runs it on paper, and what an editor needs for types. The
// files are strategies/template under the new name, with paths that lead to this checkout.

import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isStrategyName } from "../bot/strategy/loader.ts";
import { offeredFiles } from "../bot/strategy/module-texts.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";
import { makeFolder } from "../kernel/folder.ts";
import { programExtension } from "../kernel/program-extension.ts";
import { commandText, programs, shellWord } from "../kernel/typed-command.ts";
import { tryWriting, unwritable } from "../kernel/yaml/files.ts";

/** Folder of the checkout or the package. */
const HOUSE = fileURLToPath(new URL("../../", import.meta.url));
const TEMPLATE = join(HOUSE, "strategies/template");

type Written = { readonly path: string; readonly text: string };

/** Exit 2, with nothing written, when the strategy or its test exists, the name is invalid, or no file can be made. */
export function strategyNew(file: string, { json }: { readonly json: boolean }, host: Host): ExitCode {
  const refuse = (why: string, code: ExitCode = EXIT_USAGE): ExitCode => {
    host.stderr(`quoin: ${why}; nothing was written\n`);
    return code;
  };
  const name = basename(file, ".ts");
  if (!file.endsWith(".ts"))
    return refuse(`${file} does not end in .ts; a strategy is a file such as ${nameLike(file)}.ts`);
  if (!isStrategyName(name))
    return refuse(`"${name}" is no name of a strategy: a-z, 0-9 and dashes, such as ${nameLike(file)}.ts`);
  const [strategy, config] = [strategyOf(file, name, host), configOf(file, name, host)];
  const isThere = ({ path }: Written): boolean => host.files.exists(path) || host.files.isFolder(path);
  const taken = strategy.find(isThere);
  if (taken !== undefined) return refuse(`${taken.path} exists already and is not touched`);
  // Files that exist are kept; what they lack is printed.
  const around = [config, ...typesFor(file)];
  const kept = around.filter(({ path }) => host.files.exists(path));
  const all = [...strategy, ...around.filter((piece) => !kept.includes(piece))];
  try {
    tryWriting(file);
  } catch (cause) {
    return refuse(`${file} cannot be written: ${unwritable(cause)}`);
  }
  const fault = writeAll(all, host);
  if (fault !== null) return refuse(fault, EXIT_FAILED);
  const paths = all.map(({ path }) => path);
  if (json) host.stdout(`${JSON.stringify({ strategy: file, config: config.path, written: paths })}\n`);
  else host.stdout(`${wroteText(paths)}\n\n${nextText(file, config.path)}`);
  for (const { path, text } of kept)
    if (path === config.path)
      host.stderr(`${path} was there and is not touched; name the strategy in it: ./${name}.ts\n`);
    else if (host.files.read(path) !== text)
      host.stderr(`${path} was there and is not touched; for types it needs what stands here:\n${text}`);
  return EXIT_DONE;
}

/** A valid name that is close to what was typed. */
function nameLike(file: string): string {
  const words =
    basename(file)
      .replace(/\.[^.]*$/, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name = words.join("-");
  return isStrategyName(name) ? name : "my-own";
}

const beside = (file: string, extension: string): string => file.replace(/\.ts$/, extension);

/** Below the checkout, `quoin/strategy` and packages resolve through its package.json and node_modules. */
const isInside = (file: string): boolean => resolve(file).startsWith(HOUSE);

/** The path to a file of the checkout from a file beside `file`. */
const leadTo = (file: string, target: string): string =>
  isInside(file) ? relative(dirname(resolve(file)), target).replaceAll(sep, "/") : target;

const template = (extension: string, { files }: Host): string => files.read(join(TEMPLATE, `own${extension}`));

/** The strategy and its test. */
function strategyOf(file: string, name: string, host: Host): readonly Written[] {
  const testing = isInside(file) ? "quoin/testing" : join(HOUSE, `src/bot/strategy/testing${programExtension}`);
  const test = template(".test.ts", host)
    .replaceAll(/\bown(?=\.(?:test\.)?ts\b)/g, name)
    .replace('"quoin/testing"', JSON.stringify(testing));
  return [
    { path: file, text: template(".ts", host).replace('name: "own"', `name: "${name}"`) },
    { path: beside(file, ".test.ts"), text: test },
  ];
}

function configOf(file: string, name: string, host: Host): Written {
  const schema = leadTo(file, join(HOUSE, "config/quoin.schema.json"));
  const embedded = leadTo(file, join(HOUSE, "config/devnet.yaml"));
  const text = `# yaml-language-server: $schema=${schema}\n${template(".yaml", host)}`
    .replace("./own.ts", `./${name}.ts`)
    .replace("../../config/devnet.yaml", /^[\w./-]+$/.test(embedded) ? embedded : JSON.stringify(embedded));
  return { path: beside(file, ".yaml"), text };
}

/**
 * The tsconfig.json beside the file. Outside the checkout it resolves a strategy's imports as the loader does. None inside, where the
 * checkout's own is enough.
 */
function typesFor(file: string): readonly Written[] {
  const folder = dirname(resolve(file));
  if ([HOUSE, join(HOUSE, "strategies/")].includes(join(folder, "/"))) return [];
  const base = leadTo(file, join(HOUSE, "tsconfig.json"));
  const compilerOptions = {
    module: "preserve",
    moduleResolution: "bundler",
    // Without .js: a compiler then finds the declarations beside the file.
    paths: Object.fromEntries(
      Object.entries(offeredFiles()).map(([name, path]) => [name, [path.replace(/\.js$/, "")]]),
    ),
    typeRoots: [dirname(dirname(fileURLToPath(import.meta.resolve("@types/node/package.json"))))],
  };
  const config = { extends: base, ...(isInside(file) ? {} : { compilerOptions }), include: ["*.ts"] };
  // A list of one item goes on one line, as the checkout's formatter writes it.
  const text = JSON.stringify(config, null, 2).replace(/\[\s+("[^"\n]*")\s+\]/g, "[$1]");
  return [{ path: join(dirname(file), "tsconfig.json"), text: `${text}\n` }];
}

/** Writes all files or none; returns why none. */
function writeAll(pieces: readonly Written[], { files }: Host): string | null {
  const written: string[] = [];
  let path = "";
  try {
    for (const piece of pieces) {
      ({ path } = piece);
      makeFolder(dirname(resolve(path)));
      files.create(path, piece.text);
      written.push(path);
    }
    return null;
  } catch (cause) {
    for (const one of written) files.remove(one);
    return `${path} cannot be written: ${unwritable(cause)}`;
  }
}

const wroteText = (paths: readonly string[]): string => `wrote ${paths.slice(0, -1).join(", ")} and ${paths.at(-1)}`;

/** The commands as they are typed in this folder. */
function nextText(file: string, configFile: string): string {
  return `Next:
  ${commandText("check", configFile)}
  ${commandText("backtest --days 0.05", configFile)}
  ${commandText("run", configFile)}      # on paper; the page is at http://127.0.0.1:9464

Its test: ${programs.node} --test ${shellWord(beside(file, ".test.ts"))}
A running daemon takes the file a second after each save; one that is wrong changes nothing, and the log names its line.
`;
}
