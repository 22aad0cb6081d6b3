import { describe, expect, it } from 'vitest';
import { fromVariable, readVariables, setting } from '../../src/index.ts';

const TABLE = {
  port: fromVariable('PORT', setting.wholeNumber(0, 65_535, 80)),
  tokens: fromVariable('LIBRARY_TOKENS', setting.bearerTokens()),
  maxLoans: fromVariable('LIBRARY_MAX_LOANS', setting.wholeNumber(1, Number.POSITIVE_INFINITY, 10)),
};

const read = (environment: Record<string, string>) =>
  readVariables(TABLE, environment, { service: 'LIBRARY', product: 'TOWN' });

describe('readVariables', () => {
  it('gives the default of everything that is not set, or empty', () => {
    expect(read({ PORT: '' })).toEqual({ values: { port: 80, tokens: [], maxLoans: 10 }, problems: [] });
  });

  it('reads what is set', () => {
    const environment = { PORT: '0', LIBRARY_TOKENS: 'first, second', LIBRARY_MAX_LOANS: '3' };
    expect(read(environment).values).toEqual({ port: 0, tokens: ['first', 'second'], maxLoans: 3 });
  });

  it('refuses empty tokens, which would open the service', () => {
    expect(read({ LIBRARY_TOKENS: '' }).problems).toEqual([
      'LIBRARY_TOKENS must be a comma-separated list of bearer tokens, none of them empty; leave it out to need none.',
    ]);
  });

  it('names the variable and what is allowed, and never repeats a value', () => {
    expect(read({ PORT: 'hunter2', LIBRARY_MAX_LOANS: '0' }).problems).toEqual([
      'PORT must be a whole number from 0 to 65535.',
      'LIBRARY_MAX_LOANS must be a whole number from 1.',
    ]);
  });

  it('names the nearest setting for a variable of the service that does not exist', () => {
    expect(read({ LIBRARY_TOKEN: 'a', OTHER_TOKEN: 'b' }).problems).toEqual([
      'LIBRARY_TOKEN is not a setting; the nearest one is LIBRARY_TOKENS.',
    ]);
  });

  it('refuses a setting under the prefix of the product, and leaves other variables of the product alone', () => {
    expect(read({ TOWN_MAX_LOANS: '1', TOWN_CINEMA: 'a' }).problems).toEqual([
      'TOWN_MAX_LOANS is not a setting; the nearest one is LIBRARY_MAX_LOANS.',
    ]);
  });

  it.each(['LIBRARY_SERVICE_HOST', 'LIBRARY_PORT', 'LIBRARY_PORT_80_TCP_ADDR', 'TOWN_TWO_SERVICE_PORT_HTTP'])(
    'leaves %s to the cluster',
    (variable) => {
      expect(read({ [variable]: 'x' }).problems).toEqual([]);
    },
  );
});
