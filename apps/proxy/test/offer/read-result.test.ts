import { describe, expect, test } from 'vitest';
import { readResult } from '../../src/offer/read-result.ts';

const result = (value: object) => readResult({ jsonrpc: '2.0', id: 1, result: value });
const text = (said: string) => ({ type: 'text', text: said });

describe('the result of the registry for the model', () => {
  test('is the text of its blocks', () => {
    expect(result({ content: [text('one'), text('two')], structuredContent: { a: 1 } })).toEqual({
      outcome: 'ok',
      text: 'one\ntwo',
    });
  });

  test('names the kind of blocks that are not text, without their content', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    expect(result({ content: [text('See:'), image] })?.text).toBe(
      'See:\n[The tool also gave something that is not text: image, image/png. It cannot be shown here.]',
    );
  });

  test('is the structured content if there is no other', () => {
    expect(result({ content: [], structuredContent: { a: 1 } })?.text).toBe('{"a":1}');
    expect(result({ content: [] })?.text).toBe('The tool answered with nothing.');
  });

  test.each([
    ['not_read_only: x was not called', 'not_read_only'],
    ['input_required: x asks', 'input_required'],
    ['unknown_tool: x', 'tool_error'],
    ['It failed.', 'tool_error'],
  ])('is an error with its code: %s', (said, outcome) => {
    expect(result({ content: [text(said)], isError: true })).toEqual({ outcome, text: said });
  });

  test('is not an error because its text looks like one', () => {
    expect(result({ content: [text('not_read_only: as an example')] })?.outcome).toBe('ok');
  });

  test("is the protocol's own error", () => {
    expect(readResult({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool' } })).toEqual({
      outcome: 'tool_error',
      text: 'error: Unknown tool',
    });
  });

  test('is cut if it is long, and says by how much', () => {
    const read = result({ content: [text(`${'x'.repeat(31_999)}😀${'y'.repeat(100)}`)] })!;
    expect(read.text.length).toBeLessThan(32_100);
    expect(read.text.isWellFormed()).toBe(true);
    expect(read.text).toContain('[101 more characters were cut.');
  });

  test.each([
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { result: 7 },
    { result: {} },
    { result: { content: 'no' } },
  ])('is undefined for %j', (message) => {
    expect(readResult(message)).toBeUndefined();
  });
});
