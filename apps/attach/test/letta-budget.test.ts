import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLetta } from '../src/letta/letta-client.ts';

/** A client of a Letta that answers every call with these pieces. */
function lettaThatAnswers(...pieces: readonly string[]) {
  const request = async () => ({
    statusCode: 200,
    body: Readable.from(pieces.map((piece) => Buffer.from(piece))),
  });
  return createLetta({
    url: 'http://letta',
    password: '',
    timeoutMs: 2_000,
    // biome-ignore lint/suspicious/noExplicitAny: a stand-in for the one method that is used
    pool: { request } as any,
    deadline: () => new AbortController().signal,
    wait: async () => {},
    random: () => 0.5,
    onCall: () => {},
  });
}

const { signal } = new AbortController();

const agentWith = (count: number) =>
  JSON.stringify({ id: 'agent-1', tools: Array.from({ length: count }, (_, at) => ({ id: `tool-${at}` })) });

test('an agent with more tools than any has is not understood, so that none is detached', async () => {
  const most = await lettaThatAnswers(agentWith(500)).readAgent('agent-1', signal);
  expect(most.tools).toHaveLength(500);
  await expect(lettaThatAnswers(agentWith(501)).readAgent('agent-1', signal)).rejects.toMatchObject({
    reason: 'invalid_response',
    message: 'the agent has more than 500 tools',
  });
});

test('a response of very many values is not parsed', async () => {
  const values = '[1,'.repeat(300_000);
  await expect(lettaThatAnswers(values, values).readAgent('agent-1', signal)).rejects.toMatchObject({
    reason: 'invalid_response',
    message: 'the answer is too large',
  });
});

test('each call has the time limit that is set', async () => {
  const limits: number[] = [];
  const answer = async () => ({ statusCode: 200, body: Readable.from([Buffer.from(agentWith(1))]) });
  const letta = createLetta({
    url: 'http://letta',
    password: '',
    timeoutMs: 7_000,
    // biome-ignore lint/suspicious/noExplicitAny: a stand-in for the one method that is used
    pool: { request: answer } as any,
    deadline: (ms) => {
      limits.push(ms);
      return new AbortController().signal;
    },
    wait: async () => {},
    random: () => 0.5,
    onCall: () => {},
  });
  await letta.readAgent('agent-1', signal);
  expect(limits).toEqual([7_000]);
});
