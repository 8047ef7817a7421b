// What each test command runs: `npm test` the default suite, `npm run test:long` the long runs, `npm run fuzz` the fuzzers.
import { defineConfig } from "vitest/config";

type Suite = { readonly folders: readonly string[]; readonly timeoutMs: number };

const defaultSuite: Suite = {
  folders: ["unit", "property", "contract", "scenario", "simulation", "interface", "architecture"],
  timeoutMs: 30_000,
};
const suites: Readonly<Record<string, Suite>> = {
  long: { folders: ["long"], timeoutMs: 30 * 60_000 },
  fuzz: { folders: ["fuzz"], timeoutMs: 30 * 60_000 },
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
      testTimeout: suite.timeoutMs,
      hookTimeout: 30_000,
      reporters: ["default"],
    },
  };
});
