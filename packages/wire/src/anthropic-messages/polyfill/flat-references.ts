import type { RequestView } from '../../format/view.ts';
import {
  type Edit,
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  type Span,
  textOf,
} from '../../json/json-splice.ts';

/** The references of a history, turned into text. */
export interface FlatReferences {
  /** Edits that replace the references with text. */
  readonly edits: readonly Edit[];
  /** The referenced tools, in order of first reference. */
  readonly names: ReadonlySet<string>;
}

/**
 * Turns the references in the results of a history into text: `Loaded: a, b.` replaces the first reference of
 * a result.
 */
export function flattenReferences({ text, spans, history }: RequestView): FlatReferences {
  const names = new Set<string>();
  const edits = history.flatMap((message, at) => {
    const blocks = contentOf(message);
    if (!blocks.some(hasReferences)) return [];
    const places = contentPlaces(text, spans.history[at]!);
    return blocks.flatMap((block, place): Edit[] => {
      if (!hasReferences(block)) return [];
      const parts = contentOf(block);
      const named = parts.filter(isReference).map(({ tool_name: name }) => String(name));
      for (const name of named) names.add(name);
      const list = memberSpan(text, places[place]!.start, 'content')!;
      return [{ ...list, text: withText(elementTexts(text, list), parts, named) }];
    });
  });
  return { edits, names };
}

function withText(texts: readonly string[], parts: readonly unknown[], named: readonly string[]): string {
  const first = parts.findIndex(isReference);
  const said = JSON.stringify({ type: 'text', text: `Loaded: ${named.join(', ')}.` });
  const kept = texts.flatMap((text, at) => (at === first ? [said] : isReference(parts[at]) ? [] : [text]));
  return `[${kept.join(',')}]`;
}

function hasReferences(block: unknown): boolean {
  return isJsonObject(block) && block.type === 'tool_result' && contentOf(block).some(isReference);
}

function isReference(part: unknown): part is JsonObject {
  return isJsonObject(part) && part.type === 'tool_reference';
}

/**
 * Returns the elements of the content of a message or result; an empty list when the content is not a list.
 */
function contentOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) && Array.isArray(value.content) ? value.content : [];
}

function contentPlaces(text: string, { start }: Span): Span[] {
  return elementsOf(text, memberSpan(text, start, 'content')!.start);
}

function elementTexts(text: string, { start }: Span): string[] {
  return elementsOf(text, start).map((span) => textOf(text, span));
}
