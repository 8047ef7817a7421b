// Allows one daemon per key and machine. The lock is on the public key, so copies of its file share it. It is an abstract socket on Linux
// and a named pipe on Windows: it needs no writable or shared folder, and the operating system frees it with the process. A container has
// its own names; between containers the lock beside the key's file counts.

import { once } from "node:events";
import { createServer } from "node:net";
import { messageOf } from "../kernel/errors.ts";
import { type FileLock, holdLock, LockError } from "../kernel/locking.ts";

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
