import { anthropicBedrock } from '../../../src/anthropic-messages/anthropic-bedrock.ts';
import { awsEventStream } from '../../../src/framing/aws-event-stream.ts';
import type { WireEvent } from '../../../src/framing/framing.ts';
import { sse } from '../../../src/framing/sse.ts';
import type { FormatFixtures, WrittenResponse } from '../../format-fixtures.ts';
import { bytesOf, decodeAll, encodeAll } from '../../frames.ts';
import { messagesFixtures } from '../messages-fixtures.ts';

/** An event and its frame. */
export const readData = (data: string) => {
  const { bytes } = JSON.parse(data) as { bytes?: string };
  return bytes === undefined ? data : Buffer.from(bytes, 'base64').toString();
};
export const writeData = (said: string) =>
  JSON.stringify({ bytes: Buffer.from(said).toString('base64'), p: 'abcdefg' });

/** The metrics in the last event of a stream. */
export const METRICS = {
  inputTokenCount: 20,
  outputTokenCount: 7,
  invocationLatency: 900,
  firstByteLatency: 300,
  cacheReadInputTokenCount: 100,
};

/** A stream of Messages in the service's frames. */
export function framed(stream: string): string {
  const events = decodeAll(sse, [new TextEncoder().encode(stream)]);
  return encodeAll(
    awsEventStream,
    events.flatMap((event): WireEvent[] =>
      event.kind === 'event'
        ? [{ kind: 'event', name: 'chunk', data: writeData(withMetrics(event.data)) }]
        : [],
    ),
  );
}

function withMetrics(data: string): string {
  const event = JSON.parse(data);
  if (event.type !== 'message_stop') return data;
  return JSON.stringify({ ...event, 'amazon-bedrock-invocationMetrics': METRICS });
}

/** Reads such a stream like the vendor's own client; throws for an exception. */
export function unframed(stream: string): string {
  const events = decodeAll(awsEventStream, [bytesOf(awsEventStream, stream)]);
  return encodeAll(
    sse,
    events.map((event) => {
      if (event.kind !== 'event' || event.isError || event.name !== 'chunk')
        throw new Error(JSON.stringify(event));
      const data = readData(event.data);
      return { kind: 'event', name: JSON.parse(data).type, data };
    }),
  );
}

const MODEL = 'eu.anthropic.claude-opus-4-6-v1%3A0';
const framedAnswers = Object.entries(messagesFixtures.answers).map(([name, { stream, whole }]) => [
  name,
  { stream: framed(stream), whole } satisfies WrittenResponse,
]);

export const invocationFixtures: FormatFixtures = {
  ...messagesFixtures,
  format: anthropicBedrock,
  framing: awsEventStream,
  path: `/model/${MODEL}/invoke`,
  streamPath: `/model/${MODEL}/invoke-with-response-stream`,
  readData,
  writeData,
  otherShapes: ['{"messages":"hello"}', '{"messages":[],"toolConfig":{}}', '{"prompt":"x"}'],
  routes: [
    ['POST', '/model/anthropic.claude-3-haiku-20240307-v1:0/invoke', 'answer'],
    ['POST', `/model/${MODEL}/invoke-with-response-stream`, 'answer'],
    ['POST', `/model/${MODEL}/count-tokens`, 'count_tokens'],
  ],
  otherRoutes: [
    ['GET', `/model/${MODEL}/invoke`],
    ['POST', `/model/${MODEL}/async-invoke`],
    ['POST', `/model/${MODEL}/invoke-with-bidirectional-stream`],
    ['POST', '/v1/messages'],
  ],
  answers: Object.fromEntries(framedAnswers) as FormatFixtures['answers'],
  writeAnswer: (answer) => {
    const { stream, whole } = messagesFixtures.writeAnswer!(answer);
    return { stream: framed(stream), whole };
  },
  writeStreamError: (message) =>
    encodeAll(awsEventStream, [
      { kind: 'event', name: 'modelStreamErrorException', data: JSON.stringify({ message }), isError: true },
    ]),
  writeRequest: (options) =>
    messagesFixtures
      .writeRequest(options)
      .replace(/"model":"claude-opus-4-6",/, '"anthropic_version":"bedrock-2023-05-31",')
      .replace(/"stream":(true|false),/, ''),
  readStream: (stream) => messagesFixtures.readStream(unframed(stream)),
  readWhole: (body) => {
    if (JSON.parse(body).__type !== undefined) throw new Error(body);
    return messagesFixtures.readWhole(body);
  },
};
