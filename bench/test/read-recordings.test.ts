import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCatalogue, readRecordings } from '../src/money/read-recordings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-recordings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, files: Readonly<Record<string, readonly unknown[]>>): void {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, lines] of Object.entries(files)) {
    writeFileSync(join(folder, name, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

test('histories in the Chat format are read, with definitions of tools that have none', () => {
  const call = (id: string, args: string) => ({ id, function: { name: 'desk.look_up', arguments: args } });
  write('desk', {
    'conversations.jsonl': [
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'Who is Pat?' }] },
          { role: 'assistant', content: null, tool_calls: [call('1', '{"name":"Pat"}'), call('2', '')] },
          { role: 'tool', tool_call_id: '2', content: 'none' },
          { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: 'A gardener.' }] },
          { role: 'assistant', content: 'A gardener.' },
          { role: 'user', content: 'Thanks' },
        ],
      },
    ],
  });
  const [desk] = readRecordings(folder, ROOT, ['desk']);
  expect(desk!.conversations[0]!.turns).toEqual([
    {
      user: 'Who is Pat?',
      steps: [
        [
          { name: 't_desk_look_up', input: { name: 'Pat' }, result: 'A gardener.' },
          { name: 't_desk_look_up', input: {}, result: 'none' },
        ],
      ],
      answer: 'A gardener.',
    },
    { user: 'Thanks', steps: [], answer: 'Goodbye.' },
  ]);
  expect(desk!.tools).toEqual([
    {
      name: 't_desk_look_up',
      description: 't desk look up',
      parameters: { type: 'object', properties: { name: { type: 'string' } } },
    },
  ]);
  expect(makeCatalogue(desk!, 20)).toHaveLength(20);
});

test('a line of another shape, a missing set and a catalogue without room are named', () => {
  write('odd', { 'conversations.jsonl': [{ id: 'a', turns: [{ user: 'Hi' }] }] });
  expect(() => readRecordings(folder, ROOT, ['odd'])).toThrow(/odd.conversations\.jsonl:1/);
  expect(() => readRecordings(folder, ROOT, ['none'])).toThrow('no recordings "none"');
  const [desk] = readRecordings(folder, ROOT, ['desk']);
  expect(() => makeCatalogue(desk!, 0)).toThrow('more than 0');
});
