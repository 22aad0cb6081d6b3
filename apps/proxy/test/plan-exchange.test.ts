import { FORMATS } from '@winnow/wire';
import { expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { asSent, planExchange } from '../src/exchange/plan-exchange.ts';
import type { ProxyContext } from '../src/proxy-context.ts';
import { LoadModes } from '../src/strategies/load-modes.ts';
import { type TestTool, viewOf } from './request-view.ts';

/** Why these tools are deferred or not. */
function reasonFor(tools: readonly TestTool[]): string {
  const outcome = readConfig({ environment: {} });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  const upstream = { name: 'anthropic', vendor: 'anthropic', origin: '', basePath: '', apiKey: '' } as const;
  const context: Partial<ProxyContext> = {
    settings: outcome.config.settings,
    loadModes: new LoadModes('swap'),
    onDefect: (error) => {
      throw error;
    },
  };
  const source = { view: viewOf({ tools }), session: { loaded: [], hiddenTurns: [] } };
  return planExchange({ ...source, format: FORMATS[0]!, upstream }, context as ProxyContext).reason;
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `t${number}`);

it('leaves a request with more than 20,000 tools alone', () => {
  expect(reasonFor(names(20_000))).toBe('deferred');
  expect(reasonFor(names(20_001))).toBe('too_many_tools');
});

it('leaves a request with more than 16 MiB of tools alone', () => {
  const described = (mebibytes: number) => [
    { name: 'long', description: 'x'.repeat(mebibytes * 1024 * 1024) },
    { name: 'short' },
  ];
  expect(reasonFor(described(15))).toBe('deferred');
  expect(reasonFor(described(16))).toBe('too_many_tools');
});

it.each([
  ['native', ['before']],
  ['swap', ['before', 'found']],
] as const)('sends, in %s mode, %j as loaded after a search', (loadMode, load) => {
  const first = { loadMode, defer: ['before', 'found'], load: ['before'], searchTool: undefined, reason: '' };
  expect(asSent({ ...first, load: ['before', 'found'] }, first).load).toEqual(load);
});
