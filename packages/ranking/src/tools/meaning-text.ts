import { cutText } from '../text/cut-text.ts';
import { genericEnding } from '../text/generic-ending.ts';
import type { ParameterText } from './tool-document.ts';

/** What the meaning of a tool is taken from. */
export interface MeaningSubject {
  readonly name: string;
  readonly description: string;
  /** Read where the description is short. */
  readonly parameters: readonly Pick<ParameterText, 'name'>[];
}

/** About what the small embedding models read: 128 to 256 tokens. */
const MAX_CHARS = 1_000;

/** A shorter description says little: about a sentence, and half of all tools. From 80 to 400 the results are the same within chance. */
const SHORT_DESCRIPTION_CHARS = 120;

const MAX_PARAMETERS = 20;

/**
 * The text by which a tool's meaning is known: its name as words, without an ending that says what every tool is, then what it does; where that is said in few words, the names
 * of its parameters, too.
 */
export function meaningText(tool: MeaningSubject): string {
  const { name, description } = tool;
  const ending = genericEnding(name) ?? '';
  const text = `${asWords(name.slice(0, name.length - ending.length))}: ${description}`;
  if (description.length >= SHORT_DESCRIPTION_CHARS) return cutText(text, MAX_CHARS);
  const names = tool.parameters.map((parameter) => parameter.name).filter((parameter) => parameter !== '');
  const list = asWords(names.slice(0, MAX_PARAMETERS).join(', '));
  return cutText(list === '' ? text : `${text} (${list})`, MAX_CHARS);
}

function asWords(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:\s]+/g, ' ')
    .trim();
}
