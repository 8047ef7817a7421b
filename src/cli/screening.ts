// What a command needs to screen: configurations that can be, and the folder that keeps tapes.

import { join } from "node:path";
import type { BacktestJob } from "../backtest/outcome.ts";
import { accountToScreen } from "../backtest/screen/screen.ts";
import type { BotConfig } from "../bot/config/config.ts";
import type { Host } from "../host/host.ts";
import { makePrivateFolder } from "../kernel/private-file.ts";

/** Throws ScreenError where a configuration cannot be screened, and PrivateFileError where this user has no private folder. */
export function screeningOf(
  bots: readonly BotConfig[],
  { privateFolder, sourceHash }: Pick<Host, "privateFolder" | "sourceHash">,
): NonNullable<BacktestJob["approximate"]> {
  for (const bot of bots) accountToScreen(bot);
  makePrivateFolder(privateFolder);
  return { folder: join(privateFolder, "tapes"), program: sourceHash() };
}
