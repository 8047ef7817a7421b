// Reloads the configuration: on SIGHUP at once, and when the text of the file, of a strategy that it names, or of what one of them imports,
// has changed and then stood still for a second. The text decides, whatever links lead to it; the system's word that something changed
// only has it looked at sooner.

import type { BotConfig } from "../../bot/config/config.ts";
import type { Setting } from "../../bot/config/setting.ts";
import type { Bot } from "../../bot/service/lifecycle/bot.ts";
import type { Log } from "../../bot/telemetry/log.ts";
import type { Host } from "../../host/host.ts";
import type { Timer } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { Files } from "../../kernel/yaml/files.ts";
import type { ReadTexts } from "./reader.ts";
import { readConfiguration } from "./thread.ts";

/** Editors write in steps; a text that stood still for so long is complete. */
const SETTLE_MS = 1000;
/** Twice within what may pass before a change is noticed of which the system tells nothing. */
const LOOK_MS = 4000;

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
  const { clock, files } = host;
  /** Of each path as of the last reading, right or wrong. */
  let known: ReadonlyMap<string, string | null> = texts;
  /** What differed when it was last looked at. */
  let settling: ReadTexts | null = null;
  let isOver = false;
  let work = Promise.resolve();
  let next: Timer | undefined;
  const watched = new Map<string, (() => void) | null>();

  /** One thing at a time: a look, a reading. */
  const queue = (act: () => Promise<void>): void => {
    work = work.then(async () => {
      next?.cancel();
      if (!isOver) await act();
      if (!isOver) next = clock.after(settling === null ? LOOK_MS : SETTLE_MS, () => queue(look));
    });
  };

  async function look(): Promise<void> {
    const now = await textsAt(known.keys(), files);
    if (areSame(now, known)) settling = null;
    else if (settling !== null && areSame(now, settling)) await reload("file", bot.configVersion, now);
    else settling = now;
  }

  /** `asked`: the version that ran then. `before`: what stood there when it began, for what the reading did not come to. */
  async function reload(by: "signal" | "file", asked: number, before: ReadTexts): Promise<void> {
    settling = null;
    let found: ReadTexts = new Map();
    const read = async (settings: readonly Setting[]): Promise<BotConfig | null> => {
      found = new Map();
      const { bot: config } = await readConfiguration({ file, settings, texts: found }, host);
      // The next look takes what stands there now.
      return by === "file" && (await files.look(file)) !== found.get(file) ? null : config;
    };
    try {
      await bot.reload({ by, asked, read });
    } catch (error) {
      const why = `the configuration is wrong, the running one stays: ${messageOf(error).replaceAll("\n", "; ")}`;
      bot.reloadRefused(why);
      log.error({ event: "config.refused", err: error }, why);
    }
    known = new Map([...before, ...found]);
    watchAll();
  }

  function watchAll(): void {
    for (const path of known.keys()) {
      if (isOver || watched.has(path)) continue;
      const unwatch = files.watch(path, hear);
      watched.set(path, unwatch);
      if (unwatch === null)
        log.warn(
          { event: "config.polled", path },
          `the system reports no changes of ${path}; checking it every ${LOOK_MS / 1000} s`,
        );
    }
  }

  /** While a text settles its second goes on: it is compared then. */
  function hear(): void {
    if (settling === null) queue(look);
  }

  watchAll();
  // A save before it was watched is not missed.
  queue(look);
  signal.reaches(() => {
    const asked = bot.configVersion;
    queue(async () => reload("signal", asked, await textsAt(known.keys(), files)));
  });
  return () => {
    isOver = true;
    next?.cancel();
    signal.reaches(undefined);
    for (const unwatch of watched.values()) unwatch?.();
    log.debug({ event: "config.unwatched" }, "the configuration is no longer watched");
  };
}

async function textsAt(paths: Iterable<string>, files: Files): Promise<ReadTexts> {
  const texts: ReadTexts = new Map();
  for (const path of paths) texts.set(path, await files.look(path));
  return texts;
}

/** Of the same paths. */
const areSame = (left: ReadonlyMap<string, string | null>, right: ReadonlyMap<string, string | null>): boolean =>
  [...left].every(([path, text]) => right.get(path) === text);
