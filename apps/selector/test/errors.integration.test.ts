import { describe, expect, it } from 'vitest';
import { connectTo, searchHead } from './raw-exchange.ts';
import { post, type ReadResponse, start, TOOLS } from './start.ts';

const errorOf = ({ body }: ReadResponse) =>
  body.error as { code: string; message: string; details?: { path: string; message: string }[] };

describe('an invalid request', () => {
  it.each([
    ['an empty body', ''],
    ['text', 'pull request'],
    ['half of a JSON text', '{"pattern":"x"'],
    ['a trailing comma', '{"pattern":"x","tools":[],}'],
    ['UTF-16', Buffer.from('{"pattern":"x","tools":[]}', 'utf16le')],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['NaN', '{"pattern":"x","top_k":NaN,"tools":[]}'],
    ['a hundred thousand open arrays', '['.repeat(100_000)],
  ])('is invalid_json when it is %s', async (_, body) => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('invalid_json');
  });

  it.each<[string, unknown, string[]]>([
    ['no object', [], ['']],
    ['null', 'null', ['']],
    ['a hundred thousand arrays in each other', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, ['']],
    ['without a pattern', { tools: [] }, ['pattern']],
    ['without tools and catalog_id', { pattern: 'x' }, ['tools']],
    ['with tools that are null', { pattern: 'x', tools: null }, ['tools']],
    ['with tools that are an object', { pattern: 'x', tools: {} }, ['tools']],
    ['with a tool without a name', { pattern: 'x', tools: [{ name: 'a' }, {}] }, ['tools.1.name']],
    [
      'with a definition that is a list',
      { pattern: 'x', tools: [{ name: 'a', definition: [] }] },
      ['tools.0.definition'],
    ],
    ['with top_k 0', { pattern: 'x', tools: [], top_k: 0 }, ['top_k']],
    ['with top_k 1001', { pattern: 'x', tools: [], top_k: 1001 }, ['top_k']],
    ['with top_k 2.5', { pattern: 'x', tools: [], top_k: 2.5 }, ['top_k']],
    ['with top_k as text', { pattern: 'x', tools: [], top_k: '5' }, ['top_k']],
    ['with an unknown search type', { pattern: 'x', tools: [], search_type: 'fuzzy' }, ['search_type']],
    ['with an unknown thing to include', { pattern: 'x', tools: [], include: ['all'] }, ['include.0']],
    ['with an empty catalog_id', { pattern: 'x', tools: [], catalog_id: '' }, ['catalog_id']],
    [
      'wrong in several places',
      { pattern: 1, tools: [{ name: 2 }], always_keep: [3] },
      ['pattern', 'always_keep.0', 'tools.0.name'],
    ],
  ])('is invalid_request when it is %s, and names each path', async (_, body, paths) => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('invalid_request');
    expect(errorOf(answer).details?.map(({ path }) => path)).toEqual(paths);
  });

  it('says once how a tool is written when tools have no name', async () => {
    const { searchUrl } = await start();
    const tools = [{ functionDeclarations: [{ name: 'a' }] }, { parameters: {} }, { name: 'b' }];
    const answer = await post(searchUrl, { pattern: 'x', tools });
    expect(errorOf(answer).details?.map(({ path }) => path)).toEqual(['tools.0.name', 'tools.1.name']);
    expect(JSON.stringify(answer.body).match(/toolSpec/g)).toHaveLength(1);
  });

  it('refuses an invalid schema instead of ignoring it', async () => {
    const { searchUrl } = await start();
    const tools = [{ name: 'a', input_schema: '{}' }];
    const answer = await post(searchUrl, { pattern: 'x', tools });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details?.map(({ path }) => path)).toEqual(['tools.0.input_schema']);
  });

  it('names only the first wrong places, however many there are', async () => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, { pattern: 'x', tools: Array.from({ length: 500 }, () => ({})) });
    expect(errorOf(answer).details).toHaveLength(20);
  });

  it('never gets its own content, a path or a stack back', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, '{"pattern":"secret words');
    expect(body).toEqual({ error: { code: 'invalid_json', message: 'The body is not valid JSON.' } });
  });

  it('is judged alike on a worker', async () => {
    const { searchUrl } = await start();
    const padding = 'x'.repeat(200_000);
    const json = await post(searchUrl, `{"pattern":"x","tools":[],"padding":"${padding}"`);
    expect(errorOf(json).code).toBe('invalid_json');
    const request = await post(searchUrl, { tools: [{}], padding });
    expect(errorOf(request).details?.map(({ path }) => path)).toEqual(['pattern', 'tools.0.name']);
  });
});

