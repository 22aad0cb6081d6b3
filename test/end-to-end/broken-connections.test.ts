import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendBytes } from './byte-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

/** Handles one connection's raw bytes. */
type RawUpstream = (socket: Socket) => void;

/** A stack whose upstream is a bare socket. */
async function startRaw(
  upstream: RawUpstream,
  settings: Readonly<Record<string, string>> = {},
): Promise<Stack> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    upstream(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return startStack({ settings: { PROXY_UPSTREAMS_OPENAI_BASE_URL: url, ...settings } });
}

const PATH = '/v1/chat/completions';
const BODY = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hello"}]}');
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const OFF = { PROXY_ROLLOUT_MODE: 'off' };

/** Writes a raw request, so that the client can leave or stop reading at any time. */
function request(url: string, { length = BODY.length, body = BODY } = {}): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`);
  socket.write(body);
  return socket;
}

describe.each([
  ['forwarded', OFF],
  ['read', { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' }],
])('an upstream whose request is %s is left as soon as the client leaves', (_, settings) => {
  test('that does not read what it asked for', async () => {
    const closed = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    const stack = await startRaw((socket) => {
      socket.once('close', () => closed.resolve());
      socket.once('data', () => {
        socket.write(`${HEAD}content-length: 1000000000\r\n\r\n`);
        const fill = () => {
          while (socket.write(Buffer.alloc(65_536)));
          full.resolve();
        };
        socket.on('drain', fill);
        fill();
      });
    }, settings);
    const client = request(stack.proxyUrl).pause();
    await full.promise;
    client.destroy();
    await closed.promise;
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'client_gone' }]);
  });
});

test.each<[string, (socket: Socket) => void]>([
  ['are not answered yet', () => {}],
  ['are answered', (socket) => socket.write(`${HEAD}content-length: 5\r\n\r\nhello`)],
  [
    'are being answered',
    (socket) => socket.write(`${HEAD}content-length: 100000\r\n\r\n${'x'.repeat(90_000)}`),
  ],
])('requests behind one that the client does not wait for end with it when they %s', async (_, respond) => {
  for (const settings of [OFF, { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' }]) {
    const all = Promise.withResolvers<void>();
    let connections = 0;
    const stack = await startRaw((socket) => {
      socket.once('data', () => {
        connections++;
        // The first request gets no response, so the others' responses have to wait.
        if (connections > 1) respond(socket);
        if (connections === 3) all.resolve();
      });
    }, settings);
    const client = request(stack.proxyUrl);
    for (let count = 0; count < 2; count++) {
      client.write(`POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-length: ${BODY.length}\r\n\r\n`);
      client.write(BODY);
    }
    await all.promise;
    client.destroy();
    await recordsOf(stack, 3);
    expect(stack.records.map(({ outcome }) => outcome)).toEqual(Array(3).fill('client_gone'));
  }
});

test('no upstream is notified of a client that leaves in the middle of a small request', async () => {
  let connections = 0;
  const stack = await startRaw(() => connections++, OFF);
  const client = request(stack.proxyUrl, { length: BODY.length + 1 });
  await new Promise<void>((resolve) => client.end(resolve));
  await recordsOf(stack, 1);
  expect(stack.records).toMatchObject([{ outcome: 'client_gone' }]);
  expect(connections).toBe(0);
});

/** Sends the same response to every request, and closes the connection if it `ends`. */
function saying(text: string, ends: boolean): RawUpstream {
  return (socket) => {
    socket.once('data', () => {
      socket.write(text, 'latin1');
      if (ends) socket.end();
    });
  };
}

describe('an upstream that ends', () => {
  test.each<[string, string]>([
    ['without a word', ''],
    ['in the middle of its head', HEAD],
    ['after an interim response', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['with what is no HTTP', 'hello\r\n\r\n'],
    [
      'by changing the protocol unasked',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('%s is an error that the client can read', async (_, said) => {
    const stack = await startRaw(saying(said, true), OFF);
    const { status, bytes, isWhole } = await sendBytes(stack.proxyUrl, { path: PATH, body: BODY });
    expect([status, isWhole]).toEqual([502, true]);
    expect(JSON.parse(String(bytes))).toMatchObject({ error: { code: 'upstream_unreachable' } });
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed', status: 502 }]);
  });

  test.each<[string, string]>([
    ['before the length that it has announced', `${HEAD}content-length: 10\r\n\r\nhello`],
    ['between two chunks', `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ['in the middle of a chunk', `${HEAD}transfer-encoding: chunked\r\n\r\n9\r\nhello`],
    ['with a chunk of no length', `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nx\r\n`],
  ])('%s cuts the response, whose beginning the client has', async (_, said) => {
    const stack = await startRaw(saying(said, true), OFF);
    const { status, bytes, isWhole } = await sendBytes(stack.proxyUrl, { path: PATH, body: BODY });
    expect([status, String(bytes), isWhole]).toEqual([200, 'hello', false]);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed', status: 200 }]);
  });

  test('where it has announced no length has said everything', async () => {
    const stack = await startRaw(saying(`${HEAD}\r\nhello`, true), OFF);
    const { bytes, isWhole } = await sendBytes(stack.proxyUrl, { path: PATH, body: BODY });
    expect([String(bytes), isWhole]).toEqual(['hello', true]);
  });

  test('after more than it has announced has said as much as that', async () => {
    const stack = await startRaw(saying(`${HEAD}content-length: 5\r\n\r\nhello and more`, false), OFF);
    const { bytes, isWhole } = await sendBytes(stack.proxyUrl, { path: PATH, body: BODY });
    expect([String(bytes), isWhole]).toEqual(['hello', true]);
  });
});

