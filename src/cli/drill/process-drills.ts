// Drills that need processes of their own: a daemon that is killed, and a watched daemon whose network is cut. They run on a copy of the
// operator's configuration in a scratch folder, with the drill's exchange, keys and port.

import { join } from "node:path";
import type { BotConfig } from "../../bot/config/config.ts";
import { writeKeyFile } from "../../bot/execution/agent-key.ts";
import type { Configuration } from "../../configuration.ts";
import type { Host, Started } from "../../host/host.ts";
import { type Json, stringifyJson } from "../../kernel/json.ts";
import { durationText } from "../../kernel/text.ts";
import { listAt, mappingOf } from "../../kernel/yaml/partial-parse.ts";
import { readYaml } from "../../kernel/yaml/yaml.ts";
import { publicKeyOf, SEED_BYTES } from "../../wire/signing.ts";
import { type CutProxy, startCutProxy } from "./cut-proxy.ts";
import { DrillFailed, openScene, type Scene } from "./scene.ts";

const FIRST_QUOTES_MS_MAX = 30_000;
const STOPPED_MS_MAX = 30_000;
/** How long the watchdog may take to cancel, after the configured silence. */
const CANCELED_MS_MAX = 15_000;

export const processDrills = {
  kill9: (configuration: Configuration, host: Host): Promise<string> =>
    withStage(configuration, host, async ({ scene, runDaemon }) => {
      const first = await runDaemon();
      await scene.until("every market is quoted", () => scene.isQuoted(), FIRST_QUOTES_MS_MAX);
      first.kill("SIGKILL");
      await first.exit;
      const left = new Set(scene.resting().map(({ orderId }) => orderId));
      const second = await runDaemon();
      await scene.until("every market is quoted by the next process run", () => scene.isQuoted(), FIRST_QUOTES_MS_MAX);
      await stop(second, scene);
      return `killed with ${left.size} orders at rest; the next start found them, quoted, and stopped with none left`;
    }),

  cutNetwork: (configuration: Configuration, host: Host): Promise<string> =>
    withStage(configuration, host, async ({ scene, runDaemon, runWatchdog, proxy }) => {
      const daemon = await runDaemon();
      await scene.until("every market is quoted", () => scene.isQuoted(), FIRST_QUOTES_MS_MAX);
      await runWatchdog();
      proxy.cut();
      const { silenceMs } = configuration.bot.watchdog;
      const isEmpty = () => scene.resting().length === 0;
      await scene.until("nothing rests of a daemon without network", isEmpty, silenceMs + CANCELED_MS_MAX);
      proxy.mend();
      daemon.kill("SIGTERM");
      await ended(daemon, scene);
      return `the watchdog canceled everything of a daemon without network; silence of ${durationText(silenceMs)} is allowed`;
    }),
};

type Stage = {
  readonly scene: Scene;
  readonly proxy: CutProxy;
  /** Resolves when its HTTP listens. */
  readonly runDaemon: () => Promise<Started>;
  readonly runWatchdog: () => Promise<Started>;
};

async function withStage(
  configuration: Configuration,
  host: Host,
  act: (stage: Stage) => Promise<string>,
): Promise<string> {
  const scene = await openScene(configuration, host);
  const scratch = host.scratchFolder();
  const children: Started[] = [];
  const proxy = await startCutProxy(Number(new URL(scene.devnet.validatorUrl).port));
  const start = async (command: "run" | "watchdog", file: string, event: string): Promise<Started> => {
    const child = host.start([command, "--config", file]);
    children.push(child);
    const said = child.line((line) => line.includes(`"event":"${event}"`));
    const end = child.exit.then((code) => `quoin ${command} ended with ${code}: ${child.errors()}`);
    const first = await Promise.race([said, end]);
    if (!first.startsWith("{")) throw new DrillFailed(first);
    return child;
  };
  try {
    const files = writeFiles(scene, configuration.bot, scratch.folder, host);
    const path = join(scratch.folder, "daemon.yaml");
    host.files.create(path, files.daemon(`http://127.0.0.1:${proxy.port}`));
    let daemonUrl = "";
    return await act({
      scene,
      proxy,
      async runDaemon() {
        const daemon = await start("run", path, "ready");
        daemonUrl = (JSON.parse(await daemon.line((line) => line.includes('"event":"ready"'))) as { url: string }).url;
        return daemon;
      },
      runWatchdog() {
        const watched = join(scratch.folder, "watchdog.yaml");
        host.files.create(watched, files.watchdog(scene.devnet.validatorUrl, daemonUrl));
        return start("watchdog", watched, "watchdog.started");
      },
    });
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map(({ exit }) => exit));
    await proxy.close();
    scratch.remove();
    await scene.close();
  }
}

