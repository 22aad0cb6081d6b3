import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { connectTo, searchHead } from './raw-exchange.ts';
import { post, type ReadResponse, start, TOOLS } from './start.ts';

const REQUEST = JSON.stringify({ pattern: 'weather', tools: TOOLS });
const FOUND = { selected_names: ['get_weather'] };
const codeOf = ({ body }: ReadResponse) => (body.error as { code: string } | undefined)?.code;

describe('compressed bodies', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('are read: %s', async (encoding, compress) => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, compress(REQUEST), { 'content-encoding': encoding });
    expect(answer.body).toEqual(FOUND);
  });

  it('are recognised like plain ones', async () => {
    const { searchUrl } = await start();
    await post(searchUrl, REQUEST);
    const again = JSON.stringify({ pattern: 'mail', include: ['metadata'], tools: TOOLS });
    const { body } = await post(searchUrl, gzipSync(again), { 'content-encoding': 'gzip' });
    expect(body.search_metadata).toMatchObject({ index: 'cached' });
  });

  it.each(['gzip, br', 'gzip, gzip', 'compress', 'aes128gcm'])('are refused as %s', async (encoding) => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, REQUEST, { 'content-encoding': encoding });
    expect(answer.status).toBe(415);
    expect(answer.headers.get('accept-encoding')).toBe('gzip, br, zstd, deflate');
    expect(codeOf(answer)).toBe('unsupported_media_type');
  });

  it.each([
    ['gzip', Buffer.from(REQUEST)],
    ['gzip', gzipSync(REQUEST).subarray(0, -9)],
    ['br', brotliCompressSync(REQUEST).subarray(0, -3)],
    ['zstd', zstdCompressSync(REQUEST).subarray(0, -3)],
    ['deflate', Buffer.from(REQUEST)],
  ])('are invalid_json when they are broken: %s', async (encoding, body) => {
    const { searchUrl } = await start();
    const answer = await post(searchUrl, body, { 'content-encoding': encoding });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('invalid_json');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
  ])('are stopped at the cap on what they unpack to: %s', async (encoding, compress) => {
    const { searchUrl } = await start();
    const bomb = compress(Buffer.alloc(64 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    const answer = await post(searchUrl, bomb, { 'content-encoding': encoding });
    expect(answer.status).toBe(413);
    expect(codeOf(answer)).toBe('payload_too_large');
  });
});

describe('the cap on a body', () => {
  const padded = (length: number) => REQUEST + ' '.repeat(length - REQUEST.length);

  it('accepts a body of exactly its size', async () => {
    const { searchUrl } = await start({ maxBodyBytes: 1_000 });
    expect((await post(searchUrl, padded(1_000))).body).toEqual(FOUND);
    expect((await post(searchUrl, padded(1_001))).status).toBe(413);
  });

  it('refuses an announced length before the body is sent', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write(searchHead({ 'content-length': 16 * 1024 * 1024 + 1 }));
    expect(await connection.receive(/\}\}/)).toMatch(/^HTTP\/1.1 413 [\s\S]*payload_too_large/);
    connection.socket.destroy();
  });

  it('refuses a body without an announced length while it arrives', async () => {
    const { url } = await start({ maxBodyBytes: 1_000 });
    const connection = await connectTo(url);
    connection.write(searchHead({ 'transfer-encoding': 'chunked' }));
    connection.write(`3e9\r\n${padded(1_001)}\r\n`);
    expect(await connection.receive(/\}\}/)).toMatch(/^HTTP\/1.1 413 [\s\S]*payload_too_large/);
    connection.socket.destroy();
  });

  it('lets a client that sends everything first read the refusal', async () => {
    const { searchUrl } = await start({ maxBodyBytes: 1_000 });
    expect((await post(searchUrl, ' '.repeat(4_000_000))).status).toBe(413);
  });
});

