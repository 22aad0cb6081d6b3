import { say } from '@winnow/testkit';
import type { ConformanceCase } from '../conformance-case.ts';
import type { Step, WireAnswer } from '../wire/exchange.ts';
import { ALL } from './formats-of.ts';
import { bytes, request, respond, withSteps } from './write.ts';

const HOLD: Step = { type: 'hold' };
const MEBIBYTE = 1024 * 1024;

/** Abandoned requests end at the provider, and slow clients slow the provider down. */
export const CANCELLATION: readonly ConformanceCase[] = [
  {
    id: 'cancellation/waiting-whole',
    promise: 'A client that leaves while it waits for a whole response ends the request at the provider.',
    sources: ['litellm-whole-cancellation'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['cancellation'],
      exchanges: (context) => [
        { request: request(context), answer: { ...bytes(''), isSilent: true }, mood: 'leaves-waiting' },
      ],
    },
  },
  {
    id: 'cancellation/waiting-stream',
    promise: 'A client that leaves before the first event of a stream ends the request at the provider.',
    sources: ['litellm-first-token-cancellation'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['cancellation'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        return [{ request: usual, answer: { ...bytes(''), isSilent: true }, mood: 'leaves-waiting' }];
      },
    },
  },
  {
    id: 'cancellation/after-head',
    promise: 'A client that leaves between the head and the first event ends the request at the provider.',
    sources: ['litellm-first-token-cancellation'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['cancellation'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        const answer = withSteps(respond(context, usual, [say('Yes.')]), () => [HOLD]);
        return [{ request: usual, answer, mood: 'leaves-waiting' }];
      },
    },
  },
  {
    id: 'cancellation/reading',
    promise: 'A client that leaves in the middle of a stream ends it at the provider.',
    sources: ['litellm-stream-cancellation', 'lm-proxy-cancellation'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['cancellation'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        const answer = withSteps(respond(context, usual, [say('One ', 'two ', 'three.')]), holdBehindText);
        return [{ request: usual, answer, mood: 'leaves-reading' }];
      },
    },
  },
  {
    id: 'cancellation/sending',
    promise: 'A client that leaves while it sends a request never makes the provider answer it.',
    sources: ['rfc9112-incomplete'],
    formats: ALL,
    isAlone: true,
    play: {
      kind: 'exchanges',
      judges: ['no-whole-request'],
      exchanges: (context) => {
        const usual = request(context, { user: 'x'.repeat(200_000) });
        return [{ request: usual, answer: respond(context, usual, [say('Yes.')]), mood: 'leaves-sending' }];
      },
    },
  },
  {
    id: 'cancellation/back-pressure',
    promise: 'A client that does not read makes the provider wait, and then gets everything.',
    sources: ['hermes-buffer', 'node-backpressure'],
    formats: ['openai-chat', 'anthropic-messages', 'ollama-chat', 'bedrock-converse'],
    isAlone: true,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'back-pressure', 'end', 'response-length'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        const one = respond(context, usual, [say('x'.repeat(64 * 1024))]);
        return [{ request: usual, answer: repeated(one, 64 * MEBIBYTE), mood: 'stalls' }];
      },
    },
  },
  {
    id: 'cancellation/others-go-on',
    promise: "A client that leaves does not disturb the next client's stream.",
    sources: ['litellm-stream-cancellation'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['status', 'response-meaning', 'end'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        const answer = respond(context, usual, [say('One ', 'two ', 'three.')]);
        const left = withSteps(answer, holdBehindText);
        return [
          { request: usual, answer: left, mood: 'leaves-reading', isPrelude: true },
          { request: usual, answer },
        ];
      },
    },
  },
];

/** Holds a stream behind its first text. */
function holdBehindText(steps: readonly Step[]): Step[] {
  const at = steps.findIndex((step) => step.type === 'bytes' && holds(step.bytes, 'One '));
  return [...steps.slice(0, at + 1), HOLD];
}

/** Whether an event has a text, which InvokeModel writes in base64. */
function holds(event: Uint8Array, text: string): boolean {
  const plain = Buffer.from(event).toString('latin1');
  const encoded = /"bytes":"([^"]*)"/.exec(plain)?.[1] ?? '';
  return plain.includes(text) || Buffer.from(encoded, 'base64').includes(text);
}

/** Repeats the largest event of a stream up to this size. */
function repeated(answer: WireAnswer, size: number): WireAnswer {
  const pieces = [...answer.steps].filter((step) => step.type === 'bytes');
  const largest = pieces.reduce((one, other) => (other.bytes.length > one.bytes.length ? other : one));
  const at = pieces.indexOf(largest);
  const times = Math.ceil(size / largest.bytes.length);
  return {
    ...answer,
    steps: [...pieces.slice(0, at), ...Array.from({ length: times }, () => largest), ...pieces.slice(at + 1)],
  };
}
