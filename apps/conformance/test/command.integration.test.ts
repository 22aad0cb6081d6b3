import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { TestCertificates } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CASES, runConformance, type Terminal } from '../src/index.ts';
import { type Head, startReverseProxy } from './reverse-proxy.ts';

/** Runs the command, and returns its exit code and its texts. */
async function run(...args: string[]) {
  return runWith({}, ...args);
}

async function runWith(terminal: Partial<Terminal>, ...args: string[]) {
  const texts = { out: '', error: '' };
  const code = await runConformance(args, {
    ...terminal,
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
function startAnswering(status: number, body: string, headers = {}): Promise<string> {
  return listen(
    createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(status, headers).end(body);
    }),
  );
}

/** Opens a server on a free port until the test ends. */
async function listen(server: Pick<Server, 'listen' | 'close' | 'address' | 'closeAllConnections'>) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a port on which nothing listens. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
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

  test('passes a correct gateway with TLS, once its authority is trusted', { tags: 'openssl' }, async () => {
    const certificates = new TestCertificates({ gateway: 'authority' });
    onTestFinished(() => certificates.remove());
    certificates.make();
    const [cert, key] = ['gateway.pem', 'gateway.key'].map((name) => readFileSync(certificates.file(name)));
    const port = await findFreePort();
    const secure = createSecureServer({ cert, key }, (incoming, response) => {
      const { method, url, rawHeaders } = incoming;
      const outgoing = request({ port, method, path: url, headers: rawHeaders as never }, (answer) => {
        response.writeHead(answer.statusCode!, answer.rawHeaders);
        answer.pipe(response);
      });
      incoming.pipe(outgoing);
    });
    const address = (await listen(secure)).replace('http:', 'https:');
    const args = [address, '--port', String(port), '--only', 'bodies/whole,limits/one-connection'];
    const strange = await run(...args);
    expect([strange.code, strange.error]).toEqual([3, expect.stringContaining('NODE_EXTRA_CA_CERTS')]);
    const usual = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([readFileSync(certificates.file('authority.pem'), 'utf8')]);
    const { code, out } = await run(...args);
    expect([code, out]).toEqual([0, expect.stringContaining('10 passed, 0 failed')]);
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

  test('tells a failure of many formats once, with one command for all of them', async () => {
    const gateway = await startGateway({ requestBody: () => Buffer.from('{}') });
    const { out } = await run(...gateway, '--only', 'bodies/request-order');
    const formats = 'openai-chat,openai-responses,anthropic-messages,gemini,gemini-interactions,ollama-chat';
    expect(out.match(/✗ bodies\/request-order/g)).toHaveLength(1);
    expect(out).toMatch(
      new RegExp(`--format ${formats},[\\w,-]+ --only bodies/request-order\n\n +openai-chat`),
    );
  });

  test('waits once for a gateway that collects streams, not for each event', async () => {
    const collect = () => {
      const pieces: Buffer[] = [];
      return new Transform({
        transform: (piece, _, done) => {
          pieces.push(piece);
          done();
        },
        flush: (done) => done(null, Buffer.concat(pieces)),
      });
    };
    const gateway = await startGateway({ responseStream: collect });
    const { code, out } = await run(...gateway, '--only', 'streams/in-time', '--patience', '1');
    expect([code, out]).toEqual([1, expect.stringContaining('0 passed, 8 failed')]);
    const waits = out.matchAll(/in (\S+):\n +the first \d+ bytes/g);
    expect([...waits]).toHaveLength(out.match(/did not reach the client/g)!.length);
  });

  test('keeps what it has judged when it is stopped', async () => {
    const stop = new AbortController();
    const progress = (line: string) => {
      if (line.startsWith('case 1 of 2, 8 judged, 0 failed')) stop.abort();
    };
    const args = [...(await startGateway()), '--only', 'bodies/whole,bodies/stream'];
    const { code, out } = await runWith({ progress, signal: stop.signal }, ...args);
    expect(out).toContain('8 passed, 0 failed, 8 not judged');
    expect(out).toContain('the run was stopped');
    expect(code).toBe(130);
  });

  test('tells which path is too long', async () => {
    const [url, ...port] = await startGateway();
    const { code, error } = await run(`${url}/v1`, ...port, '--only', 'bodies/whole');
    expect(error).toContain('the path /v1/v1/chat/completions instead of /v1/chat/completions');
    expect(code).toBe(1);
  });

  test('tells that a port is taken', async () => {
    const taken = new URL(await startAnswering(200, '')).port;
    const { code, error } = await run('127.0.0.1:9', '--port', taken);
    expect([code, error]).toEqual([2, expect.stringContaining('is taken')]);
  });

  test('does not judge formats that the gateway translates, unless they are chosen', async () => {
    const gateway = await startGateway({ request: () => ({ path: '/v1/messages' }) });
    const { code, error } = await run(...gateway, '--only', 'bodies/whole', '--format', 'openai-chat');
    expect([code, error]).toEqual([1, '']);
    const all = await run(...gateway, '--only', 'bodies/whole');
    expect([all.code, all.out]).toEqual([0, expect.stringContaining('1 passed, 0 failed, 7 not judged')]);
    expect(all.out).toContain('openai-chat does not reach the provider: the provider received the path');
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
    [
      'an address that does not answer',
      3,
      'nothing answers at http://127.0.0.1:9 (ECONNREFUSED)',
      async () => '127.0.0.1:9',
    ],
    [
      'one that ends connections',
      3,
      'ends the connection without a response',
      () => listen(createServer(({ socket }) => socket.destroy())),
    ],
    [
      'one that does not respond',
      3,
      'gave no response in time',
      () => listen(createServer((incoming) => incoming.resume())),
    ],
    [
      'one that redirects',
      5,
      '308 to https://other.example/',
      () => startAnswering(308, '', { location: 'https://other.example/' }),
    ],
    ['a gateway that wants a key', 4, 'wants a key', () => startAnswering(401, 'who are you?')],
    [
      'one that never reaches the provider',
      5,
      'no request reached the provider',
      () => startAnswering(200, '{}'),
    ],
  ])('tells %s in one sentence', async (_, expected, sentence, start) => {
    const args = [await start(), '--port', '0', '--format', 'openai-chat', '--patience', '0.3'];
    const { code, error } = await run(...args);
    expect(error.split('\n')[0]).toContain(sentence);
    expect(code).toBe(expected);
  });

  test.each([
    [['--formats', 'x'], '--formats'],
    [['--format', 'x'], 'x" is none of'],
    [['--seed', 'x'], 'not a whole number'],
    [['--seed', '1.5'], 'not a whole number'],
    [['--port', '65536'], 'is more than 65535'],
    [['--patience', '0'], 'is less than'],
    [['--only', 'bodies/whole,bodys'], 'no case is named "bodys"'],
    [['--file', '/nowhere/at/all'], 'cannot be written (ENOENT)'],
    [['ftp://host'], 'no address'],
    [['http://name:word@host'], '--key and --header send credentials'],
    [['http://host?x=1'], 'more than a host and a path'],
    [['http://a', '--key', 'a\nb'], 'cannot have this name or value'],
    [['http://a', 'http://b'], 'one address'],
    [['http://a', '--header', 'x'], 'not NAME: VALUE'],
    [['http://a', '--model', 'x'], 'not FORMAT=VALUE'],
    [['http://a', '--model', 'x=y'], '"x" is none of openai-chat'],
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
    const { out } = await run('--list', '--only', 'errors', '--format', 'openai-chat');
    expect(out).toMatch(/errors\/429-retry-after: A rate limit reaches the client.+\n +openai-chat\n/);
    expect(out).toContain('https://github.com/BerriAI/litellm/issues/21553');
  });

  test.each([
    ['json', '"verdicts"'],
    ['html', '<!doctype html>'],
    ['junit', '<testsuites name="conformance" tests="1" failures="1"'],
  ])('writes %s to a file', async (output, words) => {
    const gateway = await startGateway({ requestBody: () => Buffer.from('<&\u0001>') });
    const file = `${import.meta.dirname}/../../../node_modules/.cache/conformance.${output}`;
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
