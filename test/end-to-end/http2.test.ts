import { once } from 'node:events';
import { type ClientHttp2Stream, connect } from 'node:http2';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { answer, createGate, playModel, say, waitFor } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT_CREDENTIALS, signingOf, signingSettings } from './clients/aws-credentials.ts';
import { bodyOf, FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const MODEL = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});
const TOOL_SEARCH = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' };
const HEADERS = { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };

function ask(url: string, body: string, path = '/v1/messages', more = {}): ClientHttp2Stream {
  const session = connect(url);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': path, ...HEADERS, ...more });
  stream.on('error', () => {});
  stream.end(body);
  return stream;
}

async function read(stream: ClientHttp2Stream) {
  let text = '';
  stream.on('data', (piece) => {
    text += piece;
  });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  await new Promise((resolve) => stream.once('close', resolve));
  return { status: headers[':status'], headers, text, errorCode: stream.rstCode };
}

test.each([false, true])(
  'searches are answered as over HTTP/1.1, with the same bytes (streamed: %s)',
  async (isStream) => {
    const body = bodyOf({ format: 'anthropic', url: '', isStream });
    const both = await Promise.all([0, 1].map(() => startStack({ model: MODEL, settings: TOOL_SEARCH })));
    const plain = await fetch(`${both[0]!.proxyUrl}/v1/messages`, { method: 'POST', headers: HEADERS, body });
    const answered = await read(ask(both[1]!.proxyUrl, body));
    expect(answered.text).toBe(await plain.text());
    expect(answered.text).toContain(WANTED);
    expect(answered.headers['content-type']).toBe(plain.headers.get('content-type'));
    const [first, second] = both.map(({ upstream }) => upstream.requests.map(({ text }) => text));
    expect(second).toEqual(first);
    const namesOf = (index: number) =>
      both[index]!.upstream.requests[0]!.rawHeaders.filter((_, at) => at % 2 === 0);
    expect(namesOf(1).filter((name) => name.startsWith(':'))).toEqual([]);
    expect(namesOf(1).filter((name) => name.toLowerCase() === 'host')).toHaveLength(1);
  },
);

test("AWS's own client needs to be told nothing", async () => {
  const stack = await startStack({
    model: playModel({ turns: [{ answer: 'Hello.' }] }),
    signing: signingOf('bedrock'),
    settings: signingSettings('bedrock', 'bedrock'),
  });
  const client = new BedrockRuntimeClient({
    endpoint: stack.proxyUrl,
    ...CLIENT_CREDENTIALS,
    maxAttempts: 1,
  });
  const { output } = await client.send(
    new ConverseCommand({
      modelId: 'amazon.nova-pro-v1:0',
      messages: [{ role: 'user', content: [{ text: 'Hi.' }] }],
    }),
  );
  client.destroy();
  expect(output?.message?.content).toEqual([{ text: 'Hello.' }]);
  expect(stack.upstream.rejected()).toEqual([]);
});

test('what is forwarded unread has its body, whatever its length', async () => {
  const stack = await startStack({ settings: { PROXY_ROLLOUT_MODE: 'off' } });
  for (const length of [0, 10, 1_000_000]) {
    const { status } = await read(ask(stack.proxyUrl, 'x'.repeat(length), '/v1/files'));
    expect(status).toBe(200);
    expect(stack.upstream.requests.at(-1)!.text).toHaveLength(length);
  }
});

test("errors of the proxy's own have the shape of the format", async () => {
  const stack = await startStack({ settings: { PROXY_SERVER_MAX_BODY: '1KiB' } });
  const { status, text } = await read(ask(stack.proxyUrl, 'x'.repeat(2_000)));
  expect(status).toBe(413);
  expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
  expect((await read(ask(stack.proxyUrl, '{}', '/nowhere'))).status).toBe(404);
});

test('a client that resets its request takes those to the upstream with it', async () => {
  const never = createGate();
  const stack = await startStack({
    model: () => answer([say('Hi.', waitFor(never), 'never')]),
    settings: TOOL_SEARCH,
  });
  const stream = ask(stack.proxyUrl, bodyOf({ format: 'anthropic', url: '', isStream: true }));
  await once(stream, 'data');
  stream.close(8);
  await (await stack.upstream.received(0)).answer.ended;
  await recordsOf(stack, 1);
  expect(stack.records).toMatchObject([{ outcome: 'client_gone' }]);
});

test('a response that the upstream breaks off is no whole one', async () => {
  const stack = await startStack({
    model: () => answer([say('Hi.'), { type: 'destroy' }]),
    settings: { PROXY_ROLLOUT_MODE: 'off' },
  });
  const { text, errorCode } = await read(
    ask(stack.proxyUrl, bodyOf({ format: 'anthropic', url: '', isStream: true })),
  );
  expect(text).toContain('Hi.');
  expect(errorCode).toBe(2);
});

test('a body that stands still is refused when its time is over', async () => {
  const beats: (() => void)[] = [];
  const stack = await startStack({
    effects: {
      every: (_, callBack) => {
        beats.push(callBack);
        return () => {};
      },
    },
  });
  const session = connect(stack.proxyUrl);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': '/v1/messages', ...HEADERS });
  stream.on('error', () => {});
  stream.write('{"model":');
  const reading = read(stream);
  const timer = setInterval(() => {
    for (const beat of [...beats]) beat();
  }, 5);
  onTestFinished(() => clearInterval(timer));
  expect((await reading).status).toBe(408);
});
