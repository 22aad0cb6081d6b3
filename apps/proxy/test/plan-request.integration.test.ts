import { FORMATS, vendorNamed } from '@winnow/wire';
import { expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { STRATEGIES } from '../src/strategies/index.ts';
import { LoadModes } from '../src/strategies/load-modes.ts';
import { planRequest } from '../src/strategies/plan-request.ts';
import { type TestTool, viewOf } from './request-view.ts';

/** Explains why these tools are deferred or not. */
function reasonFor(tools: readonly TestTool[]): string {
  const outcome = readConfig({ environment: {} });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  const upstream = {
    name: 'anthropic',
    vendor: vendorNamed('anthropic'),
    origin: '',
    basePath: '',
    auth: { kind: 'forward' },
    retryAttempts: 0,
    idleTimeoutMs: 0,
    load: 'swap',
  } as const;
  const { settings } = outcome.config;
  const planner = {
    strategy: STRATEGIES['tool-search'].configure(settings),
    loadModes: new LoadModes({ now: () => 0, say: () => {} }),
    onDefect: (error: unknown) => {
      throw error;
    },
  };
  const source = { view: viewOf({ tools }), hiddenTurns: [], verdict: undefined, tenant: '' };
  return planRequest({ ...source, format: FORMATS[0]!, upstream }, planner).reason;
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `t${number}`);

it('leaves a request with more than 20,000 tools alone', () => {
  expect(reasonFor(names(20_000))).toBe('deferred');
  expect(reasonFor(names(20_001))).toBe('too_many_tools');
});

it('leaves a request with more than 16 MiB of tools alone', () => {
  const described = (mebibytes: number) => [
    { name: 'long', description: 'x'.repeat(mebibytes * 1024 * 1024) },
    ...names(10).map((name) => ({ name })),
  ];
  expect(reasonFor(described(15))).toBe('deferred');
  expect(reasonFor(described(16))).toBe('too_many_tools');
});
