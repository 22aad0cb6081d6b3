import { ARRAY, type JsonTape, NULL, OBJECT, STRING } from './json-tape.ts';
import {
  BEHIND_SCHEMA_KEYS,
  DEFINITION,
  DESCRIPTION,
  FIRST_SCHEMA_KEY,
  FUNCTION,
  JSON_KEY,
  NAME,
  TOOL_SPEC,
  VECTOR,
} from './keywords.ts';
import { createMembers, findMembers, type Members } from './members.ts';

/** In place of a node: there is none. The first node is the tool itself. */
export const NO_NODE = 0;

/**
 * Finds in a tool on a tape what `readTool` and `toDocument` find in it: the nodes of its name, of its description and of its schema.
 *
 * Contract: one tool at a time. It is out of the ordinary, and `find` says so, when a parser would find anything else, when `readTool` has a
 * fault to tell, and in some rare cases that are not worth their code.
 */
export class ToolParts {
  /** A string. */
  name: number = NO_NODE;
  /** A string that is not empty, or NO_NODE. */
  description: number = NO_NODE;
  /** An object, or NO_NODE. */
  schema: number = NO_NODE;
  readonly #outer = new Holder();
  readonly #inner = new Holder();
  readonly #schema = createMembers();

  /** Whether the tool is an ordinary one; its parts are of use only then. */
  find(tape: JsonTape, bytes: Buffer): boolean {
    const outer = this.#outer;
    const inner = this.#inner;
    if (!outer.survey(tape, bytes, 0)) return false;
    const members = outer.members;
    if (!isTextOrNone(tape, members[NAME]!) || !isTextOrNone(tape, members[DESCRIPTION]!)) return false;
    if (kindOf(tape, members[VECTOR]!) !== NULL) return false;
    const definition = members[DEFINITION]!;
    if (kindOf(tape, definition) === OBJECT) {
      if (!inner.survey(tape, bytes, definition)) return false;
    } else {
      if (kindOf(tape, definition) !== NULL) return false;
      inner.clear();
    }
    this.name = outer.name || inner.name;
    if (this.name === NO_NODE) return false;
    // As in readTool: the definition when it has a schema or nothing else has one; else the outer object, which is a provider's own.
    const chosen = inner.schema !== NO_NODE || outer.schema === NO_NODE ? inner : outer;
    this.description =
      filled(tape, outer.description || inner.description) || filled(tape, chosen.description);
    return this.#findSchema(tape, bytes, chosen.schema);
  }

  /** Bedrock Converse says `inputSchema: { json: … }`. */
  #findSchema(tape: JsonTape, bytes: Buffer, schema: number): boolean {
    this.schema = schema;
    if (schema === NO_NODE) return true;
    if (!findMembers(tape, bytes, schema, this.#schema)) return false;
    const json = this.#schema[JSON_KEY]!;
    if (kindOf(tape, json) === OBJECT) this.schema = json;
    return true;
  }
}

/** A tool or its definition, with what is wrapped in it. */
class Holder {
  readonly members: Members = createMembers();
  readonly #wrapped: Members = createMembers();
  /** Strings, or NO_NODE. */
  name: number = NO_NODE;
  description: number = NO_NODE;
  /** An object, or NO_NODE. */
  schema: number = NO_NODE;

  clear(): void {
    this.name = NO_NODE;
    this.description = NO_NODE;
    this.schema = NO_NODE;
  }

  /** False when it is out of the ordinary. */
  survey(tape: JsonTape, bytes: Buffer, holder: number): boolean {
    const { members } = this;
    if (!findMembers(tape, bytes, holder, members) || hasMisplacedSchema(tape, members)) return false;
    this.name = ifText(tape, members[NAME]!);
    this.description = ifText(tape, members[DESCRIPTION]!);
    this.schema = schemaIn(tape, members);
    const inFunction = ifObject(tape, members[FUNCTION]!);
    const inToolSpec = ifObject(tape, members[TOOL_SPEC]!);
    if (inFunction !== NO_NODE && inToolSpec !== NO_NODE) return false;
    return this.#surveyWrapped(tape, bytes, inFunction || inToolSpec);
  }

  #surveyWrapped(tape: JsonTape, bytes: Buffer, wrapped: number): boolean {
    if (wrapped === NO_NODE) return true;
    const members = this.#wrapped;
    if (!findMembers(tape, bytes, wrapped, members) || hasMisplacedSchema(tape, members)) return false;
    this.name ||= ifText(tape, members[NAME]!);
    this.description ||= ifText(tape, members[DESCRIPTION]!);
    // What is wrapped comes first here, as it does in toDocument.
    this.schema = schemaIn(tape, members) || this.schema;
    return true;
  }
}

function schemaIn(tape: JsonTape, members: Members): number {
  for (let key = FIRST_SCHEMA_KEY; key < BEHIND_SCHEMA_KEYS; key++) {
    const schema = ifObject(tape, members[key]!);
    if (schema !== NO_NODE) return schema;
  }
  return NO_NODE;
}

function hasMisplacedSchema(tape: JsonTape, members: Members): boolean {
  for (let key = FIRST_SCHEMA_KEY; key < BEHIND_SCHEMA_KEYS; key++) {
    const schema = members[key]!;
    const kind = kindOf(tape, schema);
    // Some languages write an empty object as `[]`.
    const isEmptyArray = kind === ARRAY && tape.nexts[schema] === schema + 1;
    if (kind !== OBJECT && kind !== NULL && !isEmptyArray) return true;
  }
  return false;
}

function isTextOrNone(tape: JsonTape, node: number): boolean {
  const kind = kindOf(tape, node);
  return kind === STRING || kind === NULL;
}

function ifText(tape: JsonTape, node: number): number {
  return kindOf(tape, node) === STRING ? node : NO_NODE;
}

function ifObject(tape: JsonTape, node: number): number {
  return kindOf(tape, node) === OBJECT ? node : NO_NODE;
}

/** The node of a string when it is not empty. */
function filled(tape: JsonTape, text: number): number {
  return text !== NO_NODE && tape.ends[text]! > tape.starts[text]! ? text : NO_NODE;
}

/** What is not there counts as null. */
function kindOf(tape: JsonTape, node: number): number {
  return node === NO_NODE ? NULL : tape.kinds[node]!;
}
