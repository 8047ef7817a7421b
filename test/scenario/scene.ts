// The scene of a test file: an exchange and a bot's files, gone with the tests and all that they started.

import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { endScenes, type Scene, startScene } from "./daemon.ts";

type Options = Parameters<typeof startScene>[0];

/** One scene for all tests that follow. Its fields are there from the first hook on. */
export const sceneForAll = (options?: Options): Scene => sceneBetween(beforeAll, afterAll, options);

/** A scene for each test that follows. */
export const sceneForEach = (options?: Options): Scene => sceneBetween(beforeEach, afterEach, options);

function sceneBetween(
  before: typeof beforeAll | typeof beforeEach,
  after: typeof afterAll | typeof afterEach,
  options: Options,
): Scene {
  const scene = {} as Scene;
  before(async () => {
    Object.assign(scene, await startScene(options));
  });
  after(endScenes);
  return scene;
}
