// Runs a part of a test with a folder as the working directory of this process, as a shell does after `cd`.

export async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const here = process.cwd();
  process.chdir(folder);
  try {
    return await run();
  } finally {
    process.chdir(here);
  }
}
