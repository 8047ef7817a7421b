// An index file of 100 MB is read in one pass: the process stays below 300 MB, whether the file is packed or not.

import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PROJECT } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const BYTES = 100e6;
const MEMORY_MAX_BYTES = 300e6;
const DAYS = 2000;

/** Series of daily values, all days of one after the other; the id of the last one. */
function write(path: string): string {
  const file = openSync(path, "w");
  const dates = Array.from({ length: DAYS }, (_, at) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10));
  let [bytes, series] = [writeSync(file, "parcl_id,date,price_feed\n"), 2_900_000];
  while (bytes < BYTES) {
    series += 1;
    bytes += writeSync(file, dates.map((date, at) => `${series},${date},${200 * 1.0003 ** at}\n`).join(""));
  }
  closeSync(file);
  return `${series}`;
}

const SCRIPT = `
  import { readIndexFile } from "./src/index-files/read.ts";
  import { systemFiles } from "./src/kernel/yaml/files.ts";
  const [path, series] = process.argv.slice(1);
  const { prints } = readIndexFile(systemFiles.pieces(path), series).series;
  console.log(JSON.stringify({ prints: prints.length, bytes: process.resourceUsage().maxRSS * 1024 }));
`;

test("a file of 100 MB takes less than 300 MB of memory, packed or not", () => {
  const path = join(scratchFolder("index-file"), "prints.csv");
  const series = write(path);
  const packed = `${path}.gz`;
  writeFileSync(packed, gzipSync(readFileSync(path)));
  for (const file of [path, packed]) {
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", SCRIPT, file, series], {
      cwd: PROJECT,
      encoding: "utf8",
    });
    const { prints, bytes } = JSON.parse(said);
    expect(prints).toBe(DAYS);
    expect(bytes, file).toBeLessThan(MEMORY_MAX_BYTES);
  }
});