describe('a body that arrives in pieces', () => {
  it('is read when it arrives byte by byte, in chunks', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write(searchHead({ 'transfer-encoding': 'chunked' }));
    for (const byte of REQUEST) connection.write(`1\r\n${byte}\r\n`);
    connection.write('0\r\n\r\n');
    expect(await connection.receive(/\}$/)).toContain(JSON.stringify(FOUND));
    connection.socket.destroy();
  });

  it('times out with request_timeout when it does not end', async () => {
    const { url } = await start({ requestTimeoutMs: 30 });
    const connection = await connectTo(url);
    connection.write(searchHead({ 'content-length': 100 }));
    connection.write('{"pattern":');
    const received = await connection.closed();
    expect(received).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(received).toContain('"code":"request_timeout"');
  });

  it('times out with request_timeout when its head does not end', async () => {
    const { url } = await start({ requestTimeoutMs: 30 });
    const connection = await connectTo(url);
    connection.write('POST /v1/tool-discovery/search HTTP/1.1\r\nhost:');
    const received = await connection.closed();
    expect(received).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(received).toContain('"code":"request_timeout"');
  });
});

describe('a connection', () => {
  it('serves pipelined requests in order', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    const one = (pattern: string) => {
      const body = JSON.stringify({ pattern, tools: TOOLS });
      return searchHead({ 'content-length': body.length }) + body;
    };
    connection.write(one('weather') + one('mail') + one('issues'));
    const received = await connection.receive(/list_issues/);
    expect([...received.matchAll(/"selected_names":\["(\w+)"/g)].map((found) => found[1])).toEqual([
      'get_weather',
      'send_email',
      'list_issues',
    ]);
    connection.socket.destroy();
  });

  it('serves the next request after a refused one', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write(`${searchHead({ 'content-length': 4 })}{"a"`);
    await connection.receive(/invalid_json/);
    connection.write(searchHead({ 'content-length': REQUEST.length }) + REQUEST);
    expect(await connection.receive(/get_weather/)).toContain('HTTP/1.1 200 OK');
    connection.socket.destroy();
  });

  it('gets 100 Continue before it sends an accepted body', async () => {
    const { url } = await start();
    const connection = await connectTo(url);
    connection.write(searchHead({ 'content-length': REQUEST.length, expect: '100-continue' }));
    expect(await connection.receive(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.write(REQUEST);
    expect(await connection.receive(/\}$/)).toContain(JSON.stringify(FOUND));
    connection.socket.destroy();
  });

  it('gets the refusal at once when its body is not accepted', async () => {
    const { url } = await start({ tokens: ['right'] });
    const connection = await connectTo(url);
    connection.write(searchHead({ 'content-length': REQUEST.length, expect: '100-continue' }));
    expect(await connection.receive(/\}\}/)).toMatch(/^HTTP\/1.1 401 /);
    connection.socket.destroy();
  });
});

describe('more requests than may wait', () => {
  it('are overloaded, and are served when there is room again', async () => {
    const { url, searchUrl } = await start({ maxWaiting: 1 });
    const slow = await connectTo(url);
    slow.write(searchHead({ 'content-length': REQUEST.length, expect: '100-continue' }));
    await slow.receive(/100 Continue/);

    const refused = await post(searchUrl, REQUEST);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(codeOf(refused)).toBe('overloaded');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    slow.write(REQUEST);
    await slow.receive(/get_weather/);
    expect((await post(searchUrl, REQUEST)).body).toEqual(FOUND);
    slow.socket.destroy();
  });

  it('do not count requests whose client has left', async () => {
    const { url, searchUrl, logs } = await start({ maxWaiting: 1 });
    const slow = await connectTo(url);
    slow.write(searchHead({ 'content-length': REQUEST.length, expect: '100-continue' }));
    await slow.receive(/100 Continue/);
    slow.socket.destroy();
    // The server learns of it in its own time: ask until there is room.
    while ((await post(searchUrl, REQUEST)).status === 503);
    expect(logs().some(({ status }) => status === 499)).toBe(true);
  });
});
