// A file system without locks or without shared memory, for a process of its own: a library that is loaded before the system's refuses both
// to SQLite's files. Compiled where there is a C compiler, on Linux.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";

const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int names(int fd, const char *part) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, part) != NULL;
}

#define MAP(name) \\
  void *name(void *at, size_t length, int protection, int flags, int fd, off_t offset) { \\
    void *(*real)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, #name); \\
    if (getenv("WITHOUT_MEMORY") && fd >= 0 && (flags & MAP_SHARED) && names(fd, "-shm")) { errno = EINVAL; return MAP_FAILED; } \\
    return real(at, length, protection, flags, fd, offset); \\
  }
MAP(mmap)
MAP(mmap64)

#define CONTROL(name) \\
  int name(int fd, int command, ...) { \\
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \\
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, #name); \\
    if (getenv("WITHOUT_LOCKS") && (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) && names(fd, "sqlite")) { errno = ENOLCK; return -1; } \\
    return real(fd, command, argument); \\
  }
CONTROL(fcntl)
CONTROL(fcntl64)
`;

/** The environment of a process that lacks `what` in files of SQLite; null where it cannot be made here. */
export function environmentWithout(what: "locks" | "memory"): NodeJS.ProcessEnv | null {
  if (process.platform !== "linux") return null;
  const folder = scratchFolder("without");
  const [source, library] = [join(folder, "without.c"), join(folder, "without.so")];
  writeFileSync(source, SOURCE);
  const { status } = spawnSync("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"], { stdio: "ignore" });
  if (status !== 0) return null;
  return { ...process.env, LD_PRELOAD: library, [`WITHOUT_${what.toUpperCase()}`]: "1" };
}
