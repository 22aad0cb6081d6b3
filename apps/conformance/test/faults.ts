import { Transform } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { endToEnd, type Fault, type Head } from './reverse-proxy.ts';

/** Changes the text of a request. */
const inRequest = (change: (text: string) => string): Fault => ({
  requestBody: (body) => Buffer.from(change(body.toString('utf8'))),
});

/** Changes the text of a response, chunk by chunk. */
const inChunks = (change: (text: string) => string): Fault => ({
  responseStream: () => mapChunks((chunk) => Buffer.from(change(chunk.toString('utf8')))),
});

/** Changes the whole body of a response after it has been collected. */
const inBody = (change: (text: string, head: Head) => string | Buffer): Fault => ({
  responseStream: (head) => collected((body) => Buffer.from(change(body.toString('utf8'), head) as string)),
});

/** Changes the JSON of a request. */
const inJson = (change: (json: Record<string, unknown>) => void): Fault =>
  inRequest((text) => {
    try {
      const json = JSON.parse(text) as Record<string, unknown>;
      change(json);
      return JSON.stringify(json);
    } catch {
      return text;
    }
  });

function mapChunks(change: (chunk: Buffer) => Buffer): Transform {
  return new Transform({ transform: (chunk: Buffer, _, done) => done(null, change(chunk)) });
}

function collected(change: (body: Buffer) => Buffer): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      this.push(change(Buffer.concat(chunks)));
      done();
    },
  });
}

/** Removes headers of a request or of a response. */
const withoutRequest = (...names: string[]): Fault => ({
  request: ({ headers }) => ({ headers: endToEnd(headers, ...names) }),
});
const withoutResponse = (...names: string[]): Fault => ({
  response: ({ headers }) => ({ headers: endToEnd(headers, ...names) }),
});

/** Returns the headers whose value is as wanted. */
const onlyPairs = (headers: readonly string[], isWanted: (value: string) => boolean): string[] =>
  headers.flatMap((name, at) => (at % 2 === 0 && isWanted(headers[at + 1]!) ? [name, headers[at + 1]!] : []));

/** Decodes each chunk by itself, which destroys characters that are cut. */
const decodesChunks = inChunks((text) => text);

/** Holds bytes back until there are this many. */
const buffering = (size: number): Fault => ({
  responseStream: () => {
    let held = Buffer.alloc(0);
    return new Transform({
      transform(chunk: Buffer, _, done) {
        held = Buffer.concat([held, chunk]);
        if (held.length >= size) {
          this.push(held);
          held = Buffer.alloc(0);
        }
        done();
      },
      flush(done) {
        this.push(held);
        done();
      },
    });
  },
});

/** Sends what has come once in a while. */
function flushing(everyMs: number): Transform {
  let held: Buffer[] = [];
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      held.push(chunk);
      done();
    },
    flush(done) {
      clearInterval(timer);
      this.push(Buffer.concat(held));
      done();
    },
    destroy(_, done) {
      clearInterval(timer);
      done(null);
    },
  });
  const timer = setInterval(() => {
    for (const chunk of held) stream.push(chunk);
    held = [];
  }, everyMs);
  return stream;
}

/** Passes a part of what is large. */
const upTo = (size: number): Fault => ({
  responseStream: () => {
    let left = size;
    return mapChunks((chunk) => {
      const part = chunk.subarray(0, left);
      left -= part.length;
      return part;
    });
  },
});

const events = (text: string): string[] => text.split(/(?<=\n\n|\r\n\r\n)/);

const isStream = ({ headers }: Head) => headers.join().includes('event-stream');

const members = (json: unknown, change: (object: Record<string, unknown>) => void): void => {
  if (typeof json !== 'object' || json === null) return;
  if (!Array.isArray(json)) change(json as Record<string, unknown>);
  for (const value of Object.values(json)) members(value, change);
};

/** Changes every object in the JSON of a request. */
const inObjects = (change: (object: Record<string, unknown>) => void): Fault =>
  inJson((json) => members(json, change));

/** Changes the events of a stream; whole responses pass. */
const inStream = (change: (text: string) => string): Fault => ({
  responseStream: (head) =>
    isStream(head)
      ? collected((body) => Buffer.from(change(body.toString('utf8'))))
      : mapChunks((chunk) => chunk),
});

/** Returns a JSON text with changed members; any other text as it is. */
function changed(text: string, change: (key: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(JSON.parse(text, change));
  } catch {
    return text;
  }
}

/** Moves tokens of a text that names them. */
const replacing = (from: RegExp, to: string): Fault => inBody((text) => text.replace(from, to));

const without = (name: string) => (object: Record<string, unknown>) => {
  delete object[name];
};

/** One planted fault, and the cases that must catch it. */
export interface PlantedFault {
  readonly fault: Fault;
  readonly catches: readonly string[];
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly Record<string, unknown>[] | null;
}

