import { describe, expect, test } from 'vitest';
import type { LoadMode, Round } from '../src/index.ts';
import {
  bridged,
  MAIL,
  readAnswer,
  readable,
  SEARCHING,
  viewFor,
  WEATHER,
  type Write,
  type WrittenCall,
} from './bridge-contract.ts';
import { BRIDGE, type FormatFixtures, SEARCH } from './format-fixtures.ts';
import { planOf, runExchange } from './run-exchange.ts';

/** The ways in which models and servers write a name that is one of ours. */
export const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => `functions.${name}`,
  (name) => `default_api:${name}`,
  (name) => `default_api.${name}`,
  (name) => `tools.${name}`,
  (name) => `functions.functions::${name}`,
  (name) => name.replaceAll(/(?:^|(?<=_))./g, (letter) => letter.toUpperCase()),
  (name) => name.replaceAll('_', '-'),
  (name) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  (name) => ` ${name} `,
  (name) => `${name}<|channel|>commentary`,
];

const MODES: readonly LoadMode[] = ['swap', 'native', 'bridge'];

/** Tests that a call of a hidden tool stays hidden however the model spells the tool's name. */
export function testSpellings(fixtures: FormatFixtures): void {
  const { writeAnswer } = fixtures;
  if (writeAnswer === undefined) return;
  describe.each([true, false])('misspelt names of hidden tools (streamed: %s)', (isStream) => {
    testSearches(fixtures, writeAnswer, isStream);
    testBridgeTool(fixtures, writeAnswer, isStream);
  });
}

function testSearches(fixtures: FormatFixtures, write: Write, isStream: boolean): void {
  const modes = MODES.filter((mode) => fixtures.format.loading.modes.includes(mode));
  const run = (loadMode: LoadMode, calls: readonly WrittenCall[], more: readonly string[] = []) =>
    runExchange(
      fixtures.format,
      viewFor(fixtures, isStream, undefined, more),
      [write({ id: 'response_1', calls })],
      planOf(['weather_get', 'mail_send'], [], loadMode),
      fixtures.framing,
    );
  const misspelt = (name: string) => ({ ...SEARCHING, name });

  // A provider refuses a history with any other name.
  test.each(modes)('are searches under the right name: %s', (mode) => {
    for (const name of SPELLINGS.map((spell) => spell(SEARCH))) {
      const { rounds, text } = run(mode, [misspelt(name)]);
      expect(rounds.map(parsed), name).toEqual(run(mode, [SEARCHING]).rounds.map(parsed));
      expect(rounds, name).toMatchObject([{ turn: { searches: [{ queries: ['mail'] }], realCalls: [] } }]);
      expect(readable(fixtures, text)).not.toMatch(/gateway/i);
    }
  });

  test.each(modes)('stay hidden next to a call: %s', (mode) => {
    const { text, ends } = run(mode, [misspelt(`functions.${SEARCH}`), WEATHER]);
    expect(ends).toMatchObject([{ turn: { searches: [{ queries: ['mail'] }] } }]);
    expect(readAnswer(fixtures, text, isStream).calls).toMatchObject([{ name: 'weather_get' }]);
  });

  test.each(modes)('belong to the client that has declared them: %s', (mode) => {
    for (const name of ['gateway-search-tools', 'Gateway_Search_Tools']) {
      const { text, ends } = run(mode, [misspelt(name)], ['gateway-search-tools', 'Gateway_Search_Tools']);
      expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [], realCalls: [{ name }] } }]);
      expect(readAnswer(fixtures, text, isStream).calls).toMatchObject([{ name }]);
    }
  });

  test.each(modes)('may be longer words of other tools: %s', (mode) => {
    for (const name of [`${SEARCH}_v2`, `my_${SEARCH}`]) {
      expect(run(mode, [misspelt(name)]).ends).toMatchObject([{ turn: { realCalls: [{ name }] } }]);
    }
  });
}

function testBridgeTool(fixtures: FormatFixtures, write: Write, isStream: boolean): void {
  const plan = planOf(['weather_get', 'mail_send'], [], 'bridge');
  const run = (calls: readonly WrittenCall[]) => {
    const view = viewFor(fixtures, isStream);
    const answered = runExchange(
      fixtures.format,
      view,
      [write({ id: 'response_1', calls })],
      plan,
      fixtures.framing,
    );
    expect(readable(fixtures, answered.text)).not.toMatch(/gateway/i);
    return answered;
  };

  test('are calls through the bridge tool', () => {
    const direct = run([bridged(WEATHER), bridged(MAIL)]);
    for (const name of SPELLINGS.map((spell) => spell(BRIDGE))) {
      const { text, rounds } = run([{ ...bridged(WEATHER), name }, bridged(MAIL)]);
      expect(readAnswer(fixtures, text, isStream), name).toEqual(readAnswer(fixtures, direct.text, isStream));
      expect(rounds.map(parsed)).toEqual(direct.rounds.map(parsed));
    }
  });

  test('are answered by the proxy when they cannot work', () => {
    const unknown = bridged({ ...WEATHER, name: 'no_such_tool' });
    expect(run([{ ...unknown, name: `functions.${BRIDGE}` }]).ends).toMatchObject([
      { kind: 'searching', turn: { searches: [{ name: BRIDGE, input: { name: 'no_such_tool' } }] } },
    ]);
  });

  test.each(['functions.weather_get', 'default_api:weather_get', 'tools.weather_get'])(
    'may stand before the name of the tool in the call: %s',
    (name) => {
      const { text } = run([bridged({ ...WEATHER, name })]);
      expect(readAnswer(fixtures, text, isStream).calls).toMatchObject([{ name: 'weather_get' }]);
    },
  );
}

/** A round, whatever the white space in its message. */
function parsed({ turn, results }: Round) {
  return { ...turn, message: JSON.parse(turn.message) as unknown, results };
}
