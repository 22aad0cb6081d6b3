import type { ExchangeTotals, UpstreamState } from '@winnow/service';

/** The states of the proxy's dependencies. */
export interface LiveStates {
  /** The state of the selector's circuit breaker; undefined if no selector is configured. */
  readonly breaker: 'closed' | 'half_open' | 'open' | undefined;
  readonly sessionStore: 'memory' | 'redis';
  readonly isSessionStoreUp: boolean;
  readonly openExchanges: number;
}

/** The content of the page. */
export interface PlainContent {
  readonly about: { readonly version: string; readonly strategy: string; readonly mode: string };
  readonly totals: ExchangeTotals;
  readonly upstreams: readonly UpstreamState[];
  readonly states: LiveStates;
}

/** Returns the page's totals and states as text, for clients that show no HTML, such as curl. */
export function plainPage({ about, totals, upstreams, states }: PlainContent): string {
  const { tokensBefore, tokensAfter, searches, failedSearches } = totals;
  const share = tokensBefore === 0 ? '' : `, ${Math.round(100 * (1 - tokensAfter / tokensBefore))} % saved`;
  const lines: readonly (readonly [name: string, value: string])[] = [
    ['since', new Date(totals.since).toISOString()],
    ['exchanges', `${totals.exchanges}, ${totals.deferring} with deferred tools, ${totals.failed} failed`],
    [
      'tool tokens',
      `${tokensBefore} sent by clients, ${tokensAfter} forwarded${share} (estimated from bytes)`,
    ],
    ['searches', `${searches}, ${failedSearches} failed`],
    ['open now', String(states.openExchanges)],
    ['selector', states.breaker === undefined ? 'not asked' : `circuit ${states.breaker}`],
    ['sessions', `${states.sessionStore}, ${states.isSessionStoreUp ? 'working' : 'not reachable'}`],
    ...upstreams.map(({ name, isWorking, status, cause, time }): [string, string] => {
      const because = [status, cause].filter((part) => part !== undefined).join(' ');
      return [`upstream ${name}`, `${isWorking ? 'working' : 'failing'} (${because} at ${time})`];
    }),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    `winnow proxy ${about.version}, strategy ${about.strategy}, rollout ${about.mode}`,
    ...lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    'A browser shows every exchange at this address. /_winnow/metrics has metrics, /_winnow/readyz the readiness.',
    '',
  ].join('\n');
}