describe('a body with a byte order mark', () => {
  it('is read without it', async () => {
    const { searchUrl } = await start();
    const text = `\u{feff}${JSON.stringify({ pattern: 'weather', tools: TOOLS })}`;
    expect((await post(searchUrl, text)).body).toEqual({ selected_names: ['get_weather'] });
  });
});

describe('too many tools', () => {
  it.each([
    ['on the main thread', 0],
    ['on a worker', 200_000],
  ])('are payload_too_large %s', async (_, paddingLength) => {
    const { searchUrl } = await start({ maxTools: 3 });
    const padding = 'x'.repeat(paddingLength);
    const send = (count: number) => post(searchUrl, { pattern: 'x', tools: TOOLS.slice(0, count), padding });
    expect((await send(3)).status).toBe(200);
    const refused = await send(4);
    expect(refused.status).toBe(413);
    expect(errorOf(refused).code).toBe('payload_too_large');
  });

  it('are more than 20,000 by default', async () => {
    const { searchUrl } = await start();
    const tools = Array.from({ length: 20_001 }, (_, number) => ({ name: `t${number}` }));
    expect((await post(searchUrl, { pattern: 'x', tools })).status).toBe(413);
    expect((await post(searchUrl, { pattern: 't1', tools: tools.slice(1) })).status).toBe(200);
  });
});

describe('routes and methods', () => {
  it('responds with not_found for unknown routes', async () => {
    const { url } = await start();
    for (const path of ['/', '/v1', '/v1/tool-discovery/search/', '/HEALTHZ', '/%2e%2e/etc/passwd']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        error: { code: 'not_found', message: 'There is no such route; GET /docs shows all.' },
      });
    }
  });

  it.each([
    ['GET', '/v1/tool-discovery/search', 'POST'],
    ['PUT', '/v1/tool-discovery/search', 'POST'],
    ['OPTIONS', '/v1/tool-discovery/search', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/readyz', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['PATCH', '/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
  ])('answers method_not_allowed for %s %s', async (method, path, allow) => {
    const { url } = await start();
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  it.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])(
    'answers HEAD %s like GET, without a body',
    async (path) => {
      const { url } = await start();
      const response = await fetch(url + path, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    },
  );

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json', 200],
    ['application/json;charset=UTF-8', 200],
    ['Application/JSON; charset="utf-8"', 200],
    ['application/vnd.winnow+json', 200],
  ])('takes %s with %i', async (type, status) => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, { pattern: 'weather', tools: TOOLS }, { 'content-type': type });
    expect(answer.status).toBe(status);
    if (status === 415) expect(errorOf(answer).code).toBe('unsupported_media_type');
  });

  it('reads a body without a content-type as JSON', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    const body = '{"pattern":"x","tools":[]}';
    connection.write(
      `POST /v1/tool-discovery/search HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await connection.receive(/no_match/)).toMatch(/^HTTP\/1.1 200 /);
    connection.socket.destroy();
  });
});

describe('a request that is not HTTP', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a head without end', `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}`],
    ['two lengths', searchHead({ 'content-length': '5, 6' })],
    ['a length and chunks', searchHead({ 'content-length': 5, 'transfer-encoding': 'chunked' })],
  ])('is invalid_request: %s', async (_, text) => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write(text);
    const received = await connection.closed();
    expect(received).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(received).toContain('x-request-id: made-');
    expect(received).toContain('"code":"invalid_request"');
  });

  it.each([
    ['is no host', 'host: a b/c\r\n'],
    ['is missing', ''],
  ])('is invalid_request when the host %s', async (_, host) => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write(`GET /healthz HTTP/1.1\r\n${host}connection: close\r\n\r\n`);
    const received = await connection.closed();
    expect(received).toMatch(/^HTTP\/1.1 400 /);
    expect(received).toContain('x-request-id: made-1');
    expect(received).toContain('"code":"invalid_request"');
  });

  it('need not name a host in HTTP/1.0', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect(await connection.closed()).toMatch(/^HTTP\/1.1 200 .*"alive"/s);
  });

  it('is served despite an unknown expectation', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write('GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: miracles\r\nconnection: close\r\n\r\n');
    expect(await connection.closed()).toMatch(/^HTTP\/1.1 200 .*"alive"/s);
  });
});
