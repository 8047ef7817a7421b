// The state outside the engine, as tables of readonly rows. Every change goes through `set` or `delete` and produces a canonical record, so
// the state root covers it and a snapshot needs only the rows.

import { assert } from "../../kernel/assert.ts";

export type Cell = string | number | bigint | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** Takes one canonical change record; the sequence of records determines the state root. */
export type Recorder = (record: string) => void;

export type Table<Row> = {
  readonly get: (key: string) => Row | undefined;
  readonly set: (key: string, row: Row) => void;
  readonly delete: (key: string) => void;
  readonly size: () => number;
  /** In the order in which the keys were first set. */
  readonly rows: () => MapIterator<Row>;
  readonly keys: () => MapIterator<string>;
  /** Finds rows by the words that `wordsOf` returns for them; updated with every change. The order of the rows has no meaning. */
  readonly index: (wordsOf: (row: Row) => readonly string[]) => (word: string) => readonly Row[];
};

export type Tables = {
  /** Opens the table `name`; once per name. Rows must be plain values, because they are converted to text and back. */
  readonly open: <Row>(name: string) => Table<Row>;
  /** All tables as text. The same state gives the same text if its keys were set in the same order. */
  readonly save: () => string;
  /** Replaces the content of the open tables. Throws SyntaxError if `save` did not make the text. */
  readonly load: (text: string) => void;
};

export function createTables(record: Recorder): Tables {
  const tables = new Map<string, OpenTable>();
  return {
    open<Row>(name: string): Table<Row> {
      assert(!tables.has(name), `table ${name} is opened once`);
      const opened = openTable<Row>(name, record);
      tables.set(name, opened);
      return opened.table;
    },
    save: () => textOf([...tables].map(([name, opened]) => [name, opened.save()])),
    load(text) {
      for (const [name, rows] of parsedText(text) as [string, [string, unknown][]][]) {
        const opened = tables.get(name);
        if (opened === undefined) throw new SyntaxError(`there is no table ${name}`);
        opened.load(rows);
      }
    },
  };
}

type OpenTable = {
  readonly save: () => readonly (readonly [string, unknown])[];
  readonly load: (rows: readonly (readonly [string, unknown])[]) => void;
};

function openTable<Row>(name: string, record: Recorder): OpenTable & { readonly table: Table<Row> } {
  const store = new Map<string, Row>();
  const indexes: Index<Row>[] = [];

  function put(key: string, row: Row): void {
    const previous = store.get(key);
    for (const index of indexes) index.move(key, previous, row);
    store.set(key, row);
  }

  const table: Table<Row> = {
    get: (key) => store.get(key),
    set(key, row) {
      put(key, row);
      record(`${name} ${key} ${textOf(row)}`);
    },
    delete(key) {
      const previous = store.get(key);
      if (previous === undefined) return;
      for (const index of indexes) index.move(key, previous, undefined);
      store.delete(key);
      record(`${name} ${key} -`);
    },
    size: () => store.size,
    rows: () => store.values(),
    keys: () => store.keys(),
    index(wordsOf) {
      const index = createIndex(wordsOf);
      for (const [key, row] of store) index.move(key, undefined, row);
      indexes.push(index);
      return (word) => index.keysOf(word).flatMap((key) => store.get(key) ?? []);
    },
  };
  return {
    table,
    save: () => [...store],
    load(rows) {
      for (const [key, row] of store) for (const index of indexes) index.move(key, row, undefined);
      store.clear();
      for (const [key, row] of rows) put(key, row as Row);
    },
  };
}

type Index<Row> = {
  /** Removes the key from the words of the old row and adds it to the words of the new row. */
  readonly move: (key: string, was: Row | undefined, is: Row | undefined) => void;
  readonly keysOf: (word: string) => readonly string[];
};

function createIndex<Row>(wordsOf: (row: Row) => readonly string[]): Index<Row> {
  const keysByWord = new Map<string, Set<string>>();
  return {
    move(key, was, is) {
      const before = was === undefined ? [] : wordsOf(was);
      const after = is === undefined ? [] : wordsOf(is);
      for (const word of before) {
        const keys = keysByWord.get(word);
        if (after.includes(word) || keys === undefined) continue;
        keys.delete(key);
        if (keys.size === 0) keysByWord.delete(word);
      }
      for (const word of after) {
        const keys = keysByWord.get(word);
        if (keys === undefined) keysByWord.set(word, new Set([key]));
        else keys.add(key);
      }
    },
    keysOf: (word) => [...(keysByWord.get(word) ?? [])],
  };
}

/**
 * Canonical text of plain values: JSON in which a bigint is a string of `#` and its digits; a string that starts with `#` gets one more
 * `#`.
 */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, cell: unknown) => {
    if (typeof cell === "bigint") return `#${cell}`;
    return typeof cell === "string" && cell.startsWith("#") ? `#${cell}` : cell;
  });
}

/** Inverse of `textOf`. Throws SyntaxError. */
export function parsedText(text: string): unknown {
  return JSON.parse(text, (_key, cell: unknown) => {
    if (typeof cell !== "string" || !cell.startsWith("#")) return cell;
    return cell.startsWith("##") ? cell.slice(1) : BigInt(cell.slice(1));
  });
}
