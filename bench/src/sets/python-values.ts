/** A call in a value: the name of a class, and its named arguments. */
export interface PythonCall {
  readonly call: string;
  readonly named: Readonly<Record<string, unknown>>;
}

/** A value, and the text that it was read from. */
export interface PythonValue {
  readonly value: unknown;
  readonly text: string;
}

const TOKEN =
  /\s*(?:('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(-?\d[\w.+-]*)|([A-Za-z_][\w.]*)|([[\](){},:=]))/suy;
const CONSTANTS: Readonly<Record<string, unknown>> = { None: null, True: true, False: false, nan: null };
const ENDS: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };

/**
 * Reads what Python's `repr` writes of strings, numbers, lists, tuples, dictionaries and objects. Tuples become
 * lists of {@link PythonValue}, objects {@link PythonCall}.
 *
 * @throws SyntaxError for other text.
 */
export function readPython(text: string): unknown {
  return new PythonReader(text).read();
}

class PythonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const [, string, number, name, sign] = this.#next();
    if (string !== undefined) return unquote(string);
    if (number !== undefined) return Number(number);
    if (name !== undefined && this.#peek('(')) return this.#readCall(name);
    if (name !== undefined) return Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : name;
    if (sign === '[') return this.#list(sign, () => this.read());
    if (sign === '(') return this.#list(sign, () => this.#readWithText());
    if (sign === '{') return Object.fromEntries(this.#list(sign, () => this.#readMember(':')));
    throw this.#fault();
  }

  #readCall(call: string): PythonCall {
    this.#take('(');
    const named: Record<string, unknown> = {};
    this.#list('(', () => {
      // The list in an array of numpy has no name.
      const [name, value] = this.#peek('[') ? ['', this.read()] : this.#readMember('=');
      named[name] = value;
    });
    return { call, named };
  }

  #readWithText(): PythonValue {
    const start = this.#at;
    const value = this.read();
    return { value, text: this.#text.slice(start, this.#at).trim() };
  }

  #readMember(between: string): [string, unknown] {
    const [, string, , name] = this.#next();
    this.#take(between);
    return [string === undefined ? (name ?? '') : unquote(string), this.read()];
  }

  /** Reads the rest of a list whose opening bracket has been read. */
  #list<Item>(open: string, read: () => Item): Item[] {
    const items: Item[] = [];
    const end = ENDS[open]!;
    while (!this.#peek(end)) {
      items.push(read());
      if (!this.#peek(end)) this.#take(',');
    }
    this.#take(end);
    return items;
  }

  #peek(sign: string): boolean {
    TOKEN.lastIndex = this.#at;
    return TOKEN.exec(this.#text)?.[0].trim() === sign;
  }

  #take(sign: string): void {
    if (this.#next()[0].trim() !== sign) throw this.#fault();
  }

  #next(): RegExpExecArray {
    TOKEN.lastIndex = this.#at;
    const token = TOKEN.exec(this.#text);
    if (token === null) throw this.#fault();
    this.#at = TOKEN.lastIndex;
    return token;
  }

  #fault(): SyntaxError {
    return new SyntaxError(`no value at character ${this.#at}: ${this.#text.slice(this.#at, this.#at + 40)}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unquote(string: string): string {
  return string
    .slice(1, -1)
    .replaceAll(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gsu, (_, short, long, sign: string) =>
      sign === undefined ? String.fromCharCode(Number.parseInt(short ?? long, 16)) : (ESCAPES[sign] ?? sign),
    );
}
