// Stops a daemon whose npm has ended. A signal to npm (`npx quoin run`, `npm start`) ends npm and the shell below it, but not the daemon.
// So the daemon watches the processes from itself up to npm and stops safely when one of them has ended.

import { type Host, untilStopped } from "../../host/host.ts";
import type { Processes, ProcessFacts } from "../../host/process-list.ts";
import { sleep } from "../../kernel/clock.ts";

const LOOK_MS = 1000;

/** Resolves with what stops the daemon, for a log line: a signal, or npm's end. Listens from the call on, so call it first. */
export function untilDaemonStops(host: Host): Promise<string> {
  return Promise.race([untilStopped(host), untilNpmIsGone(host).then(() => "npm has ended")]);
}

type Known = { readonly id: number; readonly startedAt: string };

/** Processes to watch, from the parent up to npm. `orphan`: npm started this process and has ended. `apart`: npm did not start it. */
type Origin = readonly Known[] | "orphan" | "apart";

/** Resolves when npm, or a process between npm and this one, has ended. Stays pending if npm did not start this process. Never rejects. */
async function untilNpmIsGone({ processes, clock }: Pick<Host, "processes" | "clock">): Promise<void> {
  if (processes === null) return forever();
  const parent = processes.parent();
  const origin = await originOf(processes);
  if (origin === "apart") return forever();
  if (origin === "orphan") return;
  while (processes.parent() === parent && !(await hasEnded(origin, processes))) await sleep(clock, LOOK_MS);
}

const forever = (): Promise<never> => new Promise(() => {});

/** False when the system does not show it. */
async function hasEnded(line: readonly Known[], { self, look }: Processes): Promise<boolean> {
  try {
    const found = await look([self, ...line.map(({ id }) => id)]);
    return found.has(self) && line.some(({ id, startedAt }) => found.get(id)?.startedAt !== startedAt);
  } catch {
    return false;
  }
}

/**
 * Walks from this process up to npm. npm's variables alone prove nothing, since a terminal opened below npm keeps them. They count when the
 * walk shows that the starter has ended, and when the system hides a process on the way; then the visible processes are watched.
 */
async function originOf({ self, look, hasNpmVariables }: Processes): Promise<Origin> {
  const line: Known[] = [];
  const hidden: Origin = hasNpmVariables ? line : "apart";
  const factsOf = async (id: number) => (await look([id])).get(id);
  try {
    let child = await factsOf(self);
    for (let id = self; child !== undefined && child.parent > 0; ) {
      const above: ProcessFacts | undefined = await factsOf(child.parent);
      if (above === undefined) {
        const { parent } = child;
        child = await factsOf(id);
        // Otherwise the parent ended meanwhile and the child was adopted.
        if (child?.parent === parent) return hidden;
        continue;
      }
      const isRunner = isPackageRunner(above.words);
      if (!isRunner && isAdopted(id, child, above)) return hasNpmVariables ? "orphan" : "apart";
      line.push({ id: child.parent, startedAt: above.startedAt });
      if (isRunner) return line;
      id = child.parent;
      child = above;
    }
    return child === undefined ? hidden : "apart";
  } catch {
    return hidden;
  }
}

/**
 * An orphan is adopted by process 1, or by a process of another session. Only a session's leader has another session than the process that
 * started it.
 */
const isAdopted = (id: number, child: ProcessFacts, above: ProcessFacts): boolean =>
  child.session !== id && (child.parent === 1 || (child.session !== null && child.session !== above.session));

const RUNTIME = /^node(?:js)?$/;
/** `npm`, `npx-cli.js`, `yarn-4.9.1.cjs`. */
const RUNNER = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg)(?:-cli|-\d[\w.-]*)?(?:\.[cm]?js)?$/;

/** npm, or a program that starts a package's command in the same way. */
function isPackageRunner([program = "", ...rest]: readonly string[]): boolean {
  const isRuntime = RUNTIME.test(nameOf(program));
  return RUNNER.test(nameOf(isRuntime ? (rest.find((word) => !word.startsWith("-")) ?? "") : program));
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
