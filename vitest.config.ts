// What each test command runs: `npm test` the default suite, `npm run test:long` the long runs, `npm run fuzz` the fuzzers.
import { defineConfig } from "vitest/config";

/** `repeats`: how often each test runs again. A suite draws its random cases from a fixed seed, or from a new one on each run. */
type Suite = {
  readonly folders: readonly string[];
  readonly timeoutMs: number;
  readonly repeats: number;
  readonly seed: "fixed" | "new";
};

const defaultSuite: Suite = {
  folders: ["unit", "property", "contract", "scenario", "simulation", "interface", "architecture"],
  timeoutMs: 300_000,
  repeats: 0,
  seed: "fixed",
};
const suites: Readonly<Record<string, Suite>> = {
  long: { folders: ["long"], timeoutMs: 30 * 60_000, repeats: 0, seed: "fixed" },
  fuzz: { folders: ["fuzz", "property"], timeoutMs: 30 * 60_000, repeats: 30, seed: "new" },
};

export default defineConfig(({ mode }) => {
  // Other tools read this file in a mode of their own; they mean the default suite.
  const suite = suites[mode] ?? defaultSuite;
  return {
    test: {
      include: suite.folders.map((folder) => `test/${folder}/**/*.test.ts`),
      passWithNoTests: suite !== defaultSuite,
      // Processes, not threads: tests start servers, send signals and open SQLite locks, and one crash must not take the rest.
      pool: "forks",
      // More than the two cores this is made for: the scenarios mostly wait for a block, a print or a process.
      maxWorkers: 4,
      setupFiles: suite.seed === "fixed" ? ["test/support/fixed-seed.ts"] : [],
      repeats: suite.repeats,
      testTimeout: suite.timeoutMs,
      hookTimeout: 180_000,
      reporters: ["default"],
    },
  };
});
