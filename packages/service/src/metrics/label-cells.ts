/** The values of a metric's labels, by their names. */
export type Labels<Label extends string = string> = Readonly<Record<Label, string | number>>;

/** A place for each combination of labels' values that was met, in the order in which they were. */
export class LabelCells<Label extends string, Cell> {
  readonly #names: readonly Label[];
  readonly #create: () => Cell;
  readonly #root = new Branch<Cell>();
  readonly #met: [labels: readonly (readonly [Label, string | number])[], cell: Cell][] = [];

  /** Without labels there is one combination, and it is there at once. */
  constructor(names: readonly Label[], create: () => Cell) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.#add(this.#root, {} as Labels<Label>);
  }

  /** The cell of these labels. Every measure of every request passes here: no key is made of them. */
  of(labels: Labels<Label>): Cell {
    let branch = this.#root;
    for (const name of this.#names) branch = branch.of(labels[name]);
    return branch.cell ?? this.#add(branch, labels);
  }

  /** Every combination with its cell. */
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

/** What has the same values of the first labels. */
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
