import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, callTool, say } from '../src/upstream/answer-parts.ts';
import type { ScriptEntry } from '../src/upstream/choose-answer.ts';
import { startUpstream } from '../src/upstream/start-upstream.ts';

const PATH = '/v1beta/models/gemini-3-pro-preview';
const BODY = { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] };
const BOTH = [say('I ', 'ask.'), callTool('mail_send', { to: 'ada', tags: ['x'] }), callTool('clock')];

async function ask(entry: ScriptEntry, method: string, more: object = {}): Promise<Response> {
  const upstream = await startUpstream({ script: [entry] });
  onTestFinished(() => upstream.close());
  return fetch(`${upstream.url}${PATH}:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': 'key' },
    body: JSON.stringify({ ...BODY, ...more }),
  });
}

const partsOf = (chunks: readonly unknown[]) =>
  chunks.flatMap(
    (chunk) => (chunk as { candidates: { content: { parts: object[] } }[] }).candidates[0]!.content.parts,
  );

describe('the scripted Gemini', () => {
  test('answers whole, its first call signed, and no call with an id', async () => {
    const body = await (await ask(answer(BOTH, { id: 'r1' }), 'generateContent')).json();
    expect(body).toMatchObject({
      candidates: [{ finishReason: 'STOP', index: 0 }],
      modelVersion: 'gemini-3-pro-preview',
      responseId: 'r1',
      usageMetadata: { candidatesTokenCount: 33 },
    });
    expect(partsOf([body])).toEqual([
      { text: 'I ask.' },
      {
        functionCall: { name: 'mail_send', args: { to: 'ada', tags: ['x'] } },
        thoughtSignature: expect.any(String),
      },
      { functionCall: { name: 'clock', args: {} } },
    ]);
  });

  test('streams server-sent events with alt=sse, and a JSON array without, of the same chunks', async () => {
    const events = await ask(answer(BOTH, { id: 'r1' }), 'streamGenerateContent?alt=sse');
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    const text = await events.text();
    expect(text.endsWith('\r\n\r\n')).toBe(true);
    const chunks = text
      .trim()
      .split('\r\n\r\n')
      .map((event) => JSON.parse(event.slice('data: '.length)));
    const array = await ask(answer(BOTH, { id: 'r1' }), 'streamGenerateContent');
    expect(array.headers.get('content-type')).toContain('application/json');
    expect(await array.json()).toEqual(chunks);
    expect(chunks.map(({ candidates }) => candidates[0].finishReason)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'STOP',
    ]);
    expect(partsOf(chunks).at(-1)).toEqual({ text: '' });
  });

  test('sends arguments in pieces where that is asked for', async () => {
    const toolConfig = { functionCallingConfig: { streamFunctionCallArguments: true } };
    const calls = answer([callTool('mail_send', { to: 'ada', tags: [1, true] })]);
    const array = await ask(calls, 'streamGenerateContent', { toolConfig });
    expect(
      partsOf((await array.json()) as object[]).map((part) =>
        'functionCall' in part ? part.functionCall : part,
      ),
    ).toEqual([
      { name: 'mail_send', willContinue: true },
      { partialArgs: [{ jsonPath: '$.to', stringValue: 'ada', willContinue: true }], willContinue: true },
      { partialArgs: [{ jsonPath: '$.to', stringValue: '' }], willContinue: true },
      { partialArgs: [{ jsonPath: '$.tags[0]', numberValue: 1 }], willContinue: true },
      { partialArgs: [{ jsonPath: '$.tags[1]', boolValue: true }], willContinue: true },
      {},
      { text: '' },
    ]);
  });

  test('ends a stream that fails with an error, an array with its bracket', async () => {
    const broken = answer([say('I '), { type: 'error', message: 'Overloaded.' }, say('never')]);
    const error = { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } };
    const events = await (await ask(broken, 'streamGenerateContent?alt=sse')).text();
    expect(events.endsWith(`data: ${JSON.stringify(error)}\r\n\r\n`)).toBe(true);
    expect(((await (await ask(broken, 'streamGenerateContent')).json()) as object[]).at(-1)).toEqual(error);
  });

  test('counts tokens, and refuses in the shape of its provider', async () => {
    const upstream = await startUpstream();
    onTestFinished(() => upstream.close());
    const count = (body: object, headers = {}) =>
      fetch(`${upstream.url}${PATH}:countTokens`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await (await count(BODY, { 'x-goog-api-key': 'key' })).json()).toMatchObject({ totalTokens: 15 });
    const refused = await count(BODY);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } });
  });
});
