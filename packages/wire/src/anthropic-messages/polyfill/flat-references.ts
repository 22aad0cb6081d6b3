import type { RequestView } from '../../format/view.ts';
import { withElements } from '../../json/json-members.ts';
import { type Edit, isJsonObject, type JsonObject, textOf } from '../../json/json-splice.ts';

/** The references of a history, turned into text. */
export interface FlatReferences {
  /** Edits that replace the references with text. */
  readonly edits: readonly Edit[];
  /** The referenced tools, in order of first reference. */
  readonly names: ReadonlySet<string>;
}

/** Turns the references in the results of a history into text. */
export function flattenReferences({ text, spans, history }: RequestView): FlatReferences {
  const names = new Set<string>();
  const edits = history.flatMap((message, at): Edit[] => {
    const span = spans.history[at]!;
    const own = textOf(text, span);
    const flat = withoutReferences(own, message, names);
    return flat === own ? [] : [{ ...span, text: flat }];
  });
  return { edits, names };
}

/**
 * Returns a message, given as JSON and parsed, with text in place of the references in its results: `Loaded: a,
 * b.` replaces the first reference of a result. The referenced names are added to `names`.
 */
export function withoutReferences(text: string, message: unknown, names = new Set<string>()): string {
  const blocks = contentOf(message);
  if (!blocks.some(hasReferences)) return text;
  return withElements(text, 'content', (block, at) => {
    const parts = hasReferences(blocks[at]) ? contentOf(blocks[at]) : [];
    const named = parts.filter(isReference).map(({ tool_name: name }) => String(name));
    for (const name of named) names.add(name);
    return withText(block, parts, named);
  });
}

function withText(block: string, parts: readonly unknown[], named: readonly string[]): string {
  if (named.length === 0) return block;
  const first = parts.findIndex(isReference);
  const said = JSON.stringify({ type: 'text', text: `Loaded: ${named.join(', ')}.` });
  return withElements(block, 'content', (part, at) => {
    if (!isReference(parts[at])) return part;
    return at === first ? said : undefined;
  });
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
