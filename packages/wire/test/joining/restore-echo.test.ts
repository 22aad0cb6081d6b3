import { expect, test } from 'vitest';
import type { Plan } from '../../src/format/view.ts';
import { echoRestorer } from '../../src/joining/restore-echo.ts';
import { fn, planOf, viewOf } from '../openai-responses/exchange.ts';

const VIEW = viewOf({ tools: [fn('a'), fn('offered')], instructions: 'Be  kind.' });
const OWN = JSON.stringify([fn('a')]);
const MEMBERS = { own: ['instructions'], kept: ['output', 'tools'] };
const echo = (instructions: string, ...names: string[]) =>
  JSON.stringify({ id: 'resp_1', instructions, tools: names.map((name) => fn(name)), note: 'x', output: [] });

test('an echo of tools that the proxy has added becomes the tools that the client declared', () => {
  const plan: Plan = { ...planOf('swap', []), searchTool: undefined, offered: ['offered'] };
  const restore = echoRestorer({ ...VIEW, clientTools: OWN }, plan, MEMBERS);
  expect(JSON.parse(restore(echo('Be kind.', 'a', 'offered')))).toMatchObject({
    instructions: 'Be  kind.',
    tools: [fn('a')],
  });
});

test('an echo of unchanged tools stays, and one of hidden tools elsewhere is removed', () => {
  const nothing: Plan = { ...planOf('swap', []), searchTool: undefined };
  expect(JSON.parse(echoRestorer(VIEW, nothing, MEMBERS)(echo('Be  kind.', 'other'))).tools).toEqual([
    fn('other'),
  ]);
  const restore = echoRestorer(VIEW, planOf('swap', ['a']), MEMBERS);
  const told = echo('Be kind.', 'a').replace('"x"', '"gateway_search_tools"');
  expect(JSON.parse(restore(told))).not.toHaveProperty('note');
});
