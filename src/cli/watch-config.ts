// Reloads the configuration: on SIGHUP at once, and one second after the last save of the file, or of a strategy that it
// names or that one of them imports.

import type { Bot } from "../bot/service/lifecycle/bot.ts";
import type { Log } from "../bot/telemetry/log.ts";
import type { Timer } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { type Files, notingReads } from "../kernel/yaml/files.ts";
import { loadConfiguration } from "../sim/configuration.ts";
import type { Host } from "./host.ts";

/** Editors write in steps; a file unchanged for this long is complete. */
const SETTLE_MS = 1000;

/** What a reading of the configuration read and a save of which changes the bot: path to text. */
export type ReadTexts = Map<string, string>;

/** `files`, noting in `texts` what is read of the configuration's own file and of strategies. */
export const notingConfig = (files: Files, file: string, texts: ReadTexts): Files =>
  notingReads(files, texts, (path) => path === file || path.endsWith(".ts"));

/** A signal that never ends the process. `reaches` sets what it does from now on; undefined: it is kept until that is set again. */
export type KeptSignal = { readonly reaches: (act: (() => void) | undefined) => void };

/**
 * Watches until the returned function is called. `texts`: what runs; `signal` has the file read again at once. A wrong file changes
 * nothing: it is logged and counted.
 */
export function watchConfig(
  file: string,
  texts: ReadTexts,
  bot: Bot,
  signal: KeptSignal,
  host: Host,
  log: Log,
): () => void {
  let pending: Timer | undefined;
  let isOver = false;
  const watched = new Map<string, () => void>();
  let reloads = Promise.resolve();
  const files = notingConfig(host.files, file, texts);
  const reload = (by: "signal" | "file") => {
    reloads = reloads.then(() => readAgain(file, by, bot, files, log)).then(watchAll);
  };
  const look = (): void => {
    const changed = [...texts.keys()].filter((path) => contentOf(path, host) !== texts.get(path));
    if (changed.length > 0) reload("file");
  };
  const settle = (): void => {
    pending?.cancel();
    pending = host.clock.after(SETTLE_MS, look);
  };
  /** What the last reading named; a save before it was watched is not missed. */
  function watchAll(): void {
    if (isOver) return;
    for (const path of texts.keys()) if (!watched.has(path)) watched.set(path, host.files.watch(path, settle));
  }
  watchAll();
  settle();
  signal.reaches(() => reload("signal"));
  return () => {
    isOver = true;
    pending?.cancel();
    signal.reaches(undefined);
    for (const unwatch of watched.values()) unwatch();
    log.debug({ event: "config.unwatched" }, "the configuration is no longer watched");
  };
}

async function readAgain(file: string, by: "signal" | "file", bot: Bot, files: Files, log: Log): Promise<void> {
  try {
    await bot.reload((await loadConfiguration(file, files)).bot, by);
  } catch (error) {
    bot.reloadRefused();
    log.error(
      { event: "config.refused", err: error },
      `the configuration is wrong, the running one stays: ${messageOf(error).replaceAll("\n", "; ")}`,
    );
  }
}

function contentOf(file: string, host: Host): string | undefined {
  try {
    return host.files.read(file);
  } catch {
    return undefined; // between an editor's remove and rename there is no file; the next change is read
  }
}
