import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { planOf, viewOf } from '../run-exchange.ts';

const LONG = 'Does. é '.repeat(700);
const tools = (writeTool: (name: string) => string) => `[ ${['a', 'b'].map(writeTool).join(' ,')} ]`;
const CHAT_TOOLS = tools(
  (name) => `{"type":"function" ,"x":1.0,"function":{"name":"${name}","description":"${LONG}"}}`,
);
const MESSAGES_TOOLS = tools(
  (name) => `{"name":"${name}" ,"x":1.0,"description":"${LONG}","input_schema":{}}`,
);

const BEFORE = '\ufeff{ "x" : "世界", "tools" : ';
const BEHIND = ' , "model":"m","stream":true,"messages":[{"role":"user","content":"ü"}]}';
const MESSAGE = '{"role":"assistant","content":"ö"}';
const ROUND = { turn: { message: MESSAGE, realCalls: [], searches: [] }, results: [] };

describe.each([
  { format: openaiChat, known: CHAT_TOOLS },
  { format: anthropicMessages, known: MESSAGES_TOOLS },
])('a request of $format.name whose tools are known', ({ format, known }) => {
  const body = `${BEFORE}${known}${BEHIND}`;
  const read = () => {
    viewOf(format, body);
    const view = viewOf(format, body);
    expect(view.toolBytes).toBeDefined();
    return view;
  };
  const edit = (plan = planOf([]), rounds = [ROUND]) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      format.editing.editRequest(read(), plan, { hiddenTurns: [], rounds }),
    );
  const none = { ...planOf([]), searchTool: undefined };

  test('does not hold their text', () => {
    expect(read().text.length).toBeLessThan(200);
    expect(read().tools.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('keeps every byte of tools that are not edited', () => {
    expect(edit(none).startsWith(`${BEFORE}${known}`)).toBe(true);
    expect(edit(none)).toContain(`{"role":"user","content":"ü"},${MESSAGE}`);
  });

  test('keeps every byte around tools that are', () => {
    const edited = edit(planOf(['a']), []);
    expect(edited.startsWith(`${BEFORE}[`)).toBe(true);
    expect(edited.includes(' , "model":"m","stream":true,"messages":[{"role":"user","content":"ü"}]')).toBe(
      true,
    );
    expect(edited.includes('"name":"a"')).toBe(false);
    expect(JSON.parse(edited.slice(1)).tools).toHaveLength(2);
  });

  test('is not taken for one in which they stand elsewhere', () => {
    read();
    const inner = `{"messages":[{"role":"user","content":"x","tools":${known}}],"tools":${known.replace('1.0', '1.1')}}`;
    const view = viewOf(format, inner);
    expect(view.toolBytes).toBeUndefined();
    expect(view.tools.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(viewOf(format, `{"messages":[],"x":{"tools":${known}}}`).tools).toEqual([]);
  });

  test('is found after a key that stands elsewhere too', () => {
    read();
    const view = viewOf(format, `{"messages":[{"role":"user","content":"x","tools":[]}],"tools":${known}}`);
    expect(view.toolBytes).toBeDefined();
  });
});
