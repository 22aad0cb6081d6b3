import { describe, expect, it } from 'vitest';
import { pickByRelevance } from '../src/exchange/observe-exchange.ts';
import { viewOf } from './request-view.ts';

const TOOLS = ['send_email', 'read_email', 'delete_file', 'get_weather'];

const picksOf = (user: string, { deferred = TOOLS, limit = 5 } = {}) =>
  pickByRelevance({ view: viewOf({ tools: TOOLS, user }), deferred, limit });

describe('pickByRelevance', () => {
  it.each([
    ['the best first', 'read_email: the weather', ['read_email', 'send_email', 'get_weather']],
    ["equal ones in the client's order", 'file, email', ['send_email', 'read_email', 'delete_file']],
    ['no tool without a sign', 'the weather', ['get_weather']],
    ['nothing for words that no tool has', 'hello', []],
  ])('picks %s', (_, user, picks) => {
    expect(picksOf(user)).toEqual(picks);
  });

  it('picks only deferred tools', () => {
    expect(picksOf('email', { deferred: ['read_email'] })).toEqual(['read_email']);
  });

  it('picks no more than a search may return', () => {
    expect(picksOf('email', { limit: 1 })).toEqual(['send_email']);
  });
});
