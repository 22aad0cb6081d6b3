import { type AnswerPart, callTool, say, think } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { Step, WireAnswer } from '../wire/exchange.ts';
import { WORDS } from './bodies.ts';
import { ALL, SSE, USUAL } from './formats-of.ts';
import { bodyOf, bytes, cutAt, eachSeen, request, respond, withSteps } from './write.ts';

const SAME: readonly Aspect[] = ['one-request', 'status', 'response-meaning', 'end'];
const IN_TIME: readonly Aspect[] = [...SAME, 'timing'];

/** Words that a test can find again, each in an event of its own. */
const COUNTED = Array.from({ length: 8 }, (_, number) => `word-${number} `);

const PARTS: readonly AnswerPart[] = [say(...WORDS), callTool('get_weather', { city: 'Köln', note: '🌍' })];

/** A case about one stream. */
function stream(
  name: string,
  promise: string,
  answer: (usual: (parts: readonly AnswerPart[]) => WireAnswer, context: CaseContext) => WireAnswer,
  more: Partial<ConformanceCase> & { readonly judges?: readonly Aspect[] } = {},
): ConformanceCase {
  const { judges = SAME, ...rest } = more;
  return {
    id: `streams/${name}`,
    promise,
    sources: ['html-sse'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges,
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        return [{ request: usual, answer: answer((parts) => respond(context, usual, parts), context) }];
      },
    },
    ...rest,
  };
}

/** A case about the text between the events of a stream. */
function text(
  name: string,
  promise: string,
  change: (text: string) => string,
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return stream(
    name,
    promise,
    (usual) => {
      const answer = usual(PARTS);
      return { ...answer, steps: bytes(change(bodyOf(answer).toString('utf8'))).steps };
    },
    { formats: SSE, ...more },
  );
}

const BREAK: Step = { type: 'break' };

/** The start of a body, and whether the connection breaks there. */
const cutOff = (answer: WireAnswer, share: number): WireAnswer => {
  const body = bodyOf(answer);
  const piece = body.subarray(0, Math.floor(body.length * share));
  return { ...answer, steps: [{ type: 'bytes', bytes: piece }, { type: 'silence', ms: 20 }, BREAK] };
};

