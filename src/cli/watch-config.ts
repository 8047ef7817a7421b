// Reloads the configuration: on SIGHUP at once, and one second after the last save of the file.

import type { Bot } from "../bot/service/lifecycle/bot.ts";
import type { Log } from "../bot/telemetry/log.ts";
import type { Timer } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { loadConfiguration } from "../sim/configuration.ts";
import type { Host } from "./host.ts";

/** Editors write in steps; a file unchanged for this long is complete. */
const SETTLE_MS = 1000;

/** Watches until the returned function is called. A wrong file changes nothing: it is logged and counted. */
export function watchConfig(file: string, bot: Bot, host: Host, log: Log): () => void {
  let pending: Timer | undefined;
  let seen = contentOf(file, host);
  let reloads = Promise.resolve();
  const reload = (by: "signal" | "file") => {
    reloads = reloads.then(() => readAgain(file, by, bot, host, log));
  };
  const unhook = host.onSignal("SIGHUP", () => reload("signal"));
  const unwatch = host.files.watch(file, () => {
    pending?.cancel();
    pending = host.clock.after(SETTLE_MS, () => {
      const content = contentOf(file, host);
      if (content === seen) return;
      seen = content;
      reload("file");
    });
  });
  return () => {
    pending?.cancel();
    unhook();
    unwatch();
    log.debug({ event: "config.unwatched" }, "the configuration is no longer watched");
  };
}

async function readAgain(file: string, by: "signal" | "file", bot: Bot, host: Host, log: Log): Promise<void> {
  try {
    await bot.reload((await loadConfiguration(file, host.files)).bot, by);
  } catch (error) {
    bot.reloadRefused();
    log.error(
      { event: "config.refused", err: error },
      `the configuration is wrong, the running one stays:\n${messageOf(error)}`,
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
