import { describe, expect, test } from 'vitest';
import { edited, fn, planOf, viewOf } from './exchange.ts';

const GITHUB = { type: 'namespace', name: 'github', description: 'Code.', tools: [fn('list'), fn('create')] };
const MAIL = { type: 'namespace', name: 'mail', description: 'Mail.', tools: [fn('list'), fn('send')] };
const WEB = { type: 'web_search' };

describe('tools of a request', () => {
  test('are distinguished by their namespaces, and only plain functions may be deferred', () => {
    const tools = [
      fn('plain'),
      fn('loaded', { allowed_callers: ['programmatic'] }),
      { type: 'custom', name: 'patch' },
      WEB,
      GITHUB,
      MAIL,
    ];
    const { entries } = viewOf({ tools }).toolSection!;
    expect(entries.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'plain function',
      'loaded other',
      'patch other',
      'undefined other',
      'github.list function',
      'github.create function',
      'mail.list function',
      'mail.send function',
    ]);
  });

  test('are swapped: a namespace without functions goes, and comes back after the search tool', () => {
    const view = viewOf({ tools: [fn('a'), GITHUB, MAIL, WEB] });
    const defer = ['a', 'github.list', 'github.create', 'mail.send'];
    expect(edited(view, planOf('swap', defer)).tools).toEqual([
      { ...MAIL, tools: [fn('list')] },
      WEB,
      search,
    ]);
    const load = ['github.create', 'mail.send', 'a', 'github.list'];
    expect(edited(view, planOf('swap', defer, load)).tools).toEqual([
      { ...MAIL, tools: [fn('list'), fn('send')] },
      WEB,
      search,
      { ...GITHUB, tools: [fn('create'), fn('list')] },
      fn('a'),
    ]);
  });

  test('are left out natively, with the vendor’s tool search in their place', () => {
    const view = viewOf({ tools: [fn('a'), GITHUB, WEB] });
    const plan = planOf('native', ['a', 'github.list', 'github.create'], ['a']);
    const { tools } = edited(view, plan);
    expect(tools).toMatchObject([
      WEB,
      { type: 'tool_search', execution: 'client', parameters: { required: ['queries'] } },
    ]);
    expect(tools).toHaveLength(2);
  });

  test('are declared again natively when the history calls them and no search of it has found them', () => {
    const input = [
      { role: 'user', content: 'Go.' },
      { type: 'function_call', call_id: 'call_1', name: 'create', namespace: 'github', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: '' },
      { type: 'function_call', call_id: 'call_2', name: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_2', output: '' },
    ];
    const view = viewOf({ tools: [fn('a'), GITHUB, WEB], input });
    const plan = planOf('native', ['a', 'github.list', 'github.create'], ['a']);
    expect(edited(view, plan).tools).toMatchObject([
      WEB,
      { type: 'tool_search' },
      { ...GITHUB, tools: [fn('create')] },
    ]);
  });
});

const search = expect.objectContaining({ type: 'function', name: 'gateway_search_tools', strict: true });
