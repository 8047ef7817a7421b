// Reloads the configuration: at once on SIGHUP, and when the text of its file, of a signal's file, of one of its strategies or of what those
// import has changed and then stayed the same for a second. Only texts are compared, so links do not matter; a change that the system reports just triggers an
// earlier look.

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

/** Editors write in steps. A text that has not changed for this long is complete. */
const SETTLE_MS = 1000;
/** How often texts are compared when the system reports no change: a change is noticed within 10 s. */
const LOOK_MS = 4000;

/** A signal that does not end the process. `reaches` sets what it does from now on. Undefined: it is kept until the next call. */
export type KeptSignal = { readonly reaches: (act: (() => void) | undefined) => void };

/**
 * Watches until the returned function is called. `texts`: what the running configuration was read from. `signal` reloads at once. A wrong
 * file is logged and counted, and the running configuration stays.
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
  /** Text of each path at the last reading, valid or not. */
  let known: ReadonlyMap<string, string | null> = texts;
  /** Texts that differed from `known` at the last look. */
  let settling: ReadTexts | null = null;
  let isOver = false;
  let work = Promise.resolve();
  let next: Timer | undefined;
  const watched = new Map<string, (() => void) | null>();

  /** Runs looks and reloads one at a time. */
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

  /**
   * `asked`: the version that ran when the reload was requested. `before`: the texts at its start, for files that the reading did not
   * reach.
   */
  async function reload(by: "signal" | "file", asked: number, before: ReadTexts): Promise<void> {
    settling = null;
    let found: ReadTexts = new Map();
    const read = async (settings: readonly Setting[]): Promise<BotConfig | null> => {
      found = new Map();
      const { bot: config } = await readConfiguration({ file, settings, texts: found }, host);
      // The text changed during the reading: the next look takes the newer one.
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

  /** A change while a text settles is seen when its second is over. */
  function hear(): void {
    if (settling === null) queue(look);
  }

  watchAll();
  // Look once now: the file may have changed before it was watched.
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

/** Both maps have the same paths. */
const areSame = (left: ReadonlyMap<string, string | null>, right: ReadonlyMap<string, string | null>): boolean =>
  [...left].every(([path, text]) => right.get(path) === text);
