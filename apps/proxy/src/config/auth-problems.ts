import type { ValuesOf } from '@winnow/service';
import type { Vendor } from '@winnow/wire';
import type { UPSTREAM_SETTINGS } from './settings.ts';

type AuthSettings = ValuesOf<typeof UPSTREAM_SETTINGS>;

/** Returns the problems in how an upstream's authentication settings combine, one sentence each. */
export function authProblems(name: string, settings: AuthSettings, vendor: Vendor): string[] {
  const { api_key: key, 'auth.kind': kind, 'auth.name': parameter } = settings;
  const problems: string[] = [];
  const own = `upstreams.${name}`;
  const isNamed = kind === 'header' || kind === 'query';
  if (kind === 'forward' && key !== '') {
    problems.push(`${own}.api_key has no effect because ${own}.auth.kind is forward: remove one of them.`);
  }
  if ((isNamed || kind === 'bearer') && key === '') {
    problems.push(`${own}.api_key must be set because ${own}.auth.kind is ${kind}.`);
  }
  problems.push(...signingProblems(own, settings));
  if (!isNamed && parameter !== '') {
    problems.push(`${own}.auth.name has no effect without ${own}.auth.kind: header or query.`);
  }
  if ((kind === 'header' || (kind === 'query' && !vendor.credentialParameters?.length)) && parameter === '') {
    problems.push(`${own}.auth.name must be set because ${own}.auth.kind is ${kind}.`);
  }
  if (kind === 'header' && OF_THE_MESSAGE.has(parameter.toLowerCase())) {
    problems.push(`${own}.auth.name must be the name of a header for a credential.`);
  }
  return problems;
}

const SIGNING_FIELDS = ['region', 'service', 'access_key_id', 'secret_access_key', 'session_token'] as const;

function signingProblems(own: string, settings: AuthSettings): string[] {
  if (settings['auth.kind'] !== 'sigv4') {
    return SIGNING_FIELDS.filter((field) => settings[`auth.${field}`] !== '').map(
      (field) => `${own}.auth.${field} has no effect without ${own}.auth.kind: sigv4.`,
    );
  }
  const problems: string[] = [];
  if (settings.api_key !== '') {
    problems.push(`${own}.api_key has no effect because ${own}.auth.kind is sigv4: remove one of them.`);
  }
  if (settings['auth.region'] === '') {
    problems.push(
      `${own}.auth.region must be set because the base URL names no region and AWS_REGION is not set.`,
    );
  }
  if ((settings['auth.access_key_id'] === '') !== (settings['auth.secret_access_key'] === '')) {
    problems.push(`${own}.auth.access_key_id and ${own}.auth.secret_access_key must be set together.`);
  }
  return problems;
}

/** Headers that route or frame a message. A key in one of them would break the request. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
