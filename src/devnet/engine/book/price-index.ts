// Finds the value at a tick, and the value at the nearest lower tick, in a number of steps that does not grow with the content: a tree of
// 32-way nodes, each with a bit word that shows which branches are in use. Ticks go up to 2^53 - 1.

const FAN_OUT = 32;
const DIGIT_BITS = 5;

/** A leaf has values, every other node has children. `bits`: which slots are in use. */
type Node<T> = {
  bits: number;
  readonly children: (Node<T> | undefined)[];
  readonly values: (T | undefined)[];
};

const NO_SLOTS: undefined[] = [];
const makeLeaf = <T>(): Node<T> => ({ bits: 0, children: NO_SLOTS, values: new Array(FAN_OUT).fill(undefined) });
const makeBranch = <T>(): Node<T> => ({ bits: 0, children: new Array(FAN_OUT).fill(undefined), values: NO_SLOTS });

/** Digit of `tick` at `height` in base 32. Up to height 5 it is in the low 32 bits, where shifts are exact. */
const digitAt = (tick: number, height: number): number =>
  height < 6 ? (tick >>> (DIGIT_BITS * height)) & (FAN_OUT - 1) : Math.floor(tick / FAN_OUT ** height) % FAN_OUT;

export class PriceIndex<T> {
  #root: Node<T> = makeLeaf();
  #height = 0;
  /** The tree can hold ticks below this one. */
  #end = FAN_OUT;
  /** Nodes of the last insert or remove, from leaf (0) to root; kept so that a walk allocates nothing. */
  readonly #path: Node<T>[] = [this.#root];

  get(tick: number): T | undefined {
    if (tick >= this.#end) return undefined;
    let node: Node<T> | undefined = this.#root;
    for (let height = this.#height; height > 0 && node !== undefined; height -= 1) {
      node = node.children[digitAt(tick, height)];
    }
    return node?.values[digitAt(tick, 0)];
  }

  /** Stores `value` at the unused `tick`; returns the value at the nearest lower tick. */
  insert(tick: number, value: T): T | undefined {
    while (tick >= this.#end) this.#grow();
    let node = this.#root;
    for (let height = this.#height; height > 0; height -= 1) {
      this.#path[height] = node;
      node = childOf(node, digitAt(tick, height), height);
    }
    this.#path[0] = node;
    const digit = digitAt(tick, 0);
    node.bits |= 1 << digit;
    node.values[digit] = value;
    return this.#below(tick);
  }

  /** Removes the value at `tick` and the nodes that become empty. */
  remove(tick: number): void {
    let node = this.#root;
    for (let height = this.#height; height > 0; height -= 1) {
      this.#path[height] = node;
      const child = node.children[digitAt(tick, height)];
      if (child === undefined) return;
      node = child;
    }
    const digit = digitAt(tick, 0);
    node.bits &= ~(1 << digit);
    node.values[digit] = undefined;
    for (let height = 1; node.bits === 0 && height <= this.#height; height += 1) {
      const parent = this.#path[height];
      if (parent === undefined) return;
      const branch = digitAt(tick, height);
      parent.bits &= ~(1 << branch);
      parent.children[branch] = undefined;
      node = parent;
    }
  }

  #grow(): void {
    const root = makeBranch<T>();
    root.children[0] = this.#root;
    if (this.#root.bits !== 0) root.bits = 1;
    this.#root = root;
    this.#height += 1;
    this.#end *= FAN_OUT;
  }

  /** Goes up the path of the last insert to the first node with something lower, then down its highest branches. */
  #below(tick: number): T | undefined {
    for (let height = 0; height <= this.#height; height += 1) {
      const node = this.#path[height];
      const lower = node === undefined ? 0 : node.bits & ((1 << digitAt(tick, height)) - 1);
      if (node !== undefined && lower !== 0) return highestIn(node, lower, height);
    }
    return undefined;
  }
}

function childOf<T>(node: Node<T>, digit: number, height: number): Node<T> {
  node.bits |= 1 << digit;
  const child = node.children[digit];
  if (child !== undefined) return child;
  const made: Node<T> = height === 1 ? makeLeaf() : makeBranch();
  node.children[digit] = made;
  return made;
}

/** The highest value under `node` among the branches in `bits`, which must not be empty. */
function highestIn<T>(node: Node<T>, bits: number, height: number): T | undefined {
  let at: Node<T> | undefined = node;
  let slot = 31 - Math.clz32(bits);
  for (let level = height; level > 0; level -= 1) {
    at = at?.children[slot];
    slot = at === undefined ? 0 : 31 - Math.clz32(at.bits);
  }
  return at?.values[slot];
}
