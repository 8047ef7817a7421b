// One key, one daemon per machine: the lock is on what the key is, wherever its file lies and whoever's it is. On Linux it is a name among
// the abstract sockets, on Windows a named pipe: no folder has to be writable or shared, a private /tmp is not in the way, and the
// operating system frees it with the process. A container has names of its own, and meets others by the lock beside the key's file.

import { once } from "node:events";
import { createServer } from "node:net";
import { type FileLock, holdLock, LockError } from "../bot/execution/key-lock.ts";
import { messageOf } from "../kernel/errors.ts";

/** Locks the key with this public key. Rejects with LockError, `lock_held` where another process on this machine uses the key. */
export async function lockKeyOnMachine(publicKey: string): Promise<FileLock> {
  const name = `quoin-key-${publicKey}`;
  if (process.platform === "linux") return holdName(`\0${name}`, publicKey);
  if (process.platform === "win32") return holdName(`\\\\.\\pipe\\${name}`, publicKey);
  return holdLock(`/tmp/${name}.lock`);
}

async function holdName(name: string, publicKey: string): Promise<FileLock> {
  const server = createServer((connection) => connection.destroy());
  server.listen(name);
  try {
    await once(server, "listening");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE")
      throw new LockError(
        "lock_held",
        `another process holds the agent key ${publicKey}; one daemon per key on a machine`,
        { cause },
      );
    throw new LockError("lock_unavailable", `the agent key ${publicKey} cannot be locked: ${messageOf(cause)}`, {
      cause,
    });
  }
  server.unref();
  return { path: name, release: () => void server.close() };
}
