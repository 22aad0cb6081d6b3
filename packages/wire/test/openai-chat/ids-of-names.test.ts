import { expect, test } from 'vitest';
import { readAnswer, viewFor } from '../bridge-contract.ts';
import { BRIDGE, SEARCH } from '../format-fixtures.ts';
import { planOf, runExchange } from '../run-exchange.ts';
import { chatFixtures } from './chat-fixtures.ts';

test.each([true, false])(
  'ids that a server builds from names show the real one (streamed: %s)',
  (isStream) => {
    const write = chatFixtures.writeAnswer!;
    const bridged = JSON.stringify({ name: 'weather_get', arguments: { city: 'Bern' } });
    const answers = [
      {
        id: 'r1',
        calls: [{ id: `functions.${SEARCH}:0`, name: SEARCH, arguments: '{"queries":["weather"]}' }],
      },
      { id: 'r2', calls: [{ id: `functions.${BRIDGE}:1`, name: BRIDGE, arguments: bridged }] },
    ];
    const plan = planOf(['weather_get', 'mail_send'], [], 'bridge');
    const { text } = runExchange(
      chatFixtures.format,
      viewFor(chatFixtures, isStream),
      answers.map(write),
      plan,
    );
    expect(text).not.toMatch(/gateway_/);
    expect(readAnswer(chatFixtures, text, isStream).calls).toMatchObject([
      { id: 'functions.weather_get:1', name: 'weather_get', arguments: { city: 'Bern' } },
    ]);
  },
);
