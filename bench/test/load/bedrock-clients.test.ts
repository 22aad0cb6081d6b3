import { describe, expect, test } from 'vitest';
import { makeCatalogues } from '../../src/load/catalogues.ts';
import { CONVERSE_CLIENT } from '../../src/load/converse-client.ts';
import { makeDialogue } from '../../src/load/dialogue.ts';
import { INVOKE_CLIENT } from '../../src/load/invoke-client.ts';
import { CONVERSE_STREAM, INVOKE_STREAM } from '../../src/proxy/bedrock-answers.ts';

describe.each([
  ['Converse', CONVERSE_CLIENT, CONVERSE_STREAM],
  ['InvokeModel', INVOKE_CLIENT, INVOKE_STREAM],
] as const)("a load's client of %s", (_, client, stream) => {
  const body = Buffer.concat(stream);

  test('reads a response of several frames', () => {
    const { text, stop, calls } = client.readStream(client.readEvents!(body));
    expect(text.length).toBeGreaterThan(500);
    expect({ stop, calls }).toEqual({ stop: client.stops.text, calls: [] });
  });

  test('refuses a frame with a changed byte, a cut-off frame, and a stream without its end', () => {
    for (const at of [0, 5, 9, 20, 60, body.length - 1]) {
      const changed = Buffer.from(body);
      changed[at]! ^= 1;
      expect(() => client.readEvents!(changed), `byte ${at}`).toThrow();
    }
    expect(() => client.readEvents!(body.subarray(0, -1))).toThrow('longer than the body');
    const events = client.readEvents!(body);
    expect(() => client.readStream(events.slice(0, -1))).toThrow();
    expect(() => client.readStream(events.slice(1))).toThrow();
  });
});

test('loads use every format, and both versions of HTTP for Bedrock', () => {
  const catalogues = makeCatalogues(1);
  const seen = new Set<string>();
  for (let number = 1; number <= 300 && seen.size < 11; number++) {
    const { wire, isHttp2 } = makeDialogue(1, number, catalogues);
    seen.add(`${wire}${isHttp2 ? ' h2' : ''}`);
  }
  expect([...seen].sort()).toEqual([
    ...['chat', 'converse', 'converse h2', 'gemini', 'hosted', 'interactions', 'invoke'],
    ...['invoke h2', 'messages', 'ollama'],
    'responses',
  ]);
});
