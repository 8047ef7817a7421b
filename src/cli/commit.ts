// Which commit a checkout stands at, read from its files: git itself need not be on the machine.

type Read = (path: string) => string;

/** `git`: the checkout's `.git` folder. "unknown" where there is none, or one of a kind that is not read here (a linked work tree). */
export function commitOf(git: string, read: Read): string {
  const head = textOf(`${git}/HEAD`, read);
  const branch = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  const commit = branch === undefined ? head : textOf(`${git}/${branch}`, read) || packed(git, branch, read);
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : "unknown";
}

/** A branch that git has put among others: lines of a commit and a name. */
function packed(git: string, branch: string, read: Read): string {
  const lines = textOf(`${git}/packed-refs`, read).split("\n");
  return lines.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0] ?? "";
}

function textOf(path: string, read: Read): string {
  try {
    return read(path).trim();
  } catch {
    return "";
  }
}
