import { elementsOf, splice } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { bridgeHistory } from '../../src/bridge/bridge-history.ts';
import type { BridgeDialect } from '../../src/bridge/call-writer.ts';
import type { Plan, RequestView } from '../../src/format/view.ts';

const dialect = {
  writeElement: (text: string) => text.replace('{"name":1}', '"bridge call"'),
} as unknown as BridgeDialect;
const plan = {
  loadMode: 'bridge',
  bridgeTool: { name: 'bridge' },
  defer: [],
  load: [],
  bridged: [],
} as unknown as Plan;
const turns = { recallByTurn: () => [] };
const TEXT = '["a",{"name":1},"b",{"name":1}]';
const [first, second, third, fourth] = elementsOf(TEXT, 0);

function edited(edits: readonly { start: number; end: number; text: string }[]): string {
  const history = elementsOf(TEXT, 0);
  const view = {
    text: TEXT,
    history: JSON.parse(TEXT),
    turns: [],
    spans: { history },
  } as unknown as RequestView;
  const past = { hiddenTurns: [], rounds: [] };
  return splice(TEXT, [...bridgeHistory(view, plan, past, { edits, dialect, turns })]);
}

describe('a history in bridge mode', () => {
  test('has its calls written where nothing else changes', () => {
    expect(edited([])).toBe('["a","bridge call","b","bridge call"]');
  });

  test('holds each element once where an edit replaces several', () => {
    const run = { start: first!.start, end: second!.end, text: '"x",{"name":1}' };
    expect(edited([run])).toBe('["x","bridge call","b","bridge call"]');
    const all = { start: first!.start, end: fourth!.end, text: '{"name":1}' };
    expect(edited([all])).toBe('["bridge call"]');
  });

  test('lacks removed elements, with the comma before or behind them', () => {
    expect(edited([{ start: second!.end, end: third!.end, text: '' }])).toBe(
      '["a","bridge call","bridge call"]',
    );
    expect(edited([{ start: first!.start, end: second!.start, text: '' }])).toBe(
      '["bridge call","b","bridge call"]',
    );
  });
});
