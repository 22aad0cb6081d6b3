import { Transform } from 'node:stream';
import { FAULTS } from '../../apps/conformance/test/faults.ts';
import { endToEnd, type Fault } from '../../apps/conformance/test/reverse-proxy.ts';

/** A fault in front of a deferring gateway or behind it, and the cases that must catch it. */
export interface DeferralFault {
  readonly place: 'front' | 'behind';
  readonly fault: Fault;
  readonly catches: readonly string[];
}

const SEARCH_TOOL = 'gateway_search_tools';

const inResponse = (change: (text: string) => string): Fault => ({
  responseStream: () => {
    const chunks: Buffer[] = [];
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        chunks.push(chunk);
        done();
      },
      flush(done) {
        this.push(change(Buffer.concat(chunks).toString('utf8')));
        done();
      },
    });
  },
});

const inRequest = (change: (text: string) => string): Fault => ({
  requestBody: (body) => Buffer.from(change(body.toString('utf8'))),
});

/** Returns a fault that any gateway may have, in front of a deferring one or behind it. */
function planted(
  place: DeferralFault['place'],
  name: string,
  ...cases: string[]
): Record<string, DeferralFault> {
  const catches = cases.map((one) => `deferral/${one}`);
  return { [name]: { place, fault: FAULTS[name]!.fault, catches } };
}

/** Whether a request holds the result of a call. */
const isSearched = (text: string): boolean => text.includes('"role":"tool"');

/** Returns a change of requests that adds a text to each one behind the first that had it. */
function remembering(wanted: RegExp): (text: string) => string {
  let found: string | undefined;
  return (text) => {
    const before = found;
    found ??= wanted.exec(text)?.[0];
    return before === undefined ? text : text.replace('{', `{"x_found":"${before}",`);
  };
}

let requests = 0;

function failsAfter(count: number): Fault {
  let rounds = 0;
  return { response: () => (++rounds > count ? { status: 500 } : {}) };
}