describe('of what an upstream says,', () => {
  test('interim responses and trailers are for its own connection', async () => {
    const said = [
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-end\r\nx-Own: 1\r\n\r\n',
      '5\r\nhello\r\n0\r\nx-end: 1\r\n\r\n',
    ];
    const stack = await startRaw(saying(said.join(''), false), OFF);
    const { status, headers, bytes } = await sendBytes(stack.proxyUrl, { path: PATH, body: BODY });
    expect([status, headers, String(bytes)]).toEqual([200, ['x-own', '1'], 'hello']);
  });

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK', '5'],
    ['POST', 'HTTP/1.1 304 Not Modified', '5'],
    ['POST', 'HTTP/1.1 204 No Content', undefined],
  ])('a response without a body has none, and what is said of it (%s, %s)', async (method, line, length) => {
    const header = length === undefined ? '' : `content-length: ${length}\r\n`;
    const stack = await startRaw(saying(`${line}\r\n${header}\r\n`, false), OFF);
    const { headers, bytes } = await sendBytes(stack.proxyUrl, { method, path: PATH });
    expect(headers).toEqual(length === undefined ? [] : ['content-length', length]);
    expect(bytes).toHaveLength(0);
  });

  test('headers pass to the byte, in whatever encoding they are', async () => {
    const stack = await startRaw(
      saying(`${HEAD}x-name: \xc3\xa4\xff\r\ncontent-length: 0\r\n\r\n`, false),
      OFF,
    );
    const { headers } = await sendBytes(stack.proxyUrl, { path: PATH, body: BODY });
    expect(headers).toEqual([
      'content-type',
      'application/json',
      'x-name',
      '\xc3\xa4\xff',
      'content-length',
      '0',
    ]);
  });
});

describe('of a large body', () => {
  const LARGE = Buffer.alloc(8_000_000, 'a body that is much larger than what connections hold. ');

  test('nothing is lost where the upstream reads slowly', async () => {
    const stack = await startRaw(async (socket) => {
      let text = '';
      for await (const piece of socket) {
        text += piece;
        await new Promise((resolve) => setImmediate(resolve));
        const at = text.indexOf('\r\n\r\n') + 4;
        if (text.length - at < LARGE.length) continue;
        const isSame = text.slice(at) === LARGE.toString();
        socket.write(`${HEAD}content-length: 4\r\n\r\n${isSame}`);
        break;
      }
    }, OFF);
    const { bytes } = await sendBytes(stack.proxyUrl, {
      path: PATH,
      headers: { 'content-length': String(LARGE.length) },
      body: LARGE,
    });
    expect(String(bytes)).toBe('true');
  });
});
