import type { Vendor } from '@winnow/wire';
import { type AuthSettings, defaultParameter } from '../upstream/upstream-auth.ts';

/** What is wrong with the settings of an upstream's authentication together, one sentence each. */
export function authProblems(name: string, settings: AuthSettings, vendor: Vendor): string[] {
  const { api_key: key, 'auth.kind': kind, 'auth.name': parameter } = settings;
  const problems: string[] = [];
  const own = `upstreams.${name}`;
  const isNamed = kind === 'header' || kind === 'query';
  if (kind === 'forward' && key !== '') {
    problems.push(`${own}.api_key is of no use, as ${own}.auth.kind is forward: leave one of them out.`);
  }
  if ((isNamed || kind === 'bearer') && key === '') {
    problems.push(`${own}.api_key must be set, as ${own}.auth.kind is ${kind}.`);
  }
  if (!isNamed && parameter !== '') {
    problems.push(`${own}.auth.name is of no use without ${own}.auth.kind: header or query.`);
  }
  if ((kind === 'header' || (kind === 'query' && defaultParameter(vendor) === '')) && parameter === '') {
    problems.push(`${own}.auth.name must be set, as ${own}.auth.kind is ${kind}.`);
  }
  if (kind === 'header' && OF_THE_MESSAGE.has(parameter.toLowerCase())) {
    problems.push(`${own}.auth.name must be the name of a header for a credential.`);
  }
  return problems;
}

/** Headers that say where a message goes and how it is framed: a key in one of them would break the request. */
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
