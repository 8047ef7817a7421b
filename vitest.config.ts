// What each test command runs: `npm test` the default suite, `npm run test:long` the long runs, `npm run fuzz` the fuzzers.
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * Files of the named folders of `test/`, `workers` at a time. `repeats`: how often each test runs again. A suite draws its random cases from a
 * fixed seed, or from a new one on each run.
 */
type Suite = {
  readonly folders: readonly string[];
  readonly workers: number;
  /** Whether each file loads all modules again, in a process of its own. Files that share what is loaded take half of the time. */
  readonly isIsolated: boolean;
  readonly timeoutMs: number;
  readonly repeats: number;
  readonly seed: "fixed" | "new";
};

/** For the two cores that this is made for. */
const CORES = 2;

const defaultSuite: Suite = {
  folders: ["scenario", "unit", "property", "contract", "simulation", "interface", "architecture"],
  // Scenarios mostly wait, for a block, a print or a process: tests that compute run beside them.
  workers: 3 * CORES,
  isIsolated: false,
  timeoutMs: 300_000,
  repeats: 0,
  seed: "fixed",
};
const suites: Readonly<Record<string, Suite>> = {
  long: {
    folders: ["long"],
    workers: CORES,
    isIsolated: true,
    timeoutMs: 30 * 60_000,
    repeats: 0,
    seed: "fixed",
  },
  fuzz: {
    folders: ["fuzz", "property"],
    workers: CORES + 1,
    isIsolated: false,
    timeoutMs: 30 * 60_000,
    repeats: 30,
    seed: "new",
  },
};

// As the starter does: workers, and the processes and threads of tests, find what was compiled before.
process.env.NODE_COMPILE_CACHE ??= resolve(import.meta.dirname, "node_modules/.cache/quoin");

export default defineConfig(({ mode }) => {
  // Other tools read this file in a mode of their own; they mean the default suite.
  const suite = suites[mode] ?? defaultSuite;
  return {
    test: {
      passWithNoTests: suite !== defaultSuite,
      reporters: ["default"],
      include: [
        ...suite.folders.map((folder) => `test/${folder}/**/*.test.ts`),
        // Of a strategy of one's own, wherever it lies: only where it is named.
        ...process.argv.filter((word) => word.endsWith(".test.ts")),
      ],
      // Processes, not threads: tests start servers, send signals and open SQLite locks, and one crash must not take the rest.
      pool: "forks" as const,
      maxWorkers: suite.workers,
      isolate: suite.isIsolated,
      // Node loads the modules itself, as it does in production: a third less processor time than through Vite, which wraps every
      // import. Mutants need Vite: one process loads a file again and again, changed each time.
      experimental: { viteModuleRunner: mode === "mutants", nodeLoader: false },
      setupFiles: [
        "test/support/cases.ts",
        "test/support/remove-scratch.ts",
        ...(suite.seed === "fixed" ? ["test/support/fixed-seed.ts"] : []),
      ],
      repeats: suite.repeats,
      testTimeout: suite.timeoutMs,
      hookTimeout: suite.timeoutMs,
    },
  };
});
