import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { connectTo, searchHead } from './raw-exchange.ts';
import { post, type ReadResponse, start, TOOLS } from './start.ts';

const FOUND = { selected_names: ['get_weather'] };
const REQUEST = JSON.stringify({ pattern: 'weather', tools: TOOLS });
const codeOf = ({ body }: ReadResponse) => (body.error as { code: string } | undefined)?.code;

describe('bytes held by all bodies together', () => {
  it('refuse a body that does not fit, and are free again afterwards', async () => {
    const { url, searchUrl } = await start({ maxHeldBytes: 115_000 });
    const other = await connectTo(url);
    other.write(searchHead({ 'content-length': 60_000 }) + ' '.repeat(55_000));
    // The other body is held once the next request on its own connection was read.
    await expect.poll(async () => codeOf(await post(searchUrl, REQUEST))).toBe('overloaded');
    const answer = await post(searchUrl, REQUEST);
    expect(answer.headers.get('retry-after')).toBe('1');
    other.socket.destroy();
    await expect.poll(async () => (await post(searchUrl, REQUEST)).body).toEqual(FOUND);
  });

  it('count what a compressed body unpacks to', async () => {
    const { searchUrl } = await start({ maxHeldBytes: 100_000 });
    const bomb = gzipSync(Buffer.alloc(1_000_000, 32));
    const answer = await post(searchUrl, bomb, { 'content-encoding': 'gzip' });
    expect(codeOf(answer)).toBe('overloaded');
  });
});

describe('a refused body', () => {
  it('is drained, so that the next request on the connection is served', async () => {
    const { url } = await start({ maxBodyBytes: 1_000 });
    const connection = await connectTo(url);
    connection.write(searchHead({ 'content-length': 5_000 }) + 'x'.repeat(5_000));
    await connection.receive(/payload_too_large/);
    connection.write(searchHead({ 'content-length': REQUEST.length }) + REQUEST);
    await connection.receive(/get_weather/);
    connection.socket.destroy();
  });

  it('is answered once when its client leaves in the middle of it', async () => {
    const { url } = await start({ maxBodyBytes: 1_000 });
    const connection = await connectTo(url);
    connection.write(`${searchHead({ 'content-length': 5_000 })}not all of it`);
    await connection.receive(/payload_too_large/);
    connection.socket.end();
    expect((await connection.closed()).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('ends the connection when it never ends', async () => {
    const { url } = await start({ maxBodyBytes: 1_000 });
    const connection = await connectTo(url);
    connection.write(searchHead({ 'transfer-encoding': 'chunked' }));
    const piece = Buffer.alloc(64 * 1024, 'x');
    const chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]);
    const send = () => {
      while (!connection.socket.destroyed && connection.socket.write(chunk));
    };
    connection.socket.on('drain', send);
    send();
    await connection.receive(/payload_too_large/);
    await expect.poll(() => connection.socket.closed).toBe(true);
  });
});

it('refuses more names to keep than there can be tools', async () => {
  const { searchUrl } = await start();
  const names = Array.from({ length: 20_001 }, () => 'a');
  const answer = await post(searchUrl, { pattern: 'weather', tools: TOOLS, always_keep: names });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ error: { details: [{ path: 'always_keep' }] } });
});

it('says that headers are too large', async () => {
  const { url } = await start();
  const connection = await connectTo(url);
  connection.write(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
  expect(await connection.closed()).toMatch("The request's headers are larger than 16 KiB.");
});
