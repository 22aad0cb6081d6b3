import { isNamespace } from '@winnow/registry';
import { networkVariables } from '../network-environment.ts';
import { ENTRY_DEFAULTS, ISOLATIONS, type ServerAuth, type ServerEntry } from '../server-entry.ts';
import { type ConfigProblem, FieldReader, type TextReading } from './field-reader.ts';

/** Permissions of an entry, by its origin. */
export interface EntryReading extends TextReading {
  /** Whether it may name a command, which this machine then runs. */
  readonly allowsCommands: boolean;
  /** Whether it says whose it is; undefined where it does. */
  readonly tenant: string | undefined;
}

export type EntryOutcome =
  | { readonly ok: true; readonly entry: ServerEntry; readonly passedOver: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** All known keys, to suggest for misspelt ones. */
const KEYS = [
  ...['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'auth', 'deny_private'],
  ...['tenant', 'namespace', 'prefix', 'tags', 'include', 'exclude', 'enabled', 'disabled', 'trust', 'pin'],
  ...['refresh', 'timeouts', 'drop_after', 'share_with', 'isolation', 'max_processes'],
];

/** Keys of other programs that change nothing here. */
const FOREIGN = [
  ...['autoApprove', 'alwaysAllow', 'alwaysLoad', 'description', 'gallery', 'version', 'dev', 'icon'],
  ...['timeout', 'sandbox', 'sandboxEnabled', 'envFile', 'headersHelper', 'oauth', 'networkTimeout'],
  ...['startup_timeout_sec', 'tool_timeout_sec', 'tools'],
];

const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u;

/**
 * Reads one server as agents write it (`command`, `args`, `env`, `cwd`, or `url`, `headers`, with or without `type`), extended by keys of our own,
 * or returns everything that is wrong with it. Accepts any value and never throws.
 *
 * @param path Its path, such as `mcpServers.github`.
 */
export function readEntry(name: string, value: unknown, path: string, reading: EntryReading): EntryOutcome {
  const fields = new FieldReader(value, path, reading);
  if (!NAME.test(name) || !name.isWellFormed() || name.trim() !== name) {
    fields.refuse('', 'needs a name of 1 to 128 characters, without line ends or blanks around it');
  }
  const transport = readTransport(fields, reading);
  const namespace = fields.text('namespace') ?? toNamespace(name);
  if (namespace !== '' && !isNamespace(namespace)) {
    fields.refuse(
      'namespace',
      'must begin with a-z or 0-9 and have at most 64 of the characters a-z 0-9 . _ - or be empty for none',
    );
  }
  const passedOver = [...fields.passOver(FOREIGN), ...passForeignTrust(fields, value)];
  const isDisabled = fields.flag('disabled') ?? false;
  const rest = {
    tenant:
      reading.tenant ??
      fields.textLike('tenant', /^[A-Za-z0-9._-]{1,64}$/, 'the name of a tenant') ??
      ENTRY_DEFAULTS.tenant,
    namespace,
    prefix: fields.textLike(
      'prefix',
      /^[A-Za-z0-9_-]{0,32}$/,
      'at most 32 of the characters A-Z a-z 0-9 _ -',
    ),
    sharedWith: fields.texts('share_with') ?? [],
    isolation: fields.oneOf('isolation', ISOLATIONS),
    maxProcesses: fields.wholeNumber('max_processes', 1, 1_000) ?? ENTRY_DEFAULTS.maxProcesses,
    tags: fields.texts('tags') ?? [],
    include: fields.texts('include') ?? fields.texts('includeTools'),
    exclude: [
      ...(fields.texts('exclude') ?? []),
      ...(fields.texts('excludeTools') ?? []),
      ...(fields.texts('disabledTools') ?? []),
    ],
    isEnabled: fields.flag('enabled') ?? !isDisabled,
    trustsAnnotations: passedOver.includes('trust')
      ? false
      : fields.oneOf('trust', ['none', 'annotations']) === 'annotations',
    isPinned: fields.flag('pin') ?? false,
    refresh: readRefresh(fields),
    timeouts: readTimeouts(fields),
    dropAfterMs: fields.duration('drop_after', 0) ?? ENTRY_DEFAULTS.dropAfterMs,
  };
  fields.end(KEYS);
  if (transport === undefined || fields.problems.length > 0) return { ok: false, problems: fields.problems };
  return { ok: true, entry: { name, transport, ...rest }, passedOver };
}

/**
 * The name in the form of a namespace: what agents put before the names of its tools. In `NAMESPACE:name`, the namespace
 * is named.
 */
function toNamespace(name: string): string {
  const [owner = '', rest] = name.split(':');
  if (rest !== undefined && isNamespace(owner)) return owner;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64);
  return plain === '' ? 'server' : plain;
}

const TYPES = ['stdio', 'local', 'http', 'streamable-http', 'streamableHttp', 'remote', 'sse'] as const;

function readTransport(
  fields: FieldReader,
  { allowsCommands, environment = {} }: EntryReading,
): ServerEntry['transport'] | undefined {
  const type = fields.oneOf('type', TYPES);
  // As Windsurf and Gemini CLI call it.
  const url = readUrl(fields, ['url', 'serverUrl', 'httpUrl'].find((key) => fields.has(key)) ?? 'url');
  const [command, args, env, cwd] = [
    fields.text('command'),
    fields.texts('args'),
    fields.textsByName('env'),
    fields.text('cwd'),
  ];
  const [headers, auth] = [readHeaders(fields), readAuth(fields)];
  const deniesPrivate = fields.flag('deny_private') ?? false;
  if (type === 'sse')
    return fields.refuse(
      'type',
      'is the transport of 2024, which is not spoken here: most servers have streamable HTTP at another path',
    );
  if (fields.has('command') && !allowsCommands)
    return fields.refuse('command', 'is for the configuration file alone: no request may start a process');
  if (fields.has('command') && url !== undefined)
    return fields.refuse('url', 'cannot be combined with a command');
  if (url !== undefined) return { type: 'http', url, headers, auth, deniesPrivate };
  if (command === undefined || command === '') {
    // Existing faults have been reported.
    if (fields.problems.length === 0)
      fields.refuse('', allowsCommands ? 'needs a command or a url' : 'needs a url');
    return undefined;
  }
  return { type: 'stdio', command, args: args ?? [], env, network: networkVariables(environment), cwd };
}

function readUrl(fields: FieldReader, key: string): string | undefined {
  const text = fields.text(key);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hash === '') return text;
  return fields.refuse(key, 'must be an address that begins with https:// or http://');
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.1 */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function readHeaders(fields: FieldReader): Readonly<Record<string, string>> {
  const headers = fields.textsByName('headers');
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) fields.refuse(`headers.${name}`, 'is not the name of a header');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    if (/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))
      fields.refuse(`headers.${name}`, 'has characters that no header can carry');
  }
  return headers;
}