/** Every fault of a deferring gateway by what it does. */
export const DEFERRAL_FAULTS: Readonly<Record<string, DeferralFault>> = {
  'shows its search tool in every dialect': {
    place: 'front',
    fault: inResponse((text) => text.replace('"object":', `"x_tool":"${SEARCH_TOOL}","object":`)),
    catches: ['vllm', 'sglang', 'llama-cpp', 'xai'].map((name) => `deferral/dialect-${name}`),
  },
  'changes signed reasoning': {
    place: 'behind',
    fault: inRequest((text) => text.replaceAll('SIG(', 'SIG(0')),
    catches: [
      'openrouter-text',
      'openrouter-encrypted',
      'litellm-unnumbered',
      'litellm-numbered',
      'gemini-s-endpoint',
    ].map((name) => `deferral/dialect-${name}`),
  },
  'drops reasoning': {
    place: 'behind',
    fault: inRequest((text) => text.replaceAll('"reasoning_content"', '"x_reasoning"')),
    catches: ['deferral/dialect-deepseek', 'deferral/dialect-kimi'],
  },
  'adds a member to messages': {
    place: 'behind',
    fault: inRequest((text) => text.replaceAll('"role":"assistant",', '"role":"assistant","x_note":1,')),
    catches: ['deferral/dialect-groq', 'deferral/dialect-mistral'],
  },
  'shows its search tool': {
    place: 'front',
    fault: inResponse((text) => text.replace('"object":', `"x_tool":"${SEARCH_TOOL}","object":`)),
    catches: ['deferral/found', 'deferral/found-stream', 'deferral/no-call', 'deferral/no-call-stream'],
  },
  'shows its search tool in errors': {
    place: 'front',
    fault: inResponse((text) => text.replace('"message":"', `"message":"${SEARCH_TOOL}: `)),
    catches: ['deferral/fails-with-names'],
  },
  'ends a stream twice': {
    place: 'front',
    fault: inResponse((text) =>
      text.replace(/(?:event: message_stop\n)?data: (?:\[DONE\]|\{"type":"message_stop.*)/, '$&\n\n$&'),
    ),
    catches: [
      ...['found-stream', 'no-call-stream', 'text-first-stream', 'text-between-stream', 'found-comments'],
      'found-pings',
    ].map((name) => `deferral/${name}`),
  },
  'repeats one of two calls and loses the other': {
    place: 'front',
    fault: inResponse((text) => text.replaceAll('convert_currency_amount', 'get_weather_forecast')),
    catches: ['deferral/two-found', 'deferral/next-to-a-call'],
  },
  'loses the text before a search': {
    place: 'front',
    fault: inResponse((text) => text.replace('Let me look. ', '')),
    catches: ['deferral/text-first'],
  },
  'forgets what it has found': {
    place: 'behind',
    fault: inRequest((text) => text.replaceAll('get_weather_forecast', 'no_such_tool')),
    catches: ['deferral/later-turn', 'deferral/thinking', 'deferral/chosen'],
  },
  'shortens definitions': {
    place: 'behind',
    fault: inRequest((text) => text.replaceAll('forecast of a city for the next days', 'forecast')),
    catches: ['deferral/definitions'],
  },
  'loses the answer after a search in vain': {
    place: 'front',
    fault: inResponse((text) => text.replace(/I cannot see [^.]*\./, '')),
    catches: ['deferral/nothing-found'],
  },
  'has a provider that fails after two rounds': {
    place: 'behind',
    fault: failsAfter(2),
    catches: ['deferral/endless-searches'],
  },
  'takes a tool of the client for its own': {
    place: 'front',
    fault: inRequest((text) => text.replaceAll(SEARCH_TOOL, 'hidden_tool')),
    catches: ['deferral/own-name'],
  },
  'begins each conversation differently': {
    place: 'behind',
    fault: inRequest((text) =>
      text.replace('You are a helpful agent.', `Request ${++requests}: you are a helpful agent.`),
    ),
    catches: ['deferral/constant-head'],
  },
  'asks for what it has found without the headers and settings of the client': {
    place: 'behind',
    fault: {
      ...inRequest((text) => (isSearched(text) ? text.replace('"seed":0,', '') : text)),
      request: ({ headers }) => ({ headers: endToEnd(headers, 'x-kept') }),
    },
    catches: ['deferral/settings'],
  },
  'has words of its own for errors': {
    place: 'front',
    fault: inResponse((text) => text.replace('this member is not permitted', 'failed')),
    catches: ['deferral/fails-before-text'],
  },
  'counts tokens of searches twice': {
    place: 'front',
    fault: inResponse((text) => text.replace(/"completion_tokens":(\d+)/, '"completion_tokens":9$1')),
    catches: ['deferral/tokens'],
  },
  'ends a stream whose later round failed as if all were well': {
    place: 'front',
    fault: inResponse((text) => text.replace(/data: \{"error".*\n\n/, 'data: [DONE]\n\n')),
    catches: [
      ...[
        'fails-later-stream',
        'breaks-off-later',
        'streams-error-inside',
        'streams-cut-off',
        'streams-cut-off-between-events',
      ],
    ].map((name) => `deferral/${name}`),
  },
  'gives clients what others have searched for': {
    place: 'behind',
    fault: inRequest(remembering(/zzqx/)),
    catches: ['deferral/other-client', 'deferral/left', 'deferral/left-stream'],
  },
  'bans calls where they are demanded': {
    place: 'front',
    fault: inRequest((text) => text.replace('"tool_choice":"required"', '"tool_choice":"none"')),
    catches: ['deferral/required'],
  },
  ...planted('front', 'escapes arguments twice', 'arguments'),
  ...planted('front', 'has five connections to the provider', 'limits-streams-at-once'),
  ...planted('front', 'collects eight kilobytes', 'streams-words-in-time', 'found-in-time'),
  ...planted('behind', 'decodes each chunk by itself', 'streams-split-bytes', 'found-bytes'),
  ...planted('behind', 'does not know CR LF', 'streams-crlf', 'found-crlf'),
  ...planted(
    'behind',
    'drops the last event without a blank line',
    'streams-no-final-blank-line',
    'found-no-final-blank-line',
  ),
  ...planted('behind', 'takes a byte order mark for a part of the first line', 'streams-byte-order-mark'),
  ...planted('behind', 'drops events that it does not know', 'streams-unknown-events'),
  ...planted('front', 'reads responses as fast as they come', 'cancellation-back-pressure'),
  ...planted(
    'front',
    'gives every error status 500',
    'errors-401',
    'errors-403',
    'errors-529',
    'fails-later',
    'resets-later',
  ),
  ...planted('front', 'drops the seconds to wait', 'errors-429-retry-after'),
  ...planted('front', 'renames the headers of the provider', 'errors-429-no-retry'),
  ...planted('front', 'repeats failed requests', 'errors-500'),
  ...planted(
    'front',
    'does not tell the provider that the client has left',
    ...['waiting-whole', 'waiting-stream', 'after-head', 'reading'].map((name) => `cancellation-${name}`),
  ),
  ...planted('front', 'disturbs the client after one that left', 'cancellation-others-go-on'),
  'gives the refusal of its own request to the client': {
    place: 'front',
    fault: { response: () => ({ status: 400 }) },
    catches: ['deferral/refused', 'deferral/refused-later'],
  },
};
