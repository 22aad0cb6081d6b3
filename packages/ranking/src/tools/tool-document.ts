import { cutText } from '@winnow/core';
import { genericEnding } from '../text/generic-ending.ts';

/** A tool as text: plain strings, no schema. The only form in which tools are indexed. */
export interface ToolDocument {
  readonly name: string;
  readonly description: string;
  /** The name of the tool's group, and its display name; searched as words. */
  readonly namespace?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** Requests for which people wanted the tool, in their words. */
  readonly examples?: readonly string[];
  /** Further names, which match if a pattern contains them completely. */
  readonly aliases?: readonly string[];
  /** All parameters at any depth, in schema order. */
  readonly parameters: readonly ParameterText[];
}

/**
 * One parameter: its name, and the text of its title, description and `enum`/`const` values. The name is
 * empty for text of the schema as a whole.
 */
export interface ParameterText {
  readonly name: string;
  readonly text: string;
}

/**
 * Fields of a document, with the weight of one occurrence of a word in each. `lead` is the first sentence of
 * the description, `description` the rest. Chosen on the training sets of the retrieval bench.
 */
export const FIELD_WEIGHTS = {
  name: 1.5,
  namespace: 1.2,
  title: 1.2,
  lead: 1,
  description: 0.4,
  tag: 1,
  example: 0.25,
  parameterName: 0.6,
  parameterText: 0.25,
};

/** A field that a document's texts come from. */
export type TextField = Exclude<keyof typeof FIELD_WEIGHTS, 'lead'>;

/** Passes every ranked text of a document to `take`, in indexing order. */
export function eachText(document: ToolDocument, take: (field: TextField, text: string) => void): void {
  const { name, namespace = '', title = '', description, tags = [], examples = [], parameters } = document;
  take('name', name);
  take('namespace', namespace);
  take('title', title);
  take('description', description);
  for (const tag of tags) take('tag', tag);
  for (const example of examples) take('example', example);
  for (const parameter of parameters) {
    take('parameterName', parameter.name);
    take('parameterText', parameter.text);
  }
}

const OWN_PIECES: ReadonlySet<TextField> = new Set(['name', 'description', 'parameterName', 'parameterText']);

/**
 * Returns the texts of a document as a flat list: name, description, labels (all other fields, one per line),
 * followed by name and text of each parameter.
 */
export function piecesOf(document: ToolDocument): string[] {
  const labels: string[] = [];
  const pieces = [document.name, document.description, ''];
  eachText(document, (field, text) => {
    if (field === 'parameterName' || field === 'parameterText') pieces.push(text);
    else if (!OWN_PIECES.has(field) && text !== '') labels.push(text);
  });
  pieces[LABELS_PIECE] = labels.join('\n');
  return pieces;
}

/** The index of the piece with the labels; parameters follow it. */
export const LABELS_PIECE = 2;
export const FIRST_PARAMETER_PIECE = 3;

/** The parts of a tool that its meaning is computed from. */
export type MeaningSubject = Pick<ToolDocument, 'name' | 'description'>;

/** Maximum length of the text, about the input of small embedding models: 128 to 256 tokens. */
const MAX_CHARS = 1_000;

/**
 * Returns the text to embed for a tool: its name as words, without a generic ending, followed by its
 * description. Without the names of parameters: tools made from one API share most of them, and would all
 * mean the same.
 */
export function meaningText({ name, description }: MeaningSubject): string {
  const ending = genericEnding(name) ?? '';
  return cutText(`${asWords(name.slice(0, name.length - ending.length))}: ${description}`, MAX_CHARS);
}

function asWords(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:\s]+/g, ' ')
    .trim();
}
