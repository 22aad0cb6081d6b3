import { describe, expect, it } from 'vitest';
import { VERSION } from '../src/version.ts';
import { connectTo, searchHead } from './raw-exchange.ts';
import { post, start, TOOLS } from './start.ts';

const REQUEST = { pattern: 'weather', tools: TOOLS };

describe('the request id', () => {
  it.each(['abc', 'A.b_c-9', 'x'.repeat(128)])(
    'is taken from the request when it is sane: %s',
    async (id) => {
      const { searchUrl } = await start();
      const { headers } = await post(searchUrl, REQUEST, { 'x-request-id': id });
      expect(headers.get('x-request-id')).toBe(id);
    },
  );

  it.each(['', 'a b', '<script>', 'ü', 'x'.repeat(129), 'a,b', '"'])('is made when it is %j', async (id) => {
    const { searchUrl } = await start();
    const { headers } = await post(searchUrl, REQUEST, { 'x-request-id': id });
    expect(headers.get('x-request-id')).toBe('made-1');
  });

  it('is in every response, including errors', async () => {
    const { url, searchUrl } = await start();
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/nowhere']) {
      expect((await fetch(url + path)).headers.get('x-request-id')).toMatch(/^made-\d+$/);
    }
    expect((await post(searchUrl, 'x')).headers.get('x-request-id')).toMatch(/^made-\d+$/);
  });
});

describe('Server-Timing', () => {
  it('reports the milliseconds of each stage, and whether the index was cached', async () => {
    const { searchUrl } = await start();
    const timing = async () => (await post(searchUrl, REQUEST)).headers.get('server-timing');
    expect(await timing()).toMatch(/^parse;dur=[\d.]+, index;desc=built;dur=[\d.]+, rank;dur=[\d.]+$/);
    expect(await timing()).toMatch(/^parse;dur=[\d.]+, index;desc=cached;dur=[\d.]+, rank;dur=[\d.]+$/);
  });

  it('measures with the clock that it is given', async () => {
    let ticks = 0;
    const { searchUrl } = await start({}, { now: () => ticks++ });
    const { headers } = await post(searchUrl, REQUEST);
    expect(headers.get('server-timing')).toBe('parse;dur=1.000, index;desc=built;dur=1.000, rank;dur=1.000');
  });
});

describe('the log', () => {
  it('has one line for a search, with lengths and hashes and no content', async () => {
    const { searchUrl, logs, close } = await start({}, { now: () => 0 });
    await post(searchUrl, { ...REQUEST, always_keep: ['send_email'] }, { 'x-request-id': 'mine' });
    await close();
    expect(logs()).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        event: 'request',
        requestId: 'mine',
        route: 'search',
        status: 200,
        durationMs: 0,
        tools: 5,
        patternChars: 7,
        // The first letters of `printf weather | sha256sum`.
        patternHash: 'e5e72beb4e3c',
        searchType: 'keyword',
        index: 'built',
        selected: 2,
        noMatch: false,
        certainty: 'found',
      },
    ]);
  });

  it('says why a request was refused, without its content', async () => {
    const { searchUrl, logs, close } = await start();
    await post(searchUrl, '{"secret');
    await close();
    expect(logs()).toMatchObject([{ level: 'info', status: 400, code: 'invalid_json' }]);
    expect(JSON.stringify(logs())).not.toContain('secret');
  });

  it('keeps quiet about probes and scrapes', async () => {
    const { url, logs, close } = await start();
    for (const path of ['/healthz', '/readyz', '/metrics']) await (await fetch(url + path)).text();
    await close();
    expect(logs()).toEqual([]);
  });

  it('reports a client that left', async () => {
    const { url, logs, close } = await start();
    const connection = await connectTo(url);
    connection.write(searchHead({ 'content-length': 100, expect: '100-continue' }));
    await connection.receive(/100 Continue/);
    connection.socket.destroy();
    await close();
    expect(logs()).toMatchObject([{ event: 'request', status: 499 }]);
  });

  it('contains a defect with its place, which the client does not see', async () => {
    let calls = 0;
    const now = () => {
      // The first reading of the clock is the exchange's own; the next is inside the search.
      if (++calls === 2) throw new RangeError('secret');
      return 0;
    };
    const { searchUrl, logs, close } = await start({}, { now });
    const { status, body } = await post(searchUrl, REQUEST);
    await close();
    expect(status).toBe(500);
    expect(body).toEqual({ error: { code: 'internal', message: 'The service failed to respond.' } });
    const at = expect.arrayContaining([expect.stringContaining('observability.integration.test.ts')]);
    expect(logs()).toMatchObject([{ level: 'error', status: 500, error: 'RangeError', at }]);
    expect(JSON.stringify(logs())).not.toContain('secret');
  });
});

describe('GET /metrics', () => {
  const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text();

  it('is in the text format of Prometheus', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toMatch(/^# HELP /);
  });

  it('counts what happened', async () => {
    const { url, searchUrl } = await start({ cacheMaxCatalogues: 1 });
    await post(searchUrl, REQUEST);
    await post(searchUrl, REQUEST);
    const other = { pattern: 'qqqqq', tools: [{ name: 'other' }] };
    await post(searchUrl, other);
    await post(searchUrl, 'x');
    const metrics = await metricsOf(url);
    for (const line of [
      `winnow_build_info{service="selector",version="${VERSION}"} 1`,
      'winnow_requests_total{service="selector",route="search",status="200"} 3',
      'winnow_requests_total{service="selector",route="search",status="400"} 1',
      'winnow_request_seconds_count{service="selector",route="search"} 4',
      'winnow_selector_search_stage_seconds_count{stage="rank",index="built"} 2',
      'winnow_selector_search_stage_seconds_count{stage="rank",index="cached"} 1',
      'winnow_selector_catalogue_lookups_total{result="hit"} 1',
      'winnow_selector_catalogue_lookups_total{result="miss"} 2',
      'winnow_selector_catalogue_builds_total 2',
      'winnow_waiting_requests{service="selector"} 0',
      'winnow_refused_total{service="selector",code="invalid_json"} 1',
      'winnow_refused_total{service="selector",code="overloaded"} 0',
      'winnow_held_body_bytes{service="selector"} 0',
    ]) {
      expect(metrics).toContain(`\n${line}\n`);
    }
  });

  it('shows the process and its event loop', async () => {
    const { url } = await start();
    const metrics = await metricsOf(url);
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(metrics).toContain(name);
    }
  });

  it('does not let requests make up labels', async () => {
    const { url } = await start();
    await fetch(`${url}/made-up-path`, { method: 'PROPFIND' });
    expect(await metricsOf(url)).not.toContain('made-up');
  });
});
