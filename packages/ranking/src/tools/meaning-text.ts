import { cutText } from '@winnow/core';
import { genericEnding } from '../text/generic-ending.ts';
import type { ToolDocument } from './tool-document.ts';

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
