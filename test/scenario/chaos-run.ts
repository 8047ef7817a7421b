// A daemon whose whole way to the exchange is bad: requests and stream each through a proxy of their own, and an exchange that fails
// a share of the requests that do arrive.

import { setTimeout as pause } from "node:timers/promises";
import { operate } from "../support/operate.ts";
import { type ChaosProxy, startProxy } from "../support/proxy.ts";
import { reachThrough, removeScene, type Scene } from "./daemon.ts";
import { startBusyScene } from "./kill-run.ts";

export type ChaosScene = Scene & { readonly requests: ChaosProxy; readonly stream: ChaosProxy };

export async function startChaosScene(options: {
  readonly takersPerSec: number;
  readonly seed: bigint;
  readonly limits?: string;
}): Promise<ChaosScene> {
  const scene = await startBusyScene(options);
  const targetPort = Number(new URL(scene.validatorUrl).port);
  const requests = await startProxy({ targetPort, seed: options.seed });
  const stream = await startProxy({ targetPort, seed: options.seed + 1n });
  const [url, wsUrl] = [`http://127.0.0.1:${requests.port}`, `ws://127.0.0.1:${stream.port}/v1/ws`];
  reachThrough(scene, { url, wsUrl });
  return { ...scene, requests, stream };
}

export async function removeChaosScene(scene: ChaosScene): Promise<void> {
  await Promise.all([scene.requests.close(), scene.stream.close()]);
  removeScene(scene);
}

/** The share of requests given fails from now on, in equal parts unseen, after it was done, and with 503. */
export async function failRequests(scene: Scene, share: number): Promise<void> {
  const probability = 1 - (1 - share) ** (1 / 3);
  for (const fault of [{ kind: "dropBefore" }, { kind: "dropAfter" }, { kind: "status", status: 503 }]) {
    await control(scene, "POST", { ...fault, probability });
  }
}

export const endFaults = (scene: Scene): Promise<void> => control(scene, "DELETE");

/** Everything at once for a while: slow, cut up, reset, forgotten by a firewall, and 30 % of requests failing. Then all is well again. */
export async function storm(scene: ChaosScene, options: { readonly durationMs: number }): Promise<void> {
  const { requests, stream } = scene;
  await failRequests(scene, 0.3);
  for (const proxy of [requests, stream]) {
    proxy.set("up", { latencyMs: 10, jitterMs: 30 });
    proxy.set("down", { latencyMs: 10, jitterMs: 30, sliceBytes: 200, bytesPerSec: 500_000 });
  }
  stream.halfOpen();
  requests.halfOpen();
  const endMs = performance.now() + options.durationMs;
  while (performance.now() < endMs) {
    await pause(400);
    requests.reset(0.3);
    stream.reset(0.3);
  }
  for (const proxy of [requests, stream]) proxy.calm();
  await endFaults(scene);
}

async function control(scene: Scene, method: "POST" | "DELETE", fault?: object): Promise<void> {
  const answer = await operate(scene, method, "/faults", fault);
  if (!answer.ok) throw new Error(`the devnet answers ${answer.status}: ${await answer.text()}`);
}
