import type { Random } from '../random.ts';

/** Whose answer it is meant to look like. */
export type AnswerShape = 'openai' | 'anthropic' | 'ollama';

/** What the bodies of answers are made from. `size` is about how many bytes they may have. */
export interface EventsInput {
  readonly random: Random;
  readonly shape: AnswerShape;
  readonly size: number;
  readonly searchToolName: string | undefined;
}

/** The name that a hostile upstream calls: the search tool's where it knows it. */
export function nameOf({ searchToolName }: EventsInput): string {
  return searchToolName ?? 'tool_1';
}

function event(shape: AnswerShape, data: string): string {
  if (shape === 'ollama') return `${data}\n`;
  const name = shape === 'anthropic' ? /^\{"type":"(\w+)"/.exec(data)?.[1] : undefined;
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
}

/** A short answer that means well, event by event. */
export function goodEvents({ shape }: EventsInput): string[] {
  return GOOD_EVENTS[shape].map((data) => event(shape, data));
}

const chunk = (delta: string, reason = 'null') =>
  `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}`;

const line = (message: string, more = '"done":false') =>
  `{"model":"m","created_at":"x","message":${message},${more}}`;

const GOOD_EVENTS: Readonly<Record<AnswerShape, readonly string[]>> = {
  openai: [
    chunk('{"role":"assistant","content":""}'),
    chunk('{"content":"Hello"}'),
    chunk('{}', '"stop"'),
    '[DONE]',
  ],
  anthropic: [
    '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}',
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
    '{"type":"message_stop"}',
  ],
  ollama: [
    line('{"role":"assistant","content":"Hel"}'),
    line('{"role":"assistant","content":"lo"}'),
    line('{"role":"assistant","content":""}', '"done":true,"done_reason":"stop"'),
  ],
};

/** An event with a value where none of that kind belongs. */
export function oddEvent({ random, shape }: EventsInput, value: string): string {
  const places: Readonly<Record<AnswerShape, readonly string[]>> = {
    openai: [
      value,
      chunk(value),
      chunk(`{"content":${value}}`),
      chunk(`{"tool_calls":${value}}`),
      chunk(`{"tool_calls":[${value},{"index":0}]}`),
      chunk('{}', value),
      `{"choices":${value}}`,
      `{"choices":[],"usage":${value}}`,
      `{"error":${value}}`,
    ],
    anthropic: [
      value,
      `{"type":${value}}`,
      `{"type":"message_start","message":${value}}`,
      `{"type":"content_block_start","index":${value},"content_block":${value}}`,
      `{"type":"content_block_delta","index":0,"delta":${value}}`,
      `{"type":"message_delta","delta":${value},"usage":${value}}`,
      `{"type":"error","error":${value}}`,
    ],
    ollama: [
      value,
      line(value),
      line(`{"content":${value}}`),
      line(`{"tool_calls":${value}}`),
      line(`{"tool_calls":[${value}]}`),
      `{"done":${value}}`,
      `{"error":${value}}`,
    ],
  };
  return event(shape, random.pick(places[shape]));
}

/** An event that begins a call. */
export function callEvent({ random, shape }: EventsInput, name: string, text: string): string {
  const index = random.below(3);
  const json = JSON.stringify(text);
  switch (shape) {
    case 'openai':
      return event(
        shape,
        chunk(
          `{"tool_calls":[{"index":${index},"id":"call_${index}","type":"function","function":{"name":"${name}","arguments":${json}}}]}`,
        ),
      );
    case 'anthropic':
      return (
        event(
          shape,
          `{"type":"content_block_start","index":${index},"content_block":{"type":"tool_use","id":"toolu_${index}","name":"${name}","input":{}}}`,
        ) +
        event(
          shape,
          `{"type":"content_block_delta","index":${index},"delta":{"type":"input_json_delta","partial_json":${json}}}`,
        )
      );
    case 'ollama':
      return event(
        shape,
        line(
          `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"${name}","arguments":{"query":${json}}}}]}`,
        ),
      );
    default:
      return shape satisfies never;
  }
}

/** An event that goes on with a call. */
export function argumentsEvent({ shape }: EventsInput): string {
  switch (shape) {
    case 'openai':
      return event(shape, chunk('{"tool_calls":[{"index":0,"function":{"arguments":"more "}}]}'));
    case 'anthropic':
      return event(
        shape,
        '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"more "}}',
      );
    case 'ollama':
      return event(shape, line('{"role":"assistant","content":"more "}'));
    default:
      return shape satisfies never;
  }
}

/** A whole answer with a value where it may hurt. */
export function wholeMessage(input: EventsInput, value: string): string {
  const { random, shape } = input;
  const name = nameOf(input);
  const search = {
    openai: `{"id":"c","type":"function","function":{"name":"${name}","arguments":"{}"}}`,
    anthropic: `{"type":"tool_use","id":"t","name":"${name}","input":{}}`,
    ollama: `{"function":{"name":"${name}","arguments":{}}}`,
  }[shape];
  const calls = random.pick(['', search, `${search},${search}`, `${search},${value}`, value]);
  const places: Readonly<Record<AnswerShape, readonly string[]>> = {
    openai: [
      value,
      `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":${value},"tool_calls":[${calls}]},"finish_reason":"stop"}]}`,
      `{"choices":${value}}`,
      `{"choices":[{"message":${value}}]}`,
      `{"error":${value}}`,
      `{"id":"c","more":${value},"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":${value}}`,
    ],
    anthropic: [
      value,
      `{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"x"},${value}],"stop_reason":"end_turn","usage":${value}}`,
      `{"content":${value}}`,
      `{"id":"m","type":"message","role":"assistant","content":[${calls}],"stop_reason":"tool_use"}`,
      `{"type":"error","error":${value}}`,
    ],
    ollama: [
      value,
      line(`{"role":"assistant","content":${value},"tool_calls":[${calls}]}`, '"done":true'),
      line(value, '"done":true'),
      `{"error":${value}}`,
    ],
  };
  return random.pick(places[shape]);
}
