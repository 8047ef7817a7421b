// Blanks what is not code: comments, the text of strings and templates, regular expressions. Length, line breaks and quotes
// stay, so a position in the masked text is the position in the file. A small scanner, because TypeScript 7 has no parser to call.

const REGEX_MAY_FOLLOW =
  /(?:^|[=(,:;[!&|?{}<>+\-*%~^]|\b(?:return|typeof|case|in|of|void|throw|await|yield|else|do))\s*$/;
const MARK = /\/\/|\/\*|["'`/{}]/g;

/** The source with everything but code turned into blanks. */
export function mask(source: string): string {
  let masked = "";
  /** One entry a template that the scan stands inside of: how many braces are open in its current `${}`. */
  const templates: number[] = [];
  let at = 0;

  const keep = (end: number) => {
    masked += source.slice(at, end);
    at = Math.max(at, end);
  };
  const blank = (end: number) => {
    masked += source.slice(at, end).replace(/[^\n]/g, " ");
    at = Math.max(at, end);
  };
  const templateText = () => {
    const end = endOf(/`|\$\{/y, source, at);
    const closed = source[end - 1] === "`";
    blank(closed ? end - 1 : end - 2);
    keep(end);
    if (closed) templates.pop();
    else templates[templates.length - 1] = 0;
  };

  while (at < source.length) {
    MARK.lastIndex = at;
    const found = MARK.exec(source);
    if (found === null) {
      keep(source.length);
      break;
    }
    keep(found.index);
    const [mark] = found;
    if (mark === "//") blank(lineEnd(source, at));
    else if (mark === "/*") blank(indexAfter(source, "*/", at + 2));
    else if (mark === '"' || mark === "'") {
      const end = endOf(mark === '"' ? /"|\n/y : /'|\n/y, source, at + 1);
      keep(at + 1);
      blank(end - 1);
      keep(end);
    } else if (mark === "`") {
      templates.push(0);
      keep(at + 1);
      templateText();
    } else if (mark === "/") {
      if (REGEX_MAY_FOLLOW.test(masked.slice(-40))) blank(regexEnd(source, at));
      else keep(at + 1);
    } else {
      const open = templates.at(-1);
      keep(at + 1);
      if (open === undefined) continue;
      if (mark === "}" && open === 0) templateText();
      else templates[templates.length - 1] = open + (mark === "{" ? 1 : -1);
    }
  }
  return masked;
}

/** The position after the first match of a sticky pattern from `from` on, where a backslash hides the character behind it. */
function endOf(pattern: RegExp, source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\") {
      at++;
      continue;
    }
    pattern.lastIndex = at;
    if (pattern.test(source)) return pattern.lastIndex;
  }
  return source.length;
}

function regexEnd(source: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const character = source[at];
    if (character === "\\") at++;
    else if (character === "\n") return at;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (character === "/" && !inClass) return at + 1;
  }
  return source.length;
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
}

function indexAfter(source: string, mark: string, from: number): number {
  const start = source.indexOf(mark, from);
  return start === -1 ? source.length : start + mark.length;
}
