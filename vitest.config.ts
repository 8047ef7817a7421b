// What each test command runs: `npm test` the default suite, `npm run test:long` the long runs, `npm run fuzz` the fuzzers.
import { defineConfig } from "vitest/config";

/** `repeats`: how often each test runs again. A suite draws its random cases from a fixed seed, or from a new one on each run. */
type Suite = {
  readonly groups: readonly Group[];
  readonly timeoutMs: number;
  readonly repeats: number;
  readonly seed: "fixed" | "new";
};

/** Folders of `test/` whose files run `workers` at a time. The groups of a suite run one after the other. */
type Group = {
  readonly name: string;
  readonly folders: readonly string[];
  readonly workers: number;
  /** Whether each file loads all modules again, in a process of its own. Files of pure code share what is loaded: half of their time. */
  readonly isIsolated: boolean;
};

/** For the two cores that this is made for. */
const CORES = 2;

const defaultSuite: Suite = {
  groups: [
    // Scenarios mostly wait for a block, a print or a process. Alone, they are not starved by tests that compute.
    { name: "processes", folders: ["scenario"], workers: 2 * CORES, isIsolated: true },
    {
      name: "code",
      folders: ["unit", "property", "contract", "simulation", "interface", "architecture"],
      workers: CORES + 1,
      isIsolated: false,
    },
  ],
  timeoutMs: 300_000,
  repeats: 0,
  seed: "fixed",
};
const suites: Readonly<Record<string, Suite>> = {
  long: {
    groups: [{ name: "long", folders: ["long"], workers: CORES, isIsolated: true }],
    timeoutMs: 30 * 60_000,
    repeats: 0,
    seed: "fixed",
  },
  fuzz: {
    groups: [{ name: "fuzz", folders: ["fuzz", "property"], workers: CORES + 1, isIsolated: false }],
    timeoutMs: 30 * 60_000,
    repeats: 30,
    seed: "new",
  },
};

export default defineConfig(({ mode }) => {
  // Other tools read this file in a mode of their own; they mean the default suite.
  const suite = suites[mode] ?? defaultSuite;
  return {
    test: {
      passWithNoTests: suite !== defaultSuite,
      reporters: ["default"],
      projects: suite.groups.map(({ name, folders, workers, isIsolated }, groupOrder) => ({
        test: {
          name,
          include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
          sequence: { groupOrder },
          // Processes, not threads: tests start servers, send signals and open SQLite locks, and one crash must not take the rest.
          pool: "forks" as const,
          maxWorkers: workers,
          isolate: isIsolated,
          // Node loads the modules itself, as it does in production: a third less processor time than through Vite, which wraps every
          // import. Mutants need Vite: one process loads a file again and again, changed each time.
          experimental: { viteModuleRunner: mode === "mutants", nodeLoader: false },
          setupFiles: ["test/support/cases.ts", ...(suite.seed === "fixed" ? ["test/support/fixed-seed.ts"] : [])],
          repeats: suite.repeats,
          testTimeout: suite.timeoutMs,
          hookTimeout: 180_000,
        },
      })),
    },
  };
});
