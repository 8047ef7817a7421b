// Runs test files over the scratch tree, again and again in one process: what stays loaded between two mutants is what makes a
// thousand of them a matter of minutes. Asked by messages; it may hang on a mutant, and is ended then by who asks.

import { createVitest, type TestModule } from "vitest/node";

/** `changed`: files that are no longer as they were at the last question. */
export type Question = { readonly changed: readonly string[]; readonly tests: readonly string[] };
/** `killedBy`: the first test that failed, with its file; null when all passed. */
export type Answer = { readonly killedBy: string | null };

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error("usage: tester.ts ROOT");

const vitest = await createVitest("test", {
  root,
  mode: "mutants",
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
});

process.on("message", (question: Question) => {
  void answer(question).then((said) => process.send?.(said));
});
process.send?.({ killedBy: null } satisfies Answer);

/** The test files one after the other, up to the first failure. */
async function answer({ changed, tests }: Question): Promise<Answer> {
  for (const path of changed) vitest.invalidateFile(path);
  for (const test of tests) {
    const [specification] = await vitest.globTestSpecifications([test]);
    if (specification === undefined) throw new Error(`no test file ${test}`);
    const { testModules } = await vitest.runTestSpecifications([specification]);
    // Results of earlier runs are told again.
    const ran = testModules.find(({ moduleId }) => moduleId === specification.moduleId);
    if (ran === undefined) throw new Error(`${test} did not run`);
    const failure = failureIn(ran);
    if (failure !== undefined) return { killedBy: `${test}: ${failure}` };
  }
  return { killedBy: null };
}

function failureIn(ran: TestModule): string | undefined {
  for (const test of ran.children.allTests("failed")) return test.fullName;
  if (!ran.ok()) return "ends before its first test";
  for (const _ of ran.children.allTests("passed")) return undefined;
  throw new Error(`no test of ${ran.moduleId} has run`);
}