function readAuth(fields: FieldReader): ServerAuth | undefined {
  return fields.inside('auth', (auth): ServerAuth | undefined => {
    const type = auth.oneOf('type', ['bearer', 'client_credentials']);
    const [token, clientId, clientSecret] = [
      auth.text('token'),
      auth.text('client_id'),
      auth.text('client_secret'),
    ];
    const [scope, issuer] = [auth.text('scope'), auth.text('issuer')];
    auth.end(['type', 'token', 'client_id', 'client_secret', 'scope', 'issuer']);
    if (type === 'bearer') {
      if (token !== undefined && /^[A-Za-z0-9\-._~+/]+=*$/.test(token)) return { type, token };
      return auth.refuse('token', 'must be a bearer token');
    }
    if (type === undefined)
      return auth.problems.length > 0
        ? undefined
        : auth.refuse('type', 'must be bearer or client_credentials');
    if (!clientId || !clientSecret)
      return auth.refuse(clientId ? 'client_secret' : 'client_id', 'must be there');
    if (issuer !== undefined && URL.canParse(issuer)) return { type, clientId, clientSecret, scope, issuer };
    return auth.refuse(
      'issuer',
      'must be the address of the authorization server: the secret goes to no other',
    );
  });
}

/** Another program trusts servers to act unasked, which is another question. */
function passForeignTrust(fields: FieldReader, value: unknown): readonly string[] {
  const isForeign = typeof (value as { trust?: unknown } | null)?.trust === 'boolean';
  return isForeign ? fields.passOver(['trust']) : [];
}

function readRefresh(fields: FieldReader): ServerEntry['refresh'] {
  const { minMs, maxMs } = ENTRY_DEFAULTS.refresh;
  const read = fields.inside('refresh', (refresh) => {
    const [least, most] = [refresh.duration('min', 1_000), refresh.duration('max', 1_000)];
    refresh.end(['min', 'max']);
    const bounds = {
      minMs: least ?? Math.min(minMs, most ?? minMs),
      maxMs: most ?? Math.max(maxMs, least ?? maxMs),
    };
    if (bounds.minMs > bounds.maxMs) refresh.refuse('min', 'must not be longer than max');
    return bounds;
  });
  return read ?? { minMs, maxMs };
}

function readTimeouts(fields: FieldReader): ServerEntry['timeouts'] {
  const { connectMs, listMs, callMs } = ENTRY_DEFAULTS.timeouts;
  const read = fields.inside('timeouts', (timeouts) => {
    const given = {
      connectMs: timeouts.duration('connect', 100) ?? connectMs,
      listMs: timeouts.duration('list', 100) ?? listMs,
      callMs: timeouts.duration('call', 100) ?? callMs,
    };
    timeouts.end(['connect', 'list', 'call']);
    return given;
  });
  return read ?? { connectMs, listMs, callMs };
}
