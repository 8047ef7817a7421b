// Plain values as bytes, each written once: a repeated text, object or list is written as a number and read as the same object. Integers of
// any size, every number and every text read back exactly; functions and undefined are left out. The bytes are a list of records:
// definitions, each after those of its parts, and the values themselves.

/** The first byte of a record is its kind. FORGET: earlier definitions are not used again. */
const TEXT = 0;
const SHAPE = 1;
const OBJECT = 2;
const LIST = 3;
const VALUE = 4;
const FORGET = 5;

/** A token is a whole number: its lowest two bits give the kind of the rest. */
const KNOWN = 0;
const INTEGER = 1;
const BIGINT = 2;
const OTHER = 3;

/** The rest of a token of kind OTHER. For most of them, data follows. */
const NULL = 0;
const TRUE = 1;
const FALSE = 2;
const EXPECTED = 3;
const DOUBLE = 4;
const BIGINT_TEXT = 5;
const OWN_OBJECT = 6;
const OWN_LIST = 7;
const THOUSANDTHS = 8;

/** Four times this is still an exact whole number. */
const INTEGER_MAX = 2 ** 50;
export const EXPECTED_MAX = 2 ** 40;
const BIGINT_MAX = BigInt(INTEGER_MAX);
/** Bytes of definitions kept: with more, a reader's memory grows, and a recording hardly gets smaller. */
const KNOWN_BYTES_MAX = 1 << 17;
const FIRST_BYTES = 1 << 16;

type Fields = Readonly<Record<string, unknown>>;

/** Keys of an object, in their order. */
type Shape = { readonly number: number; readonly keys: readonly string[] };
type ShapeNode = { shape: Shape | null; readonly next: Map<string, ShapeNode> };

const emptyNode = (): ShapeNode => ({ shape: null, next: new Map() });

type Encoding = {
  readonly name: BufferEncoding;
  readonly bytesEach: number;
  readonly fits: (text: string) => boolean;
};

/** A text is written in the first encoding that fits. Hashes and keys are hexadecimal. */
const encodings: readonly Encoding[] = [
  { name: "hex", bytesEach: 0.5, fits: (text) => text.length % 2 === 0 && !/[^0-9a-f]/.test(text) },
  { name: "latin1", bytesEach: 1, fits: (text) => !/[^\0-\xff]/.test(text) },
  { name: "utf16le", bytesEach: 2, fits: () => true },
];

/** True for a time in milliseconds with microsecond precision. */
const isThousandths = (value: number): boolean =>
  Math.abs(value) < EXPECTED_MAX && Math.round(value * 1000) / 1000 === value && value !== 0;

/** Frozen, and all of its parts with it. */
function isFlat(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  for (const key in value) if (typeof (value as Fields)[key] === "object") return false;
  return true;
}

const isLeftOut = (value: unknown): boolean =>
  value === undefined || typeof value === "function" || typeof value === "symbol";

