// What an operator's shell has at hand beside a running daemon: its configuration with the port it really listens on, and what it says.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "../../src/bot/dashboard/status.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { openOrdersOf, postHeaders, type Scene } from "./daemon.ts";

/** The scene's configuration for commands beside the daemon at `url`; `edit` changes its text. */
export function configBeside(scene: Scene, url: string, edit = (yaml: string): string => yaml): string {
  const file = join(scene.folder, "beside.yaml");
  writeFileSync(file, edit(readFileSync(scene.botConfig, "utf8").replace("port: 0", `port: ${new URL(url).port}`)));
  return file;
}

/** Where nothing listens. */
export const NOBODY = "http://127.0.0.1:9";

export const statusOf = async (url: string): Promise<Status> =>
  (await (await fetch(`${url}/status.json`)).json()) as Status;

/** active, reducing or halted. */
export const stateOf = async (url: string): Promise<string | undefined> =>
  (await statusOf(url)).accounts[0]?.markets[0]?.state;

export const post = (url: string, path: string, body: unknown): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: postHeaders(url),
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

export const resting = (scene: Scene, count: number): Promise<true> =>
  until(`${count} resting orders`, async () => (await openOrdersOf(scene.validatorUrl)).length === count);

type Position = { readonly marketId: number; readonly side: string; readonly size: string | number };

export async function positionsOf(scene: Scene): Promise<readonly Position[]> {
  const account = await (await fetch(`${scene.validatorUrl}/v1/accounts/12`)).json();
  return (account as { positions: readonly Position[] }).positions;
}

/** Runs a command of the operator's to its end. */
export const operator = (command: string, config: string, ...more: readonly string[]) =>
  quoinDone([command, "--config", config, ...more]);
