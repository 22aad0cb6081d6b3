import { elementsOf, memberSpan, textOf } from '@winnow/core';
import type { ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import { isJsonObject } from '../json/json-value.ts';
import { createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader } from '../request/read-body.ts';

/** One element of the history. */
export interface Speech {
  readonly who: string;
  readonly words?: string;
  readonly asks?: readonly Ask[];
  readonly ticket?: string;
}

/** A call. */
export interface Ask {
  readonly ticket: string;
  readonly tool: string;
  readonly with: unknown;
}

/** Reads the parts of a request that Winnow acts on. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'dialogue', tools: 'equipment', readTools }),
  ({ history, tools }, { searchToolName, path }) => {
    const [, model, manner] = /\/([^/]+):(talk|stream)$/.exec(path) ?? [];
    const speeches = history as readonly Speech[];
    const asks = speeches.flatMap((speech) => speech.asks ?? []);
    const said = speeches.filter(({ who }) => who === 'person').map(({ words = '' }) => words);
    return {
      model,
      isStream: manner === 'stream',
      toolChoice: { mode: 'auto', names: [] },
      calledNames: new Set(asks.map(({ tool }) => tool)),
      resultNames: [],
      userTexts: said,
      query: said.at(-1) ?? '',
      firstUserText: said[0] ?? '',
      systemTexts: [],
      openingTexts: said.slice(0, 1),
      turns: speeches.flatMap((speech, position) =>
        speech.who === 'machine'
          ? [{ position, callIds: (speech.asks ?? []).map(({ ticket }) => ticket) }]
          : [],
      ),
      bypass: tools.some(({ name }) => name === searchToolName) ? 'name_collision' : undefined,
    };
  },
);

/** `equipment` is a list of containers, some of which hold a list of abilities. */
function readTools(value: unknown, text: string): ToolSection {
  const lists: ToolList[] = [];
  const entries: ToolEntry[] = [];
  const containers = Array.isArray(value) ? (value as unknown[]) : [];
  elementsOf(text, 0).forEach((container, index) => {
    const definition = containers[index];
    const span = memberSpan(text, container.start, 'abilities');
    if (!isJsonObject(definition) || !Array.isArray(definition.abilities) || span === undefined) return;
    const list = { span, path: [index, 'abilities'] };
    lists.push(list);
    elementsOf(text, span.start).forEach((place, at) => {
      entries.push({
        ...readAbility(definition.abilities, at),
        text: textOf(text, place),
        span: place,
        list,
      });
    });
  });
  return { text, value, lists, entries };
}

function readAbility(abilities: unknown, at: number): Omit<ToolEntry, 'text' | 'span' | 'list'> {
  const definition = (abilities as { label?: string; purpose?: string }[])[at]!;
  const { label: name, purpose: description = '' } = definition;
  return {
    name,
    description,
    definition,
    kind: name === undefined ? 'other' : 'function',
    isCacheMarked: false,
  };
}
