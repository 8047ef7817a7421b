// The pinned runtime starts wherever Node 20 does: it needs no shared library that Node 20 does not. Under a slim image Node 26 ends in
// "libatomic.so.1: cannot open shared object file" before it can say anything.

import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { expect, test } from "vitest";

/** What the official builds of Node 20 for Linux load (x64 and arm64), besides what the kernel brings. */
const OF_NODE_20 =
  /^(ld-linux-(x86-64|aarch64)\.so\.[12]|lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so\.[0-9]+|linux-vdso\.so\.1)$/;

/** Of a fresh process: this one may have loaded the libraries of native packages. */
function sharedLibraries(): readonly string[] {
  const report = execFileSync(process.execPath, ["-p", "JSON.stringify(process.report.getReport().sharedObjects)"]);
  return (JSON.parse(report.toString()) as readonly string[]).map((path) => basename(path));
}

// Other systems have other libraries, and none that a slim image leaves out.
test.skipIf(process.platform !== "linux")("the pinned runtime loads no shared library that Node 20 does not", () => {
  const libraries = sharedLibraries();
  expect(libraries).toContain("libc.so.6");
  expect(libraries.filter((library) => !OF_NODE_20.test(library))).toEqual([]);
});
