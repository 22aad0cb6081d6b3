import { describe, expect, it } from 'vitest';
import { measureTasks, taskMarks } from '../../src/preload/measure-tasks.ts';
import { splitClauses, tasksOf } from '../../src/preload/tasks-of.ts';
import type { RetrievalSet, SetQuery } from '../../src/retrieval/read-sets.ts';

const query = (id: string, text: string, ...gold: string[]): SetQuery => ({
  id,
  text,
  gold: new Set(gold),
  candidates: undefined,
});

const setOf = (name: string, tools: readonly string[], ...queries: SetQuery[]): RetrievalSet => ({
  name,
  tools: tools.map((tool) => ({ name: tool, description: '', parameters: undefined })),
  queries,
  warnings: [],
});

describe('tasks', () => {
  it('are dialogues in order, whose turns are steps', () => {
    const tools = ['send_mail', 'read_file'];
    const set = setOf(
      'bfcl-mt',
      tools,
      query('one-1', 'mail it', 'send_mail'),
      query('one-0', 'read the file', 'read_file'),
      query('two-1', 'no first turn', 'read_file'),
    );
    expect(tasksOf(set)).toEqual([
      {
        first: 'read the file',
        steps: [
          { text: 'read the file', tools: ['read_file'] },
          { text: 'mail it', tools: ['send_mail'] },
        ],
      },
    ]);
  });

  it('are requests, whose tools are steps in the words at their place', () => {
    const text = 'Find flights to London and find hotels in Rome.';
    const set = setOf('nestful', ['a', 'b', 'c'], query('1', text, 'a', 'b', 'c'));
    const [task] = tasksOf(set);
    expect(task!.first).toBe(text);
    expect(task!.steps).toEqual([
      { text: 'Find flights to London', tools: ['a'] },
      { text: 'Find flights to London', tools: ['b'] },
      { text: 'find hotels in Rome.', tools: ['c'] },
    ]);
  });

  it('have clauses of three words at least', () => {
    expect(splitClauses('Hi, please book a table. Then call me back; thanks')).toEqual([
      'Hi please book a table.',
      'Then call me back; thanks',
    ]);
    expect(splitClauses('hello')).toEqual(['hello']);
  });
});

describe('the tasks bench', () => {
  it('counts the tasks with all their tools after each number of searches', async () => {
    const others = Array.from({ length: 30 }, (_, place) => `gauge_${String.fromCharCode(97 + place)}x`);
    const set = setOf(
      'bfcl-mt',
      ['send_mail', 'read_file', 'weather_now', ...others],
      query('one-0', 'read the file', 'read_file'),
      query('one-1', 'send a mail', 'send_mail'),
      query('two-0', 'read the file', 'read_file'),
      query('two-1', 'what has no word of it', 'weather_now'),
      query('two-2', 'the weather now', 'weather_now'),
    );
    const measured = await measureTasks(set);
    expect(measured).toMatchObject({ tasks: 2, tools: 33, needs: 2 });
    for (const { complete, tokens } of measured.ways) {
      // The first dialogue needs one search. The second finds its tool by its second one.
      expect(complete).toEqual([0, 0.5, 1, 1]);
      expect(tokens).toBeGreaterThan(0);
    }
    expect(taskMarks([measured]).map(({ isMet }) => isMet)).toEqual([false, true]);
  });
});
