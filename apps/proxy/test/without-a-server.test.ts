import { expect, test } from 'vitest';
import { UpstreamBody } from '../src/http/upstream-body.ts';
import { engineOver } from './engine-over.ts';
import { responseOf } from './exchange-under-test.ts';

const tool = (name: string, description: string) => ({
  name,
  description,
  input_schema: { type: 'object' },
});
const TOOLS = [
  tool('send_mail', 'Sends an e-mail to a person.'),
  tool('read_weather', 'Tells the weather of a city.'),
  tool('book_flight', 'Books a flight between two cities.'),
];
const ask = (...messages: object[]) => ({ model: 'm', max_tokens: 9, tools: TOOLS, messages });
const QUESTION = { role: 'user', content: 'Will it rain in Bern?' };

const turn = (id: string, stop: string, ...content: object[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
});
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });

const SCRIPT = [
  turn('msg_1', 'tool_use', call('toolu_s', 'gateway_search_tools', { query: 'weather' })),
  turn('msg_2', 'tool_use', call('toolu_w', 'read_weather', { city: 'Bern' })),
  turn('msg_3', 'end_turn', { type: 'text', text: 'It will.' }),
];

test('a conversation with a search runs on the Fetch API alone, without a server or a socket', async () => {
  const sent: string[] = [];
  const { post, reported } = engineOver(async ({ body }) => {
    sent.push(String(body));
    return responseOf(200, SCRIPT[sent.length - 1]!);
  });

  const first = await post('/v1/messages', ask(QUESTION));
  const answer = (await first.json()) as ReturnType<typeof turn>;
  expect(answer.content).toEqual([call('toolu_w', 'read_weather', { city: 'Bern' })]);
  expect(sent.map((body) => body.includes('"gateway_search_tools"'))).toEqual([true, true]);
  expect(sent.map((body) => body.includes('Tells the weather'))).toEqual([false, true]);
  const [record] = await reported();
  expect(record).toMatchObject({ outcome: 'answered', status: 200, upstreamCalls: 2 });
  expect(record!.searches).toMatchObject([{ outcome: 'found', names: ['read_weather'] }]);

  // The next turn shows the search to the model again, which its client has never seen.
  const result = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_w', content: 'rain' }],
  };
  const second = await post(
    '/v1/messages',
    ask(QUESTION, { role: 'assistant', content: answer.content }, result),
  );
  expect(await second.json()).toMatchObject({ content: [{ type: 'text', text: 'It will.' }] });
  expect(sent[2]).toContain('toolu_s');
  expect((await reported())[1]).toMatchObject({ hiddenTurnsKnown: 1, upstreamCalls: 1 });
});

test('a client that reads slowly slows the upstream down, and gets every byte in order', async () => {
  let pauses = 0;
  const body = new UpstreamBody({ pause: () => pauses++, resume: () => {}, abort: () => {} });
  const { post } = engineOver(
    async () => ({ status: 200, headers: ['content-type', 'text/event-stream'], body }),
    { PROXY_ROLLOUT_MODE: 'off' },
  );
  const response = await post('/v1/messages', ask(QUESTION));
  const pieces = Array.from({ length: 40 }, (_, at) => Buffer.alloc(4_096, at));
  for (const piece of pieces) body.push(piece);
  expect(pauses).toBe(1);
  body.finish();
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.concat(pieces))).toBe(true);
});

test('a client that leaves aborts its request to the upstream', async () => {
  let isAborted = false;
  const { post, reported } = engineOver(
    async () => {
      const body = new UpstreamBody({
        pause: () => {},
        resume: () => {},
        abort: () => {
          isAborted = true;
        },
      });
      return { status: 200, headers: ['content-type', 'text/event-stream'], body };
    },
    { PROXY_ROLLOUT_MODE: 'off' },
  );
  const response = await post('/v1/messages', ask(QUESTION));
  await response.body!.cancel();
  expect(isAborted).toBe(true);
  expect(await reported()).toMatchObject([{ outcome: 'client_gone' }]);
});
