// The state outside the engine, as tables of readonly rows. Every change goes through `set` or `delete` and leaves a canonical
// record, so the state root covers it and a snapshot is nothing but the rows.

import { assert } from "../../kernel/assert.ts";

export type Cell = string | number | bigint | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** Takes one canonical change record; the records in their order make the state root. */
export type Recorder = (record: string) => void;

export type Table<Row> = {
  readonly get: (key: string) => Row | undefined;
  readonly set: (key: string, row: Row) => void;
  readonly delete: (key: string) => void;
  readonly size: () => number;
  /** In the order the keys were first set. */
  readonly rows: () => MapIterator<Row>;
  readonly keys: () => MapIterator<string>;
  /** Finds rows by what `wordsOf` says of them, kept up with every change. Rows come in no order of meaning. */
  readonly index: (wordsOf: (row: Row) => readonly string[]) => (word: string) => readonly Row[];
};

export type Tables = {
  /** Opens the table `name`, once. Rows must be plain values: they go through text and back. */
  readonly open: <Row>(name: string) => Table<Row>;
  /** Text of all tables, the same for the same state reached by any way that set the keys in the same order. */
  readonly save: () => string;
  /** Replaces what the open tables hold. Throws SyntaxError when the text is not one that `save` made. */
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
  /** Takes the key from the words of the row that was, and gives it to the words of the row that is. */
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
 * Canonical text of plain values: JSON in which a bigint is a string of `#` and its digits, and a string that starts with `#` has
 * one more.
 */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, cell: unknown) => {
    if (typeof cell === "bigint") return `#${cell}`;
    return typeof cell === "string" && cell.startsWith("#") ? `#${cell}` : cell;
  });
}

/** What `textOf` was given. Throws SyntaxError. */
export function parsedText(text: string): unknown {
  return JSON.parse(text, (_key, cell: unknown) => {
    if (typeof cell !== "string" || !cell.startsWith("#")) return cell;
    return cell.startsWith("##") ? cell.slice(1) : BigInt(cell.slice(1));
  });
}
