/** The values of a metric's labels, by their names. */
export type Labels<Label extends string = string> = Readonly<Record<Label, string | number>>;

/** A cell for each combination of label values, in the order in which they first occurred. */
export class LabelCells<Label extends string, Cell> {
  readonly #names: readonly Label[];
  readonly #create: () => Cell;
  readonly #root = new Branch<Cell>();
  readonly #met: [labels: readonly (readonly [Label, string | number])[], cell: Cell][] = [];

  /** Without labels, the only combination exists from the start. */
  constructor(names: readonly Label[], create: () => Cell) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.#add(this.#root, {} as Labels<Label>);
  }

  /**
   * Returns the cell of these labels. Every metric of every request passes here, so no key is built from the
   * labels.
   */
  of(labels: Labels<Label>): Cell {
    let branch = this.#root;
    for (const name of this.#names) branch = branch.of(labels[name]);
    return branch.cell ?? this.#add(branch, labels);
  }

  /** Returns every combination with its cell. */
  entries(): Iterable<readonly [labels: readonly (readonly [Label, string | number])[], cell: Cell]> {
    return this.#met;
  }

  #add(branch: Branch<Cell>, labels: Labels<Label>): Cell {
    const cell = this.#create();
    branch.cell = cell;
    this.#met.push([this.#names.map((name) => [name, labels[name]] as const), cell]);
    return cell;
  }
}

/** The combinations that share the values of the first labels. */
class Branch<Cell> {
  readonly #branches = new Map<string | number, Branch<Cell>>();
  cell: Cell | undefined;

  of(value: string | number): Branch<Cell> {
    let branch = this.#branches.get(value);
    if (!branch) {
      branch = new Branch();
      this.#branches.set(value, branch);
    }
    return branch;
  }
}
