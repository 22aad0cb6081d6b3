import { gzipSync } from 'node:zlib';
import { BodyBytes, FORMATS, type Plan, type RequestView } from '@winnow/wire';
import { expect, test } from 'vitest';
import { type LeftAlone, sendLeftAlone } from '../src/exchange/fall-back.ts';
import type { UpstreamResponse } from '../src/upstream/send-upstream.ts';

const format = FORMATS.find(({ name }) => name === 'openai-responses')!;
const REASONING = { type: 'reasoning', id: 'rs_1', summary: [] };
const ANSWER = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] };
const ORPHAN = [REASONING, { ...REASONING, id: 'rs_2' }, ANSWER];
const REFUSAL = `Item 'rs_1' of type 'reasoning' was provided without its required following item.`;

function viewOf(items: readonly object[]): { body: BodyBytes; view: RequestView } {
  const input = [{ role: 'user', content: 'Hi.' }, ...items, { role: 'user', content: 'Go on.' }];
  const body = new BodyBytes([Buffer.from(JSON.stringify({ model: 'gpt-5', input, tools: [] }))]);
  const reading = format.reading.readRequest(body, {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path: '/v1/responses',
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return { body, view: reading.view };
}

/** Sends a history that is left alone to an upstream with this response, and returns what happened. */
async function send(items: readonly object[], status: number, body: Buffer | string, headers: string[] = []) {
  const sent: string[] = [];
  const told: string[] = [];
  let given = '';
  const responseOf = (code: number, bytes: Buffer) =>
    ({
      status: code,
      headers,
      body: Object.assign(
        (async function* () {
          yield bytes;
        })(),
        { destroy() {} },
      ),
    }) as unknown as UpstreamResponse;
  const first = async (original: BodyBytes) => {
    sent.push(original.whole.toString());
    return responseOf(status, Buffer.from(body));
  };
  const request = {
    ...viewOf(items),
    exchange: {
      format,
      response: { end: (bytes: Buffer) => (given = bytes.toString('latin1')) },
      head: {
        write: () => {
          if (sent.length > 1) throw new Error('relayed');
        },
      },
    },
    sender: {
      sendOriginal: first,
      forwardOriginal: async (original: BodyBytes) => {
        await first(original);
        return { outcome: 'answered', status };
      },
      sendEdited: async (edited: Uint8Array, _view: RequestView, plan: Plan) => {
        sent.push(Buffer.from(edited).toString());
        expect(plan.defer).toEqual([]);
        return responseOf(200, Buffer.from('{}'));
      },
    },
    tell: ({ kind }: { kind: string }) => told.push(kind),
    tap: undefined,
  };
  // biome-ignore lint/suspicious/noExplicitAny: stand-ins for the parts that are used
  const ending = await sendLeftAlone(request as any as LeftAlone).catch(() => 'relayed');
  return { sent, told, given, ending };
}

test.each([
  ['plain', REFUSAL, []],
  ['compressed', gzipSync(REFUSAL), ['content-encoding', 'gzip']],
])('reasoning that a provider refuses (%s) is dropped once', async (_, refusal, headers) => {
  const { sent, told, ending } = await send(ORPHAN, 400, refusal, headers);
  expect(sent).toHaveLength(2);
  const { input } = JSON.parse(sent[1]!);
  expect(input.map(({ type, role }: { type?: string; role?: string }) => type ?? role)).toEqual([
    'user',
    'message',
    'user',
  ]);
  expect([told, ending]).toEqual([[], 'relayed']);
});

test('any other refusal is passed on unchanged', async () => {
  const refusal = gzipSync('Your input exceeds the context window.');
  const { sent, told, given, ending } = await send(ORPHAN, 400, refusal, ['content-encoding', 'gzip']);
  expect(sent).toHaveLength(1);
  expect(given).toBe(refusal.toString('latin1'));
  expect([told, ending]).toEqual([[], { outcome: 'answered', status: 400 }]);
});

test('a history without lost searches is sent once, whatever the provider says', async () => {
  const { sent, told } = await send([REASONING, ANSWER], 400, REFUSAL);
  expect([sent.length, told]).toEqual([1, []]);
});
