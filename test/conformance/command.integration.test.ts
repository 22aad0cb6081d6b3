import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CASES, runConformance } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../deploy/start-process.ts';
import { type Head, startReverseProxy } from './reverse-proxy.ts';

/** Runs the command, and returns its exit code and its texts. */
async function run(...args: string[]) {
  const texts = { out: '', error: '' };
  const code = await runConformance(args, {
    out: (text) => {
      texts.out += text;
    },
    error: (text) => {
      texts.error += text;
    },
  });
  return { code, ...texts };
}

/** Starts a server that gives this answer to everything. */
async function startAnswering(status: number, body: string): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a gateway, and returns its address with the port at which it expects the provider. */
async function startGateway(fault = {}) {
  const port = await findFreePort();
  const proxy = await startReverseProxy(`http://127.0.0.1:${port}`, 0, fault);
  onTestFinished(() => proxy.close());
  return [proxy.url, '--port', String(port)] as const;
}

describe('the command', () => {
  test('passes a correct gateway, and says so', async () => {
    const { code, out } = await run(...(await startGateway()), '--only', 'bodies/whole,streams/in-time');
    expect(out).toMatch(/bodies +✓ 1/);
    expect(out).toContain('16 passed, 0 failed');
    expect(code).toBe(0);
  });

  test('fails a gateway with a fault, and gives the command for each failure', async () => {
    const gateway = await startGateway({ requestBody: () => Buffer.from('{}') });
    const { code, out } = await run(...gateway, '--only', 'bodies/*', '--format', 'openai-chat');
    expect(code).toBe(1);
    expect(out).toContain('✗ bodies/whole (openai-chat): A request and its whole response pass to the byte.');
    expect(out).toContain(
      `npm run conformance -- ${gateway.join(' ')} --format openai-chat --only bodies/whole`,
    );
  });

  test('passes a gateway that has its key in the path and varies responses by more', async () => {
    const gateway = await startGateway({
      request: ({ path }: Head) => ({ path: `${path}${path.includes('?') ? '&' : '?'}key=its-own` }),
      response: ({ headers }: Head) => ({ headers: [...headers, 'vary', 'Accept-Language'] }),
    });
    const only = ['--only', 'bodies/stream,headers/response-caching', '--format', 'gemini'];
    const { code, out } = await run(...gateway, ...only, '--key', 'mine');
    expect([code, out]).toEqual([0, expect.stringContaining('2 passed, 0 failed')]);
    const strict = await run(...gateway, ...only);
    expect([strict.code, strict.out]).toEqual([1, expect.stringContaining('the path became')]);
  });

  test('says what was not claimed', async () => {
    const { code, out } = await run(...(await startGateway()), '--only', 'bodies/whole,tools/order');
    expect(code).toBe(0);
    expect(out).toContain('8 passed, 0 failed, 8 not judged');
    expect(out).toContain('not claimed (--claims)');
  });

  test('fails when no case was judged', async () => {
    const { code, error } = await run(...(await startGateway()), '--only', 'tools/order');
    expect([code, error]).toEqual([6, expect.stringContaining('no case was judged')]);
  });

  test('fails when the time is up', async () => {
    const { code, out } = await run(...(await startGateway()), '--only', 'bodies/whole', '--time-limit', '0');
    expect(out).toContain('the time limit was reached');
    expect(code).toBe(6);
  });

  test.each([
    ['an address that does not answer', 3, 'nothing answers at', async () => 'http://127.0.0.1:9'],
    ['a gateway that wants a key', 4, 'wants a key', () => startAnswering(401, 'who are you?')],
    [
      'one that never reaches the provider',
      5,
      'no request reached the provider',
      () => startAnswering(200, '{}'),
    ],
  ])('tells %s in one sentence', async (_, expected, sentence, start) => {
    const { code, error } = await run(await start(), '--port', '0', '--format', 'openai-chat');
    expect(error.split('\n')[0]).toContain(sentence);
    expect(code).toBe(expected);
  });

  test.each([
    [['--formats', 'x'], '--formats'],
    [['--format', 'x'], 'x" is none of'],
    [['--seed', 'x'], 'not a number'],
    [['https://host'], 'no address'],
    [['http://a', 'http://b'], 'one address'],
    [['http://a', '--header', 'x'], 'not NAME: VALUE'],
    [['http://a', '--model', 'x=y'], 'not FORMAT=VALUE'],
  ])('explains wrong usage: %j', async (args, words) => {
    const { code, error } = await run(...args);
    expect([code, error]).toEqual([2, expect.stringContaining(words)]);
  });

  test('tells how to point a gateway at the provider', async () => {
    const { code, error } = await run();
    expect(error).toContain('http://127.0.0.1:8799/v1/chat/completions');
    expect(error).toContain('http://127.0.0.1:8799/model/MODEL/converse');
    expect(code).toBe(2);
  });

  test('lists cases with their sources', async () => {
    const { out } = await run('--list', '--only', 'errors/429-*', '--format', 'openai-chat');
    expect(out).toContain('errors/429-retry-after (openai-chat): A rate limit reaches the client');
    expect(out).toContain('https://github.com/BerriAI/litellm/issues/21553');
  });

  test.each([
    ['json', '"verdicts"'],
    ['html', '<!doctype html>'],
    ['junit', '<testsuites name="conformance" tests="1" failures="1"'],
  ])('writes %s to a file', async (output, words) => {
    const gateway = await startGateway({ requestBody: () => Buffer.from('<&\u0001>') });
    const file = `${import.meta.dirname}/../../node_modules/.cache/conformance.${output}`;
    const args = ['--only', 'bodies/whole', '--format', 'openai-chat', '--output', output, '--file', file];
    const { code, out } = await run(...gateway, ...args);
    expect([code, out]).toEqual([1, expect.stringContaining('0 passed, 1 failed')]);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(words);
    if (output !== 'json') expect(text).not.toContain('<&');
  });
});

test('every case has an id, a promise, sources and formats of its own', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(120);
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
  expect(new Set(CASES.map(({ promise }) => promise)).size).toBe(CASES.length);
  for (const { id, promise, sources, formats } of CASES) {
    expect(promise, id).toMatch(/^[A-Z'].*\.$/);
    expect(sources.length, id).toBeGreaterThan(0);
    expect(formats.length, id).toBeGreaterThan(0);
  }
});
