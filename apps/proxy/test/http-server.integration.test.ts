import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { discardRest } from '@winnow/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from '../src/edge/http-server.ts';
import { NodeRequest } from '../src/edge/node-http.ts';
import { receiveBody, StallWatch } from '../src/exchange/receive-request.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import { ClientSignal } from '../src/upstream/client.ts';

/** Long enough never to matter. */
const LONG_MS = 600_000;

/**
 * Sends bytes to a server with that listener; returns everything that it writes until it closes the
 * connection.
 */
async function exchange(
  listener: RequestListener,
  bytes: string | Buffer,
  { headTimeoutMs = LONG_MS, afterwards }: { headTimeoutMs?: number; afterwards?: string } = {},
) {
  const server = createHttpServer(listener, {
    headTimeoutMs,
    keepAliveMs: LONG_MS,
    onUpgrade: (_, socket) => socket.destroy(),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.on('data', (piece) => {
    received += piece;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  // Sent after the first response.
  if (afterwards !== undefined) socket.once('data', () => socket.write(afterwards));
  await once(socket, 'close');
  return received;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';

const answerOk: RequestListener = (_, outgoing) => void outgoing.end('ok');

describe('bytes that are no request', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'The request is not valid HTTP.'],
    ['the start of TLS', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1]), 400, 'The request is not valid HTTP.'],
    [
      'a body with two lengths',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'The request is not valid HTTP.',
    ],
    [
      'a body with a length and chunks',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'The request is not valid HTTP.',
    ],
    [
      'a line break in a header',
      'GET / HTTP/1.1\r\nhost: a\r\nx: a\nb\r\n\r\n',
      400,
      'The request is not valid HTTP.',
    ],
    [
      'endless headers',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      "The request's headers are larger than 16 KiB.",
    ],
  ])('are refused: %s', async (_, bytes, status, message) => {
    const received = await exchange(answerOk, bytes);
    expect(received).toMatch(`HTTP/1.1 ${status} `);
    expect(JSON.parse(received.split('\r\n\r\n')[1]!)).toMatchObject({ error: { message } });
  });

  it('are refused in the format of Anthropic if they look like its clients', async () => {
    const received = await exchange(answerOk, 'POST /v1/messages HTTP/1.1\r\ncontent-length: x\r\n\r\n');
    expect(JSON.parse(received.split('\r\n\r\n')[1]!)).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'The request is not valid HTTP.' },
    });
  });

  it('write nothing after a response to an incomplete request', async () => {
    const refuse: RequestListener = (incoming, outgoing) => {
      discardRest(incoming, 100);
      outgoing.end('refused');
    };
    const received = await exchange(refuse, `${CHUNKED}${chunk('some')}`, { afterwards: 'nonsense' });
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('end a response that has begun, and write nothing into it', async () => {
    const begin: RequestListener = (_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 10 }).write('begun');
    };
    const received = await exchange(begin, 'GET / HTTP/1.1\r\nhost: a\r\n\r\nnonsense\r\n\r\n');
    expect(received).not.toMatch('not valid HTTP');
  });
});

it('answers a request with an unknown expectation', async () => {
  const received = await exchange(
    answerOk,
    'GET / HTTP/1.1\r\nhost: a\r\nexpect: 1\r\nconnection: close\r\n\r\n',
  );
  expect(received).toMatch('HTTP/1.1 200 OK');
});

it('refuses a head that does not arrive in time', async () => {
  const received = await exchange(answerOk, 'POST / HTTP/1.1\r\nhost: a\r\nx-slow: ', { headTimeoutMs: 1 });
  expect(received).toMatch('HTTP/1.1 408 Request Timeout');
  expect(received).toMatch('The request did not arrive in time.');
});

/** A listener that receives the body with these limits, and responds with the outcome. */
function receiver(room: { limitBytes?: number; heldBytes?: number; stalls?: StallWatch }): RequestListener {
  const { limitBytes = 100, heldBytes = 1_000, stalls = new StallWatch(LONG_MS, () => () => {}) } = room;
  const memory = new RequestMemory({ maxBytes: heldBytes, heapShare: () => 0 });
  return async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const ending = await receiveBody(new NodeRequest(incoming, new ClientSignal()), {
      limitBytes,
      stalls,
      hold: memory.open('client'),
      isObserved: false,
    }).then(
      (body) => (body ? `whole ${body.whole}` : readOn(incoming)),
      (error) => error.code,
    );
    outgoing.writeHead(200, { connection: 'close' }).end(ending);
  };
}

async function readOn(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of incoming) text += piece;
  return `passed on ${text}`;
}

describe('receiveBody', () => {
  it('receives a body that fits', async () => {
    const body = chunk('one ') + chunk('two') + chunk('');
    expect(await exchange(receiver({}), CHUNKED + body)).toMatch('whole one two');
  });

  it.each([0, 3, 4, 6])('leaves a body to be read again if it may hold %i bytes of it', async (heldBytes) => {
    const body = chunk('one ') + chunk('two') + chunk('');
    expect(await exchange(receiver({ heldBytes }), CHUNKED + body)).toMatch('passed on one two');
  });

  it('ends with an error if the body stalls', async () => {
    let look = () => {};
    const stalls = new StallWatch(1_000, (_, callBack) => {
      look = callBack;
      return () => {};
    });
    const listener: RequestListener = (incoming, outgoing) => {
      receiver({ stalls })(incoming, outgoing);
      // Enough checks for the body to count as stalled.
      for (let time = 0; time < 5; time++) look();
    };
    expect(await exchange(listener, CHUNKED + chunk('one '))).toMatch('request_timeout');
  });

  it('ends with an error if the body is too large', async () => {
    expect(await exchange(receiver({ limitBytes: 3 }), CHUNKED + chunk('one '))).toMatch('body_too_large');
  });
});

describe('discardRest', () => {
  const refuser: RequestListener = (incoming, outgoing) => {
    discardRest(incoming, 10);
    outgoing.end('refused');
  };
  const post = (length: number, sent: number) =>
    `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(sent)}`;

  it('closes the connection if more arrives than it discards', async () => {
    expect(await exchange(refuser, post(1_000, 11))).toMatch('refused');
  });

  it('keeps a connection on which the next request is answered', async () => {
    const received = await exchange(refuser, `${post(10, 10)}${post(1_000, 11)}`);
    expect(received.match(/refused/g)).toHaveLength(2);
  });
});