export class ValueWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #end = 0;
  readonly #texts = new Map<string, number>();
  /** Numbers of objects and lists by their definition. */
  readonly #composites = new Map<string, number>();
  /** Numbers of frozen objects of plain values, such as levels of a book: they are written again and again, and cannot have changed. */
  readonly #frozen = new Map<object, number>();
  #shapes = emptyNode();
  #shapeCount = 0;
  #knownBytes = 0;
  /** Shapes of objects and numbers of known values, in writing order. */
  readonly #found: (Shape | number)[] = [];
  #at = 0;
  #expected = 0;

  /** Bytes since the last `take`. */
  get length(): number {
    return this.#end;
  }

  /** What was written since the last `take`. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    return taken;
  }

  /**
   * `ownDepth`: the outermost levels, which are almost never repeated, are written in full. `expected`, below EXPECTED_MAX: numbers in it
   * are often equal or close to this.
   */
  value(value: unknown, ownDepth: number, expected = 0): void {
    if (this.#knownBytes > KNOWN_BYTES_MAX) this.#forget();
    this.#expected = expected;
    this.#found.length = 0;
    this.#find(value, ownDepth);
    this.#at = 0;
    this.#byte(VALUE);
    this.#token(value, ownDepth);
  }

  /** A whole number from -2^52 to 2^52. */
  integer(value: number): void {
    this.#varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#end = this.#bytes.writeDoubleLE(value, this.#end);
  }

  #forget(): void {
    this.#texts.clear();
    this.#composites.clear();
    this.#frozen.clear();
    this.#shapes = emptyNode();
    this.#shapeCount = 0;
    this.#knownBytes = 0;
    this.#byte(FORGET);
  }

  /** Defines the parts of `value`. */
  #find(value: unknown, ownDepth: number): void {
    if (typeof value === "string") this.#found.push(this.#text(value));
    else if (typeof value === "object" && value !== null) {
      if (ownDepth > 0) this.#findParts(value, ownDepth - 1);
      else this.#found.push(this.#composite(value));
    }
  }

  #findParts(value: object, ownDepth: number): void {
    if (Array.isArray(value)) {
      for (const part of value) this.#find(part, ownDepth);
      return;
    }
    const shape = this.#shapeOf(value as Fields);
    this.#found.push(shape);
    for (const key of shape.keys) this.#find((value as Fields)[key], ownDepth);
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#byte(TEXT);
    this.#characters(text);
    return this.#define(this.#texts, text);
  }

  #composite(value: object): number {
    const seen = this.#frozen.get(value);
    if (seen !== undefined) return seen;
    const number = this.#written(value);
    if (isFlat(value)) this.#frozen.set(value, number);
    return number;
  }

  #written(value: object): number {
    const [found, at] = [this.#found.length, this.#at];
    this.#findParts(value, 0);
    this.#at = found;
    const start = this.#end;
    if (Array.isArray(value)) {
      this.#byte(LIST);
      this.#parts(value, 0);
    } else {
      this.#byte(OBJECT);
      this.#fields(value as Fields, 0);
    }
    this.#found.length = found;
    this.#at = at;
    const definition = this.#bytes.toString("latin1", start, this.#end);
    const known = this.#composites.get(definition);
    if (known === undefined) return this.#define(this.#composites, definition);
    this.#end = start;
    return known;
  }

  #define(known: Map<string, number>, definition: string): number {
    const number = this.#texts.size + this.#composites.size;
    known.set(definition, number);
    this.#knownBytes += definition.length;
    return number;
  }

  #shapeOf(value: Fields): Shape {
    let node = this.#shapes;
    for (const key of Object.keys(value)) {
      if (isLeftOut(value[key])) continue;
      let next = node.next.get(key);
      if (next === undefined) {
        next = emptyNode();
        node.next.set(key, next);
      }
      node = next;
    }
    node.shape ??= this.#defineShape(Object.keys(value).filter((key) => !isLeftOut(value[key])));
    return node.shape;
  }

  #defineShape(keys: readonly string[]): Shape {
    this.#byte(SHAPE);
    this.#varint(keys.length);
    for (const key of keys) this.#characters(key);
    this.#shapeCount += 1;
    return { number: this.#shapeCount - 1, keys };
  }

  #token(value: unknown, ownDepth: number): void {
    if (typeof value === "number") this.#number(value);
    else if (typeof value === "bigint") this.#bigint(value);
    else if (typeof value === "string") this.#kind(KNOWN, this.#next() as number);
    else if (typeof value === "boolean") this.#kind(OTHER, value ? TRUE : FALSE);
    else if (typeof value !== "object" || value === null) this.#kind(OTHER, NULL);
    else if (ownDepth === 0) this.#kind(KNOWN, this.#next() as number);
    else if (Array.isArray(value)) {
      this.#kind(OTHER, OWN_LIST);
      this.#parts(value, ownDepth - 1);
    } else {
      this.#kind(OTHER, OWN_OBJECT);
      this.#fields(value as Fields, ownDepth - 1);
    }
  }

  #next(): Shape | number {
    const next = this.#found[this.#at] as Shape | number;
    this.#at += 1;
    return next;
  }

  #fields(value: Fields, ownDepth: number): void {
    const { number, keys } = this.#next() as Shape;
    this.#varint(number);
    for (const key of keys) this.#token(value[key], ownDepth);
  }

  #parts(value: readonly unknown[], ownDepth: number): void {
    this.#varint(value.length);
    for (const part of value) this.#token(part, ownDepth);
  }

  #number(value: number): void {
    if (Object.is(value, this.#expected)) this.#kind(OTHER, EXPECTED);
    else if (Number.isInteger(value) && value >= 0 && value < INTEGER_MAX && !Object.is(value, -0))
      this.#kind(INTEGER, value);
    else if (isThousandths(value)) {
      this.#kind(OTHER, THOUSANDTHS);
      this.integer(Math.round(value * 1000) - Math.round(this.#expected * 1000));
    } else {
      this.#kind(OTHER, DOUBLE);
      this.double(value);
    }
  }

  #bigint(value: bigint): void {
    if (value >= 0n && value < BIGINT_MAX) this.#kind(BIGINT, Number(value));
    else {
      this.#kind(OTHER, BIGINT_TEXT);
      this.#characters(`${value}`);
    }
  }

  #kind(kind: number, rest: number): void {
    this.#varint(4 * rest + kind);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#end] = byte;
    this.#end += 1;
  }

  /** Seven bits per byte, lowest first. */
  #varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 2 ** 31) {
      this.#bytes[this.#end++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.#bytes[this.#end++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#end++] = rest;
  }

  #characters(text: string): void {
    const encoding = encodings.findIndex(({ fits }) => fits(text));
    const { name, bytesEach } = encodings[encoding] as Encoding;
    const length = text.length * bytesEach;
    this.#varint(encodings.length * length + encoding);
    this.#reserve(length);
    this.#end += this.#bytes.write(text, this.#end, length, name);
  }

  #reserve(count: number): void {
    if (this.#end + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#end + count));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/** Reads what a `ValueWriter` wrote, in the same order. Throws RangeError for other content. */
export class ValueReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #known: unknown[] = [];
  #shapes: (readonly string[])[] = [];
  #expected = 0;

  /** Takes the bytes of the next `take`. */
  read(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#at = 0;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  value(expected = 0): unknown {
    this.#expected = expected;
    for (;;) {
      const record = this.#byte();
      switch (record) {
        case VALUE:
          return this.#token();
        case OBJECT:
          this.#known.push(this.#fields());
          break;
        case LIST:
          this.#known.push(this.#parts());
          break;
        case TEXT:
          this.#known.push(this.#characters());
          break;
        case SHAPE:
          this.#shapes.push(Array.from({ length: this.#varint() }, () => this.#characters()));
          break;
        case FORGET:
          this.#known = [];
          this.#shapes = [];
          break;
        default:
          throw new RangeError(`a record begins with ${record}`);
      }
    }
  }

  integer(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  #token(): unknown {
    const first = this.#byte();
    let rest = (first & 127) >> 2;
    if (first >= 128) rest += 32 * this.#varint();
    switch (first & 3) {
      case KNOWN:
        if (rest >= this.#known.length) throw new RangeError(`value ${rest} is not known`);
        return this.#known[rest];
      case INTEGER:
        return rest;
      case BIGINT:
        return BigInt(rest);
      default:
        return this.#other(rest);
    }
  }

  #other(rest: number): unknown {
    switch (rest) {
      case NULL:
        return null;
      case TRUE:
        return true;
      case FALSE:
        return false;
      case EXPECTED:
        return this.#expected;
      case DOUBLE:
        return this.double();
      case THOUSANDTHS:
        return (this.integer() + Math.round(this.#expected * 1000)) / 1000;
      case BIGINT_TEXT:
        return BigInt(this.#characters());
      case OWN_OBJECT:
        return this.#fields();
      case OWN_LIST:
        return this.#parts();
      default:
        throw new RangeError(`a token is ${rest}`);
    }
  }

  #fields(): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (const key of this.#shapes[this.#varint()] ?? []) fields[key] = this.#token();
    return fields;
  }

  #parts(): unknown[] {
    const parts: unknown[] = [];
    for (let left = this.#varint(); left > 0; left -= 1) parts.push(this.#token());
    return parts;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError("the bytes end within a value");
    this.#at += 1;
    return byte;
  }

  #varint(): number {
    let byte = this.#byte();
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = this.#byte();
      value += (byte & 127) * scale;
    }
    return value;
  }

  #characters(): string {
    const encoded = this.#varint();
    const { name } = encodings[encoded % encodings.length] as Encoding;
    const start = this.#at;
    this.#at += Math.floor(encoded / encodings.length);
    if (this.#at > this.#bytes.length) throw new RangeError("the bytes end within a text");
    return this.#bytes.toString(name, start, this.#at);
  }
}
