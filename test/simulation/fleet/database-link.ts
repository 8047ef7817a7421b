// A node's way to the database: it takes time, it may be cut, and what was not answered in time may have been done all the same.

import { type Database, FleetError } from "../../../src/bot/fleet/database.ts";
import type { Prng } from "../../../src/kernel/prng.ts";
import type { VirtualClock } from "../../../src/kernel/virtual-clock.ts";
import type { ProcessRun } from "../../../src/sim/process-run.ts";
import type { DatabaseModel, Transaction } from "./database-model.ts";

/** What is wrong with the way of one node, or with the database itself. */
export type LinkState = { isCut: boolean };
export type ServerState = { isAway: boolean; commitMs: number };

export type LinkModules = {
  readonly world: VirtualClock;
  readonly processRun: ProcessRun;
  readonly model: DatabaseModel;
  readonly link: LinkState;
  readonly server: ServerState;
  readonly prng: Prng;
  readonly timeoutMs: number;
};

const ONE_WAY_MS = 2;

export function linkedDatabase({ world, processRun, model, link, server, prng, timeoutMs }: LinkModules): Database {
  const isThrough = (): boolean => !link.isCut && !server.isAway;
  const oneWayMs = (): number => ONE_WAY_MS * (0.5 + prng.exponential(0.5));
  let stopListening = (): void => {};

  /** Runs at the server and brings the answer back. Rejects after the timeout, whatever becomes of it there. */
  function carry<T>(run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = processRun.clock.after(timeoutMs, () => reject(unreachable("timeout")));
      const answered = (deliver: () => void): void => {
        world.after(oneWayMs(), () => {
          if (!isThrough()) return;
          processRun.enter(() => {
            timer.cancel();
            deliver();
          });
        });
      };
      world.after(oneWayMs(), () => {
        if (!isThrough()) return;
        run().then(
          (value) => world.after(server.commitMs, () => answered(() => resolve(value))),
          (error: unknown) => answered(() => reject(unreachable(String(error)))),
        );
      });
    });
  }

  return {
    ask: (text, values = []) => carry(() => model.ask(text, values)),
    async inTransaction(run) {
      let transaction: Transaction | undefined;
      try {
        await carry(async () => {
          transaction = model.begin(processRun);
        });
        const open = transaction as unknown as Transaction;
        const result = await run((text, values = []) => carry(() => model.ask(text, values, open)));
        await carry(async () => model.commit(open));
        return result;
      } catch (error) {
        const open = transaction;
        // The connection is closed; a server that does not hear of it ends an idle transaction on its own.
        if (open !== undefined) world.after(isThrough() ? oneWayMs() : 2 * timeoutMs, () => model.rollback(open));
        throw error;
      }
    },
    listen(onNote) {
      stopListening = model.listen(() => {
        if (isThrough()) world.after(oneWayMs(), () => processRun.enter(onNote));
      });
    },
    async close() {
      stopListening();
    },
  };
}

const unreachable = (why: string): FleetError => new FleetError("unreachable", why);
