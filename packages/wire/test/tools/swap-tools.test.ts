import { elementsOf, type JsonPath, splice, textOf } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import type { RequestView, ToolEntry, ToolList, ToolSection } from '../../src/format/view.ts';
import { swapTools } from '../../src/tools/swap-tools.ts';

/** A section of containers that may each hold a list of functions, as in some formats. */
function readContainers(text: string): ToolSection {
  const value = JSON.parse(text) as { functions?: { name: string }[] }[];
  const lists: ToolList[] = [];
  const entries: ToolEntry[] = [];
  value.forEach(({ functions }, index) => {
    if (functions === undefined) return;
    const path: JsonPath = [index, 'functions'];
    const start = text.indexOf('[', text.indexOf('"functions"', lists.at(-1)?.span.end ?? 0));
    const spans = elementsOf(text, start);
    const list = { span: { start, end: text.indexOf(']', start) + 1 }, path };
    lists.push(list);
    spans.forEach((span, at) => {
      const { name } = functions[at]!;
      const facts = { description: '', kind: 'function', isCacheMarked: false } as const;
      entries.push({ ...facts, name, definition: functions[at], text: textOf(text, span), span, list });
    });
  });
  return { text, value, lists, entries };
}

function swapped(tools: string, defer: readonly string[], load: readonly string[] = [], searchTool?: string) {
  const section = readContainers(tools);
  const text = `{"tools":${tools}}`;
  const spans = { tools: { start: 9, end: 9 + tools.length } };
  const view = { text, spans, toolSection: section, tools: section.entries } as unknown as RequestView;
  const tool = searchTool === undefined ? undefined : { name: searchTool, description: '' };
  const plan = { loadMode: 'swap', defer, load, searchTool: tool, reason: 'deferred' } as const;
  const edits = swapTools(view, plan, ({ name }) => name);
  return edits.length === 0 ? undefined : splice(text, edits).slice(9, -1);
}

describe('tools in several lists', () => {
  const a = '{"name":"a"}';
  const b = '{"name":"b", "x":1.0}';
  const c = '{"name":"c"}';

  test('lose the deferred ones each, and the last list gets what is added', () => {
    expect(swapped(`[{"functions":[${a},${b}]},{"functions":[${c}]}]`, ['a', 'c'], ['a'], '"S"')).toBe(
      `[{"functions":[${b}]},{"functions":["S",${a}]}]`,
    );
  });

  test('keep every byte of a list that does not change', () => {
    expect(swapped(`[ {"functions" : [ ${a} ]} ,{"functions":[${b},${c}]}]`, ['c'], [], '"S"')).toBe(
      `[ {"functions" : [ ${a} ]} ,{"functions":[${b},"S"]}]`,
    );
  });

  test('lose a container that would hold nothing else', () => {
    expect(swapped(`[{"functions":[${a}]}, {"functions":[${b},${c}]}]`, ['a', 'b'], [], '"S"')).toBe(
      `[{"functions":[${c},"S"]}]`,
    );
  });

  test('keep a container that holds something else', () => {
    expect(swapped(`[{"functions":[${a}],"search":{}},{"functions":[${b}]}]`, ['a'])).toBe(
      `[{"search":{}},{"functions":[${b}]}]`,
    );
  });

  test('stay as they are when nothing would be left', () => {
    expect(swapped(`[{"functions":[${a}]},{"functions":[${b}]}]`, ['a', 'b'])).toBeUndefined();
  });
});