/** Streams arrive complete, in order and in time. */
export const STREAMS: readonly ConformanceCase[] = [
  stream(
    'in-time',
    'Each event reaches the client before the provider sends the next one.',
    (usual) => withSteps(usual([say(...COUNTED)]), eachSeen),
    { judges: [...IN_TIME, 'soon'], sources: ['unity-gateway-buffering', 'html-sse'] },
  ),
  stream(
    'words-in-time',
    'Each word reaches the client before the provider sends the next one.',
    (usual) =>
      withSteps(usual([say(...COUNTED)]), (steps) =>
        eachSeen(steps).filter((step) => step.type !== 'seen' || step.text !== undefined),
      ),
    { judges: ['status', 'timing', 'end'], sources: ['unity-gateway-buffering', 'html-sse'] },
  ),
  stream(
    'head-in-time',
    'The head of a stream reaches the client before its first event.',
    (usual) => withSteps(usual([say('Yes.')]), (steps) => [{ type: 'seen' }, ...steps]),
    { judges: IN_TIME, sources: ['litellm-buffering'] },
  ),
  stream(
    'calls-in-time',
    'Fragments of the arguments of a call reach the client as they come.',
    (usual) =>
      withSteps(
        usual([callTool('write_file', ['{"text":"', 'word-0 ', 'word-1 ', 'word-2 ', '"}'])]),
        eachSeen,
      ),
    { judges: IN_TIME, sources: ['srouter-buffering'] },
  ),
  stream(
    'small-events-in-time',
    'Small events of a slow model are not collected until there are more of them.',
    (usual) =>
      withSteps(usual([say(...COUNTED.slice(0, 3))]), (steps) =>
        eachSeen(steps).flatMap((step): Step[] =>
          step.type === 'bytes' ? [step, { type: 'silence', ms: 30 }] : [step],
        ),
      ),
    { judges: IN_TIME, sources: ['unity-gateway-buffering'] },
  ),
  stream(
    'split-bytes',
    'A stream that arrives byte by byte means the same.',
    (usual) => {
      const answer = usual(PARTS);
      return cutAt(
        answer,
        Array.from({ length: bodyOf(answer).length }, (_, at) => at),
      );
    },
    { sources: ['anarlog-split-frames', 'cache-fix-utf8', 'cc-switch-utf8'], isAlone: true },
  ),
  stream(
    'split-anywhere',
    'A stream that is cut at any places means the same.',
    (usual, { random }) => {
      const answer = usual(PARTS);
      const { length } = bodyOf(answer);
      return cutAt(
        answer,
        Array.from({ length: 24 }, () => random.below(length)),
      );
    },
    { sources: ['anarlog-split-frames'] },
  ),
  stream(
    'split-characters',
    'A stream that is cut within characters means the same.',
    (usual) => {
      const answer = usual(PARTS);
      const body = bodyOf(answer);
      return cutAt(
        answer,
        [...body.keys()].filter((at) => (body[at]! & 0xc0) === 0x80),
      );
    },
    { sources: ['cache-fix-utf8', 'cc-switch-utf8'] },
  ),
  stream(
    'split-lines',
    'A stream that is cut at its line ends means the same.',
    (usual) => {
      const answer = usual(PARTS);
      const body = bodyOf(answer);
      return cutAt(
        answer,
        [...body.keys()].filter((at) => body[at] === 10 || body[at - 1] === 10),
      );
    },
    { sources: ['anarlog-split-frames'] },
  ),
  stream('merged', 'Events that arrive together stay separate events, in order.', (usual) => {
    const answer = usual(PARTS);
    return { ...answer, steps: [{ type: 'bytes', bytes: bodyOf(answer) }] };
  }),
  stream('many-events', 'A stream of three thousand events arrives complete and in order.', (usual) =>
    usual([say(...Array.from({ length: 3_000 }, (_, number) => `${number} `))]),
  ),
  stream('large-event', 'An event of one mebibyte arrives complete.', (usual) =>
    usual([say('x'.repeat(1024 * 1024), 'y')]),
  ),
  stream('order', 'Thinking, text and calls arrive in the order in which the model wrote them.', (usual) =>
    usual([think('Let me ', 'see.'), say('One. '), callTool('a', { n: 1 }), callTool('b', { n: 2 })]),
  ),
  stream(
    'silence',
    'A stream whose model is silent for six seconds goes on.',
    (usual) =>
      withSteps(usual([say(...COUNTED)]), (steps) => steps.toSpliced(3, 0, { type: 'silence', ms: 6_000 })),
    { formats: ['anthropic-messages'], sources: ['luthien-pings'], isSlow: true },
  ),
  stream(
    'slow-start',
    'A model that thinks for six seconds before its first byte is waited for.',
    (usual) => ({ ...usual([say('Yes.')]), startMs: 6_000 }),
    { formats: ['openai-chat'], sources: ['aris-slow-start'], isSlow: true },
  ),
  {
    id: 'streams/slow-request',
    promise: 'A request whose second half comes six seconds after the first, as over a bad line, arrives.',
    sources: ['rfc9110-intermediaries'],
    formats: ['gemini'],
    isSlow: true,
    play: {
      kind: 'exchanges',
      judges: [...SAME, 'request-meaning'],
      exchanges: (context) => {
        const usual = request(context, { isStream: true });
        return [{ request: usual, answer: respond(context, usual, [say('Yes.')]), pauseMs: 6_000 }];
      },
    },
  },
  stream(
    'interim-response',
    'An interim response of the provider is not taken for its response.',
    (usual) => ({ ...usual(PARTS), hasInterim: true }),
    { formats: USUAL, sources: ['rfc9110-interim'] },
  ),
  text('crlf', 'A stream whose lines end in CR LF means the same.', (body) => body.replaceAll('\n', '\r\n')),
  text(
    'byte-order-mark',
    'A stream that begins with a byte order mark means the same.',
    (body) => `\uFEFF${body}`,
  ),
  text(
    'unknown-events',
    'Events that no documentation names reach the client.',
    (body) => `event: x_new_event\ndata: {"type":"x_new_event"}\n\n${body}`,
    { sources: ['anthropic-streaming'] },
  ),
  text('no-event-names', 'Events without names stay without.', (body) =>
    body.replaceAll(/^event: .*\n/gm, ''),
  ),
  text(
    'two-data-lines',
    'An event of two data lines means the same.',
    (body) => `data: {"type":\ndata: "x_two_lines"}\n\n${body}`,
  ),
  text('no-final-blank-line', 'The last event arrives though no blank line follows.', (body) =>
    body.replace(/\n+$/, '\n'),
  ),
  text('no-final-line-end', 'The last event arrives though not even its line ends.', (body) =>
    body.trimEnd(),
  ),
  text('repeated-events', 'Two events with the same content stay two.', (body) => {
    const [first = '', ...others] = body.split(/(?<=\n\n)/);
    const middle = others.findIndex((event) => event.includes('世界'));
    return [first, ...others.toSpliced(Math.max(middle, 0), 0, others[Math.max(middle, 0)]!)].join('');
  }),
  stream(
    'keep-alive',
    'Comments that keep a connection alive reach the client while the model is silent.',
    (usual) =>
      withSteps(usual([say('Yes.')]), (steps) => {
        const comment: Step[] = [
          { type: 'bytes', bytes: Buffer.from(': word-77\n\n') },
          { type: 'seen', text: 'word-77' },
        ];
        return [steps[0]!, ...comment, ...comment, ...steps.slice(1)];
      }),
    {
      judges: IN_TIME,
      formats: SSE,
      sources: ['html-sse', 'bitrouter-pings'],
      breaks: 'clients with an idle timeout, such as Claude Code, give up',
    },
  ),
  stream(
    'pings',
    "Anthropic's pings reach the client while the model is silent.",
    (usual) =>
      withSteps(usual([say('Yes.')]), (steps) => {
        const ping: Step[] = [
          { type: 'bytes', bytes: Buffer.from('event: ping\ndata: {"type":"ping","n":"word-78"}\n\n') },
          { type: 'seen', text: 'word-78' },
        ];
        return [steps[0]!, ...ping, ...ping, ...steps.slice(1)];
      }),
    {
      judges: IN_TIME,
      formats: ['anthropic-messages'],
      sources: ['luthien-pings', 'anthropic-streaming'],
      breaks: 'Claude Code gives up after minutes without a byte',
    },
  ),
  stream(
    'error-inside',
    "The provider's error inside a stream reaches the client as it is.",
    (usual) => usual([say('Half '), { type: 'error', message: 'Overloaded, sorry.' }]),
    {
      sources: ['cliproxy-stream-errors', 'anthropic-streaming'],
      breaks: '@anthropic-ai/sdk takes a failed response for a complete one',
    },
  ),
  stream(
    'error-first',
    'An error as the only event of a stream reaches the client as it is.',
    (usual) => usual([{ type: 'error', message: 'Overloaded, sorry.' }]),
    { sources: ['cliproxy-stream-errors'] },
  ),
  stream(
    'cut-off',
    'A connection that breaks within an event never looks like the end of a response.',
    (usual) => cutOff(usual(PARTS), 0.5),
    {
      judges: ['one-request', 'status', 'end'],
      sources: ['aisix-done-after-error', 'rfc9112-incomplete', 'rfc9110-idempotent'],
    },
  ),
  stream(
    'cut-off-between-events',
    'A connection that breaks between two events never looks like the end of a response.',
    (usual) => withSteps(usual(PARTS), (steps) => [...steps.slice(0, 4), { type: 'silence', ms: 20 }, BREAK]),
    { judges: ['one-request', 'status', 'end'], sources: ['talon-stream-death', 'rfc9112-incomplete'] },
  ),
  stream(
    'cut-off-text',
    'What arrived before a connection broke reaches the client.',
    (usual) => withSteps(usual([say(...COUNTED)]), (steps) => [...eachSeen(steps.slice(0, 6)), BREAK]),
    { judges: ['one-request', 'status', 'timing', 'end'], sources: ['talon-stream-death'] },
  ),
  stream(
    'ends-early',
    'A stream that ends without its last events is not completed by the gateway.',
    (usual) => withSteps(usual(PARTS), (steps) => steps.slice(0, -2)),
    { sources: ['aisix-done-after-error'] },
  ),
];