/** Every planted fault by what it does. */
export const FAULTS: Readonly<Record<string, PlantedFault>> = {
  // Requests.
  'parses requests and writes them anew': {
    fault: inJson(() => {}),
    catches: [
      'bodies/request-white-space',
      'bodies/request-numbers',
      'bodies/request-escapes',
      'bodies/request-duplicate-members',
    ],
  },
  'sorts the members of requests': {
    fault: inRequest((text) =>
      text.startsWith('{"')
        ? JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).toSorted()))
        : text,
    ),
    catches: ['bodies/request-order', 'bodies/whole'],
  },
  'drops members that it does not know': {
    fault: inObjects((object) => {
      for (const key of Object.keys(object)) if (key.startsWith('x_')) delete object[key];
    }),
    catches: ['bodies/request-unknown-members', 'limits/deep-request'],
  },
  'writes requests in ASCII': {
    fault: inRequest((text) =>
      text.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
    catches: ['bodies/request-raw-utf-8'],
  },
  'loses the end of requests': {
    fault: { requestBody: (body) => body.subarray(0, -1) },
    catches: [
      'bodies/request-chunked',
      'bodies/request-not-json',
      'bodies/request-not-text',
      'bodies/token-counts',
    ],
  },
  'decompresses requests': {
    fault: { requestBody: (body) => (body[0] === 0x1f ? gunzipSync(body) : body) },
    catches: ['bodies/request-gzip'],
  },
  'drops the encoding of requests': {
    fault: withoutRequest('content-encoding'),
    catches: ['bodies/request-gzip'],
  },
  'calls every request JSON': {
    fault: {
      request: ({ headers }) => ({
        headers: [...endToEnd(headers, 'content-type'), 'content-type', 'application/json'],
      }),
    },
    catches: ['bodies/request-form'],
  },
  'keeps the last of repeated names in a query': {
    fault: {
      request: ({ path }) => ({
        path: path.replace(/(?<=\?).*/, (query) =>
          [...new Map(query.split('&').map((part) => [part.split('=')[0], part])).values()].join('&'),
        ),
      }),
    },
    catches: ['bodies/request-query', 'stored/read-with-query'],
  },
  'drops queries': {
    fault: { request: ({ path }) => ({ path: path.replace(/\?.*/, '') }) },
    catches: ['bodies/request-query', 'stored/read-with-query', 'stored/input-items'],
  },
  'puts an object into empty requests': {
    fault: { requestBody: (body) => (body.length === 0 ? Buffer.from('{}') : body) },
    catches: ['bodies/request-empty'],
  },
  'refuses large requests': {
    fault: { requestBody: (body) => body.subarray(0, 1024 * 1024) },
    catches: ['limits/large-request'],
  },
  'trims long conversations': {
    fault: inObjects((object) => {
      for (const key of ['messages', 'input', 'contents']) {
        const list = object[key];
        if (Array.isArray(list) && list.length > 100) object[key] = list.slice(-100);
      }
    }),
    catches: ['limits/many-messages'],
  },

  // Responses.
  'parses responses and writes them anew': {
    fault: inBody((text) => {
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        return text;
      }
    }),
    catches: [
      'bodies/response-white-space',
      'bodies/response-numbers',
      'bodies/response-escapes',
      'bodies/response-duplicate-members',
      'stored/read',
    ],
  },
  'drops members of responses that it does not know': {
    fault: replacing(/"x_[a-z_]+":\{"[a-z]+":[^}]*\}\]?\}?,?/g, ''),
    catches: ['bodies/response-unknown-members'],
  },
  'loses the end of responses': {
    fault: { responseStream: () => collected((body) => body.subarray(0, -1)) },
    catches: [
      'bodies/response-trailers',
      'bodies/response-chunked',
      'bodies/stream',
      'stored/not-found',
      'stored/delete',
      'stored/cancel',
    ],
  },
  'decompresses responses and keeps the header': {
    fault: { responseStream: () => collected((body) => (body[0] === 0x1f ? gunzipSync(body) : body)) },
    catches: ['bodies/response-gzip', 'bodies/stream-gzip'],
  },
  'calls every response JSON': {
    fault: {
      response: ({ headers }) => ({
        headers: [...endToEnd(headers, 'content-type'), 'content-type', 'application/json'],
      }),
    },
    catches: ['headers/response-type', 'bodies/response-not-json'],
  },
  'puts an object into empty responses': {
    fault: inBody((text) => (text === '' ? '{}' : text)),
    catches: ['bodies/response-empty', 'errors/no-body'],
  },
  'loses what is large in responses': {
    fault: upTo(500_000),
    catches: ['limits/large-response', 'limits/large-arguments', 'streams/large-event'],
  },
  'flattens deep responses': {
    fault: replacing(/(\{"a":\[){50}/, '{"a":['),
    catches: ['limits/deep-response'],
  },
  'answers many tools with a text of its own': {
    fault: inBody((text) => text.replace('No tool is needed', 'Too many tools')),
    catches: ['limits/many-tools'],
  },
  'changes the second response': {
    fault: inBody((text) => text.replace('This is 13', 'This is 12')),
    catches: ['limits/one-after-the-other'],
  },
  'gives responses to the client that asked last': {
    fault: { mixesClients: true, requestBody: (body) => body },
    catches: ['limits/at-once'],
  },

  // Contents.
  'drops members of requests with empty texts': {
    fault: inObjects((object) => {
      for (const [key, value] of Object.entries(object)) if (value === '') delete object[key];
    }),
    catches: ['bodies/request-nulls'],
  },
  'drops members of responses with zeros': {
    fault: inBody((text) => changed(text, (_, value) => (value === 0 ? undefined : value))),
    catches: ['bodies/response-nulls'],
  },
  'cuts descriptions after 1,024 characters': {
    fault: inObjects((object) => {
      const { description } = object;
      if (typeof description === 'string') object.description = description.slice(0, 1_024);
    }),
    catches: ['tools/descriptions'],
  },
  'writes line ends as LF': {
    fault: inObjects((object) => {
      for (const [key, value] of Object.entries(object))
        if (typeof value === 'string') object[key] = value.replaceAll('\r\n', '\n');
    }),
    catches: ['tools/descriptions'],
  },
  'drops nulls and empty values of requests': {
    fault: inObjects((object) => {
      for (const [key, value] of Object.entries(object)) if (value === null) delete object[key];
    }),
    catches: ['bodies/request-nulls'],
  },
  'drops settings that look like defaults': {
    fault: inObjects((object) => {
      for (const key of ['temperature', 'topP', 'top_p'])
        if (object[key] === 0 || object[key] === 1) delete object[key];
    }),
    catches: ['bodies/request-settings'],
  },
  'allows few tokens': {
    fault: inObjects((object) => {
      for (const key of ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'])
        if (Number(object[key]) > 4_096) object[key] = 4_096;
    }),
    catches: ['bodies/request-settings'],
  },
  'drops the form of a response that requests ask for': {
    fault: inObjects((object) => {
      for (const key of ['response_format', 'output_config', 'responseSchema', 'format']) delete object[key];
    }),
    catches: ['bodies/request-settings'],
  },
  ...Object.fromEntries(
    Object.entries<(messages: Message[]) => Message[]>({
      'drops pictures': (messages) =>
        messages.map((one) =>
          Array.isArray(one.content)
            ? { ...one, content: one.content.filter(({ type }) => !String(type).startsWith('image')) }
            : one,
        ),
      'drops repeated messages': (messages) =>
        messages.filter((one, at) => JSON.stringify(one) !== JSON.stringify(messages[at - 1])),
      'cuts long results': (messages) =>
        JSON.parse(JSON.stringify(messages), (_, value) =>
          typeof value === 'string' ? value.slice(0, 8_000) : value,
        ) as Message[],
      'calls developers system': (messages) =>
        messages.map((one) => (one.role === 'developer' ? { ...one, role: 'system' } : one)),
      'drops is_error': (messages) => {
        members(messages, without('is_error'));
        return messages;
      },
    }).map(([name, change]): [string, PlantedFault] => [
      name,
      {
        fault: inJson((json) => {
          if (Array.isArray(json.messages)) json.messages = change(json.messages as Message[]);
        }),
        catches: ['bodies/request-parts'],
      },
    ]),
  ),
  'drops nulls and empty values of responses': {
    fault: inBody((text) => changed(text, (_, value) => (value === null ? undefined : value))),
    catches: ['bodies/response-nulls'],
  },
  'drops members of requests that are named like built-ins': {
    fault: inObjects((object) => {
      for (const key of Object.keys(object)) if (key in Object.prototype) delete object[key];
    }),
    catches: ['bodies/request-odd-names'],
  },
  'drops members of responses that are named like built-ins': {
    fault: inBody((text) => changed(text, (key, value) => (key === 'constructor' ? undefined : value))),
    catches: ['bodies/response-odd-names'],
  },
  'knows few reasons to stop': {
    fault: replacing(/x_new_reason|max_tokens|MAX_TOKENS|"length"/g, '"stop"'),
    catches: ['bodies/stop-reasons'],
  },
  'passes the first choice': {
    fault: inBody((text) =>
      changed(text, (key, value) => (Array.isArray(value) && key === 'choices' ? value.slice(0, 1) : value)),
    ),
    catches: ['bodies/response-parts'],
  },
  'knows only requests to models': {
    fault: { response: ({ path }) => (/models\?|embed|tags/.test(path) ? { status: 404 } : {}) },
    catches: ['bodies/other-endpoints'],
  },
  'decodes paths': {
    fault: { request: ({ path }) => ({ path: decodeURIComponent(path) }) },
    catches: ['bodies/request-path'],
  },
  'answers every request with a stream': {
    fault: inBody((text, head) => (isStream(head) ? text : `data: ${text}\n\n`)),
    catches: ['streams/whole-instead'],
  },
  'drops events without text': {
    fault: inStream((text) =>
      events(text)
        .filter((event) => !/"(?:content|text|delta)":""/.test(event))
        .join(''),
    ),
    catches: ['streams/empty-deltas'],
  },
  'follows redirections': {
    fault: { response: ({ status }) => (status >= 300 && status < 400 ? { status: 200 } : {}) },
    catches: ['errors/redirect'],
  },
  'gives one client the response to another': {
    fault: remembers(),
    catches: ['limits/same-request'],
  },

  // Headers.
  'forwards only headers that it knows': {
    fault: {
      request: ({ headers }) => ({
        headers: headers.flatMap((name, at) =>
          at % 2 === 0 &&
          /^(content-.*|authorization|x-api-key|x-goog-api-key|anthropic-version)$/i.test(name)
            ? [name, headers[at + 1]!]
            : [],
        ),
      }),
    },
    catches: ['headers/request-unknown', 'headers/request-of-vendor', 'headers/request-stainless'],
  },
  'drops empty headers': {
    fault: { request: ({ headers }) => ({ headers: onlyPairs(headers, (value) => value !== '') }) },
    catches: ['headers/request-unknown'],
  },
  'knows only headers in ASCII': {
    fault: { request: ({ headers }) => ({ headers: onlyPairs(headers, (value) => /^[ -~]*$/.test(value)) }) },
    catches: ['headers/request-latin'],
  },
  'drops credentials': {
    fault: withoutRequest('authorization', 'x-api-key', 'x-goog-api-key'),
    catches: ['headers/request-credential'],
  },
  'has a user agent of its own': {
    fault: {
      request: ({ headers }) => ({
        headers: [...endToEnd(headers, 'user-agent'), 'user-agent', 'gateway/1'],
      }),
    },
    catches: ['headers/request-user-agent'],
  },
  'keeps one of repeated headers': {
    fault: {
      request: ({ headers }) => ({
        headers: [
          ...new Map(
            headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!]] : [])) as never,
          ),
        ].flat() as string[],
      }),
    },
    catches: ['headers/request-repeated'],
  },
  'accepts everything in the name of the client': {
    fault: { request: ({ headers }) => ({ headers: [...endToEnd(headers, 'accept'), 'accept', '*/*'] }) },
    catches: ['headers/request-accept'],
  },
  'cuts long headers': {
    fault: {
      request: ({ headers }) => ({ headers: headers.map((text) => text.slice(0, 1_000)) }),
      response: ({ headers }) => ({ headers: headers.map((text) => text.slice(0, 1_000)) }),
    },
    catches: ['headers/request-long', 'limits/long-response-header'],
  },
  'renames the headers of the provider': {
    fault: {
      response: ({ headers }) => ({
        headers: headers.map((text, at) =>
          at % 2 === 0 && /^(x-|anthropic|openai|cf-)/i.test(text) ? `provider-${text}` : text,
        ),
      }),
    },
    catches: [
      'headers/response-of-vendor',
      'headers/response-unknown',
      'headers/response-request-id',
      'errors/type-of-bedrock',
      'errors/429-no-retry',
    ],
  },
  'joins cookies': {
    fault: {
      response: ({ headers }) => {
        const cookies = headers.filter((_, at) => headers[at - 1]?.toLowerCase() === 'set-cookie');
        return {
          headers:
            cookies.length === 0
              ? headers
              : [...endToEnd(headers, 'set-cookie'), 'set-cookie', cookies.join(', ')],
        };
      },
    },
    catches: ['headers/response-cookies'],
  },
  'drops what responses say of caching': {
    fault: withoutResponse('cache-control', 'vary', 'etag'),
    catches: ['headers/response-caching'],
  },

  // What is seldom seen.
  'asks for whole responses where heads are wanted': {
    fault: { request: ({ method }) => (method === 'HEAD' ? { method: 'GET' } : {}) },
    catches: ['bodies/head'],
  },
  'drops conditions and ranges': {
    fault: withoutRequest('if-none-match', 'if-modified-since', 'range', 'if-range'),
    catches: ['bodies/conditions'],
  },
  'merges slashes': {
    fault: { request: ({ path }) => ({ path: path.replaceAll('//', '/') }) },
    catches: ['bodies/request-odd-path'],
  },
  'passes on the name by which it is called': {
    fault: { keepsHost: true },
    catches: ['headers/request-host'],
  },
  'passes sixty-four headers': {
    fault: {
      request: ({ headers }) => ({ headers: headers.slice(0, 128) }),
      response: ({ headers }) => ({ headers: headers.slice(0, 128) }),
    },
    catches: ['headers/request-many', 'headers/response-many'],
  },
  'drops what providers say of themselves': {
    fault: withoutResponse('deprecation', 'sunset', 'link', 'warning'),
    catches: ['headers/response-notices'],
  },
  'writes headers of responses in UTF-8': {
    fault: {
      response: ({ headers }) => ({ headers: headers.map((text) => Buffer.from(text).toString('latin1')) }),
    },
    catches: ['headers/response-latin'],
  },
  'cuts errors after two thousand characters': {
    fault: inBody((text, { status }) => (status >= 400 ? text.slice(0, 2_000) : text)),
    catches: ['errors/long-words'],
  },
  'takes compressed errors for text': {
    fault: {
      response: ({ status, headers }) =>
        status >= 400 ? { headers: endToEnd(headers, 'content-encoding') } : {},
    },
    catches: ['errors/compressed'],
  },
  'empties errors that have the status of a success': {
    fault: inBody((text, { status }) => (status === 200 && text.startsWith('{"error"') ? '{}' : text)),
    catches: ['errors/in-success'],
  },
  'drops empty lists of tools': {
    fault: inJson((json) => {
      if (Array.isArray(json.tools) && json.tools.length === 0) delete json.tools;
    }),
    catches: ['tools/empty'],
  },
  'sends what it has every fifth of a second': {
    fault: { responseStream: () => flushing(200) },
    catches: ['streams/in-time'],
  },
  'takes the end of a connection for a break': {
    fault: { wantsLengths: true },
    catches: ['bodies/response-until-close'],
  },
  'reads every response as text': {
    fault: inBody((text) => text),
    catches: ['bodies/response-binary'],
  },
  'drops the encoding of responses': {
    fault: withoutResponse('content-encoding'),
    catches: ['bodies/response-compressed', 'bodies/response-gzip'],
  },
  'gives every success status 200': {
    fault: { response: ({ status }) => (status > 200 && status < 300 ? { status: 200 } : {}) },
    catches: ['bodies/success-status'],
  },
  'knows only the headers in which clients usually send keys': {
    fault: {
      request: ({ path, headers }) => ({
        headers: endToEnd(headers, 'api-key', path.includes('/completions') ? 'x-api-key' : 'authorization'),
      }),
    },
    catches: ['headers/request-other-credential'],
  },
  'removes keys from queries': {
    fault: { request: ({ path }) => ({ path: path.replace(/[?&]key=[^&]*/, '') }) },
    catches: ['headers/request-key-in-query'],
  },
  'never tells a client to go on with its body': {
    fault: { ignoresExpect: true },
    catches: ['headers/request-expect'],
  },
  'compresses streams and collects them for it': {
    fault: compresses(),
    catches: ['streams/compressed-in-time'],
  },
  'ends empty streams with an event of its own': {
    fault: inStream((text) => text || 'data: [DONE]\n\n'),
    catches: ['streams/empty'],
  },
  'collects what is not called a stream': {
    fault: {
      responseStream: (head) => (isStream(head) ? mapChunks((chunk) => chunk) : collected((body) => body)),
    },
    catches: ['streams/array'],
  },
  'knows few statuses': {
    fault: {
      response: ({ status }) =>
        status < 400 || [400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 529].includes(status)
          ? {}
          : { status: status < 500 ? 400 : 500 },
    },
    catches: ['errors/other-statuses'],
  },
  'cuts addresses after four thousand characters': {
    fault: { request: ({ path }) => ({ path: path.slice(0, 4_096) }) },
    catches: ['limits/long-path'],
  },
  'has five connections to the provider': { fault: { atOnce: 5 }, catches: ['limits/streams-at-once'] },
  'merges requests that are alike': {
    fault: { mergesRequests: true },
    catches: ['limits/same-request-at-once'],
  },
  'asks again when a response breaks off': {
    fault: { repeatsBroken: true },
    catches: [
      'errors/whole-cut-off',
      'streams/cut-off',
      'streams/cut-off-between-events',
      'streams/cut-off-text',
    ],
  },
  'trims texts of requests': {
    fault: inObjects((object) => {
      for (const [key, value] of Object.entries(object))
        if (typeof value === 'string') object[key] = value.trim();
    }),
    catches: ['bodies/request-texts'],
  },
  'hides addresses and numbers of people': {
    fault: {
      ...inRequest((text) => text.replace(/[\w.]+@[\w.]+/g, '[EMAIL]')),
      ...inBody((text) => text.replace(/[\w.]+@[\w.]+/g, '[EMAIL]')),
    },
    catches: ['bodies/request-texts', 'bodies/response-texts'],
  },
  'composes letters': {
    fault: inRequest((text) => text.normalize('NFC')),
    catches: ['bodies/request-texts'],
  },
  'asks streams for their counts': {
    fault: inObjects((object) => {
      if (object.stream === true) object.stream_options ??= { include_usage: true };
    }),
    catches: ['bodies/request-stream-plain'],
  },
  'passes the first choice of streams': {
    fault: inStream((text) =>
      events(text)
        .filter((event) => !/"index":1\b/.test(event))
        .join(''),
    ),
    catches: ['bodies/stream-parts'],
  },
  'takes every response for one JSON': {
    fault: inBody((text) => changed(text.split('\n')[0]!, (_, value) => value)),
    catches: ['bodies/response-lines'],
  },
  'knows only GET and POST': {
    fault: { request: ({ method }) => (/GET|POST/.test(method) ? {} : { method: 'POST' }) },
    catches: ['bodies/other-endpoints', 'stored/delete'],
  },
  'fetches pictures itself': {
    fault: inRequest((text) => text.replace('https://example.org/a.png', 'data:image/png;base64,AA==')),
    catches: ['bodies/request-parts'],
  },
  'drops each setting that it does not know': {
    fault: inObjects((object) => {
      for (const key of ['seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'topK', 'top_k'])
        delete object[key];
    }),
    catches: ['bodies/request-settings'],
  },
  'cuts names of tools after 64 characters': {
    fault: inObjects((object) => {
      if (typeof object.name === 'string') object.name = object.name.slice(0, 64);
    }),
    catches: ['tools/long-name'],
  },
  'passes 128 tools': {
    fault: inObjects((object) => {
      for (const key of ['tools', 'functionDeclarations'])
        if (Array.isArray(object[key])) object[key] = object[key].slice(0, 128);
    }),
    catches: ['limits/many-tools'],
  },

  // Streams.
  'takes a byte order mark for a part of the first line': {
    fault: inStream((text) => (text.startsWith('\uFEFF') ? events(text).slice(1).join('') : text)),
    catches: ['streams/byte-order-mark'],
  },
  'collects eight kilobytes': {
    fault: buffering(8_192),
    catches: ['streams/in-time', 'streams/words-in-time', 'streams/calls-in-time', 'thinking/in-time'],
  },
  'collects two hundred bytes': { fault: buffering(1_000), catches: ['streams/small-events-in-time'] },
  'holds the head until the body begins': { fault: { holdsHeads: true }, catches: ['streams/head-in-time'] },
  'decodes each chunk by itself': {
    fault: decodesChunks,
    catches: ['streams/split-bytes', 'streams/split-characters'],
  },
  'takes each chunk for whole events': {
    fault: inChunks((text) => (/\n\n$/.test(text) || !text.includes('data:') ? text : '')),
    catches: ['streams/split-anywhere', 'streams/split-lines'],
  },
  'passes one event of each chunk': {
    fault: inChunks((text) => events(text)[0] ?? ''),
    catches: ['streams/merged'],
  },
  'loses events of long streams': {
    fault: inStream((text) =>
      events(text)
        .filter((_, at) => at !== 2_500)
        .join(''),
    ),
    catches: ['streams/many-events'],
  },
  'puts text in front of calls and thinking': {
    fault: inStream((text) => {
      const all = events(text);
      const [head = '', ...others] = all;
      return [head, ...others.slice(0, -1).reverse(), ...others.slice(-1)].join('');
    }),
    catches: [
      'streams/order',
      'tools/parallel-calls',
      'tools/text-and-call',
      'thinking/stream',
      'thinking/interleaved',
    ],
  },
  'gives up after two silent seconds': {
    fault: { idleMs: 2_000 },
    catches: ['streams/silence', 'streams/slow-start', 'streams/slow-request'],
  },
  'takes an interim response for the response': {
    fault: { endsWithInterim: true },
    catches: ['streams/interim-response'],
  },
  'writes streams with LF': {
    fault: inStream((text) => text.replaceAll('\r\n', '\n')),
    catches: ['bodies/stream-crlf'],
  },
  'does not know CR LF': {
    fault: inStream((text) =>
      events(text.replaceAll('\r', ''))
        .filter((_, at) => !text.includes('\r') || at > 0)
        .join(''),
    ),
    catches: ['streams/crlf'],
  },
  'drops comments': {
    fault: inChunks((text) => text.replace(/^:.*\n\n?/gm, '')),
    catches: ['bodies/stream-comments', 'streams/keep-alive'],
  },
  'drops pings': {
    fault: inChunks((text) => text.replace(/event: ping\ndata: .*\n\n/g, '')),
    catches: ['streams/pings'],
  },
  'drops events that it does not know': {
    fault: inChunks((text) => text.replace(/event: x_.*\ndata: .*\n\n/g, '')),
    catches: ['bodies/stream-unknown-events', 'streams/unknown-events'],
  },
  'names events': {
    fault: inStream((text) =>
      text.includes('event:') ? text : text.replaceAll('data: ', 'event: message\ndata: '),
    ),
    catches: ['streams/no-event-names'],
  },
  'drops fields but event and data': {
    fault: inStream((text) => text.replace(/^(id|retry): .*\n/gm, '')),
    catches: ['bodies/stream-fields'],
  },
  'writes a space behind each colon': {
    fault: inStream((text) => text.replace(/^data:(?! )/gm, 'data: ')),
    catches: ['bodies/stream-spaces'],
  },
  'reads one line of data': {
    fault: inStream((text) => text.replace(/(data: .*)\ndata: .*/g, '$1')),
    catches: ['streams/two-data-lines'],
  },
  'drops the last event without a blank line': {
    fault: inStream((text) => text.slice(0, text.lastIndexOf('\n\n') + 2)),
    catches: ['bodies/stream-no-final-blank-line', 'streams/no-final-blank-line'],
  },
  'drops the last line without a line end': {
    fault: inStream((text) => text.slice(0, text.lastIndexOf('\n') + 1)),
    catches: ['streams/no-final-line-end'],
  },
  'drops repeated events': {
    fault: inStream((text) => [...new Set(events(text))].join('')),
    catches: ['streams/repeated-events'],
  },
  'drops errors inside streams': {
    fault: inStream((text) =>
      events(text)
        .filter((event) => !/"error"/.test(event))
        .join(''),
    ),
    catches: ['streams/error-inside', 'streams/error-first'],
  },
  'ends broken streams as if they were complete': {
    fault: { hidesBreaks: true },
    catches: [
      'streams/cut-off',
      'streams/cut-off-between-events',
      'errors/whole-cut-off',
      'errors/no-response',
    ],
  },
  'loses what came before a break': {
    fault: { responseStream: () => collected((body) => body) },
    catches: ['streams/cut-off-text'],
  },
  'completes streams': {
    fault: inStream((text) =>
      text.includes('[DONE]') || text.includes('_stop') ? text : `${text}data: [DONE]\n\n`,
    ),
    catches: ['streams/ends-early'],
  },

  // Errors.
  'gives every error status 500': {
    fault: { response: (head) => (head.status >= 400 ? { status: 500 } : {}) },
    catches: [
      'errors/400',
      'errors/401',
      'errors/403',
      'errors/404',
      'errors/409',
      'errors/413',
      'errors/422',
      'errors/529',
      'errors/page',
    ],
  },
  'drops the seconds to wait': {
    fault: withoutResponse('retry-after'),
    catches: ['errors/429-retry-after', 'errors/503-retry-date'],
  },
  'drops the way in which a provider wants to be asked for keys': {
    fault: withoutResponse('www-authenticate'),
    catches: ['errors/401'],
  },
  'sorts queries': {
    fault: {
      request: ({ path }) => ({
        path: path.replace(/(?<=\?).*/, (query) => query.split('&').toSorted().join('&')),
      }),
    },
    catches: ['bodies/request-query'],
  },
  'drops the milliseconds to wait': {
    fault: withoutResponse('retry-after-ms', 'x-should-retry'),
    catches: ['errors/429-retry-after-ms'],
  },
  'repeats requests that the provider has not answered': {
    fault: { repeatsUnanswered: true },
    catches: ['errors/no-response'],
  },
  'uses connections that the provider has closed': {
    fault: { usesClosedConnections: true },
    catches: ['errors/idle-connection'],
  },
  'keeps the headers of the first request on a connection': {
    fault: { keepsFirstHeaders: true },
    catches: ['limits/one-connection'],
  },
  'sends the cookies of one client with the requests of others': {
    fault: { hasCookieJar: true },
    catches: ['headers/cookies-of-others'],
  },
  'repeats failed requests': { fault: { repeats: [500] }, catches: ['errors/500'] },
  'refuses requests after a rate limit': { fault: coolsDown(), catches: ['errors/then-success'] },

  // Clients that leave.
  'does not tell the provider that the client has left': {
    fault: { ignoresClients: true },
    catches: [
      'cancellation/waiting-whole',
      'cancellation/waiting-stream',
      'cancellation/after-head',
      'cancellation/reading',
    ],
  },
  'reads responses as fast as they come': {
    fault: { hasNoBackPressure: true },
    catches: ['cancellation/back-pressure'],
  },
  'completes half a request': { fault: { completesRequests: true }, catches: ['cancellation/sending'] },
  'disturbs the client after one that left': { fault: disturbs(), catches: ['cancellation/others-go-on'] },

  // Tools.
  'removes keywords from schemas': {
    fault: inObjects(without('$defs')),
    catches: ['tools/schema'],
  },
  'writes the names of tools in small letters': {
    fault: inObjects((object) => {
      if (typeof object.name === 'string') object.name = object.name.toLowerCase();
    }),
    catches: ['tools/names'],
  },
  'trims descriptions': {
    fault: inObjects((object) => {
      if (typeof object.description === 'string')
        object.description = object.description.replace(/\s+/g, ' ');
    }),
    catches: ['tools/descriptions'],
  },
  'sorts tools': {
    fault: inObjects((object) => {
      for (const key of ['tools', 'functionDeclarations']) {
        if (Array.isArray(object[key]))
          (object[key] as unknown[]).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      }
    }),
    catches: ['tools/order'],
  },
  'removes empty properties': {
    fault: inObjects((object) => {
      if (JSON.stringify(object.properties) === '{}') delete object.properties;
    }),
    catches: ['tools/no-parameters'],
  },
  'removes strict': { fault: inObjects(without('strict')), catches: ['tools/strict'] },
  'drops the choice of tools': {
    fault: inObjects((object) => {
      for (const key of ['tool_choice', 'toolConfig', 'toolChoice']) delete object[key];
    }),
    catches: ['tools/required', 'tools/none', 'tools/named', 'tools/no-parallel-use'],
  },
  'drops parallel_tool_calls': {
    fault: inObjects(without('parallel_tool_calls')),
    catches: ['tools/no-parallel-calls'],
  },
  'drops tools that are no functions': {
    fault: inObjects((object) => {
      if (Array.isArray(object.tools)) object.tools = object.tools.filter((tool) => tool.type === 'function');
    }),
    catches: ['tools/hosted', 'tools/custom'],
  },
  'writes arguments anew': {
    fault: replacing(/1\.5/g, '1.50001'),
    catches: ['tools/call'],
  },
  'removes empty arguments': {
    fault: replacing(/"arguments":"\{\}"|"input":\{\}|"args":\{\}|"arguments":\{\}/g, '"removed":0'),
    catches: ['tools/no-arguments'],
  },
  'escapes arguments twice': {
    fault: replacing(/\\\\n/g, '\\\\\\\\n'),
    catches: ['tools/escaped-arguments'],
  },
  'drops calls of tools that it does not know': {
    fault: replacing(/not_declared/g, 'unknown'),
    catches: ['tools/undeclared-call'],
  },
  'gives calls ids of its own': {
    fault: inRequest((text) => text.replace(/x000"/g, 'x009"').replace(/"Result 0/g, '"Result zero')),
    catches: ['tools/results'],
  },

  // Thinking.
  'drops signatures': {
    fault: replacing(
      /"(signature|thoughtSignature|encrypted_content|thinking|reasoning_content)":"[^"]*"/g,
      '"$1":""',
    ),
    catches: ['thinking/whole', 'thinking/only-signature'],
  },
  'drops thinking from histories': {
    fault: inObjects((object) => {
      for (const [key, value] of Object.entries(object)) {
        if (!Array.isArray(value)) continue;
        object[key] = value.filter(
          (item) =>
            !/^(thinking|redacted_thinking|reasoning|thought)$/.test(item?.type) &&
            item?.reasoningContent === undefined,
        );
      }
      delete object.thoughtSignature;
      delete object.reasoning_content;
      if (object.role === 'assistant') delete object.thinking;
    }),
    catches: ['thinking/returned-with-calls', 'thinking/returned-with-text', 'thinking/redacted'],
  },

  // Usage.
  'drops the tokens of caches': {
    fault: inBody((text) => text.replace(/4096|4241/g, '0')),
    catches: ['usage/whole'],
  },
  'counts tokens itself': {
    fault: inStream((text) =>
      text.replace(/tokens":\d+/g, 'tokens":1').replace(/TokenCount":\d+/g, 'TokenCount":1'),
    ),
    catches: ['usage/stream'],
  },
  'drops counts of zero': {
    fault: replacing(/"[a-zA-Z_]*[tT]oken[a-zA-Z_]*":0,/g, ''),
    catches: ['usage/zero'],
  },
  'drops cache marks': {
    fault: inObjects((object) => {
      delete object.cache_control;
    }),
    catches: ['usage/marks', 'usage/one-hour'],
  },
  'drops what concerns caches and tiers': {
    fault: inObjects((object) => {
      for (const key of ['prompt_cache_key', 'service_tier', 'stream_options']) delete object[key];
    }),
    catches: ['usage/cache-key', 'usage/tier', 'usage/stream-options'],
  },
  'puts the time into the system prompt': {
    fault: inRequest((text) => text.replace(/You are an agent/, `At ${next()} you are an agent`)),
    catches: ['usage/conversation', 'usage/conversations'],
  },

  // Stored responses.
  'drops the ids that requests continue': {
    fault: inObjects((object) => {
      for (const key of ['previous_response_id', 'previous_interaction_id', 'background']) delete object[key];
    }),
    catches: ['stored/continued', 'stored/continued-interaction', 'stored/background'],
  },
};

let count = 0;
const next = () => ++count;

/** Answers a request that it has seen before as it did then. */
function remembers(): Fault {
  const answers = new Map<string, Buffer>();
  let asked = '';
  return {
    requestBody: (body) => {
      asked = body.toString('latin1');
      return body;
    },
    responseStream: () => {
      const key = asked;
      return collected((body) => {
        if (!answers.has(key)) answers.set(key, body);
        return answers.get(key)!;
      });
    },
  };
}

/** Refuses everything after three rate limits. */
function coolsDown(): Fault {
  let limits = 0;
  return {
    response: (head) => {
      if (head.status === 429) limits += 1;
      return limits >= 3 && head.status === 200 ? { status: 503 } : {};
    },
  };
}

/** Compresses streams for clients that accept it, and holds all of it back. */
function compresses(): Fault {
  return {
    response: (head) => ({
      headers: isStream(head) ? [...head.headers, 'content-encoding', 'gzip'] : head.headers,
    }),
    responseStream: (head) =>
      isStream(head) ? collected((body) => gzipSync(body)) : mapChunks((chunk) => chunk),
  };
}

/** Ends the second stream early. */
function disturbs(): Fault {
  let streams = 0;
  return {
    responseStream: () =>
      ++streams === 2 ? upTo(100).responseStream!({} as Head) : mapChunks((chunk) => chunk),
  };
}