/** The configuration's text with other places for exchange, keys, ledger and HTTP. Written as JSON, which is YAML too. */
function writeFiles(scene: Scene, bot: BotConfig, folder: string, host: Host) {
  const written = mappingOf(readYaml(host.files.read(bot.file)).value);
  const accounts = listAt(written, "accounts").map((row, index) => {
    const { accountId, watchdogKeyFile } = bot.accounts[index] ?? { accountId: null, watchdogKeyFile: null };
    const newKey = (name: string): string => {
      const seed = host.entropy.bytes(SEED_BYTES);
      writeKeyFile(join(folder, name), seed);
      if (accountId !== null)
        scene.devnet.chain.control.approveAgent(accountId, { pubkey: publicKeyOf(seed), name, expiresAtSec: null });
      return name;
    };
    // A configuration with an embedded exchange has no watchdog: the drill adds one.
    const isWatched = watchdogKeyFile !== null || bot.venue.kind === "embedded";
    const { watchdogKeyFile: _, ...account } = mappingOf(row);
    return {
      ...account,
      agentKeyFile: newKey(`agent-${index}.key`),
      ...(isWatched && { watchdogKeyFile: newKey(`watchdog-${index}.key`) }),
      markets: listAt(row, "markets").map((market) => ownFiles(mappingOf(market), bot.file, host)),
    };
  });
  const { chainId, live, tooManyRequestsMeans, landingBoundMs, readLagMaxMs } = bot.venue;
  const text = (validatorUrl: string, daemonUrl: string | null): string =>
    stringifyJson({
      ...written,
      venue: { chainId, live, tooManyRequestsMeans, landingBoundMs, readLagMaxMs, validatorUrl },
      accounts,
      server: { host: "127.0.0.1", port: 0 },
      ledger: { file: "quoin.sqlite" },
      log: { level: "info" },
      ...(daemonUrl !== null && {
        watchdog: { ...mappingOf(written.watchdog), daemonUrl, host: "127.0.0.1", port: 0 },
      }),
    } as Json);
  return { daemon: (url: string) => text(url, null), watchdog: text };
}

/** The path of a strategy's file is relative to the configuration. */
function ownFiles(market: Readonly<Record<string, unknown>>, file: string, { files }: Host) {
  const { strategy } = market;
  return typeof strategy === "string" && strategy.endsWith(".ts")
    ? { ...market, strategy: files.resolve(file, strategy) }
    : market;
}

async function stop(daemon: Started, scene: Scene): Promise<void> {
  daemon.kill("SIGTERM");
  const code = await ended(daemon, scene);
  if (code !== 0 || scene.resting().length > 0)
    throw new DrillFailed(`a stop ended with ${code} and ${scene.resting().length} orders at rest`);
}

async function ended(daemon: Started, { clock }: Scene): Promise<number | null> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = clock.after(STOPPED_MS_MAX, () => reject(new DrillFailed("the daemon did not end")));
  try {
    return await Promise.race([daemon.exit, late]);
  } finally {
    timer.cancel();
  }
}
