import type { BypassReason } from '@winnow/core';
import type { ReadOptions, RequestReader } from '../format/request-parts.ts';
import type { RequestView, ToolSection } from '../format/view.ts';
import type { BodyBytes } from '../json/body-bytes.ts';
import { rememberBy } from '../remember-by.ts';
import type { BodyReading, RequestBody } from './read-body.ts';

/** The members of a view whose values are the same in most formats. */
const DEFAULTS: Pick<RequestView, 'wantsUsage' | 'sessionHints'> = { wantsUsage: true, sessionHints: [] };

/** The members of a view that each format reads in its own way. */
export type OwnMembers = Omit<RequestView, keyof RequestBody | 'purpose' | keyof typeof DEFAULTS> &
  Partial<typeof DEFAULTS>;

/** Returns the reader of a format's requests. It gives the reason where the body cannot be read. */
export function createRequestReader(
  readBody: (bytes: BodyBytes, options: ReadOptions) => BodyReading,
  readMembers: (request: RequestBody, options: ReadOptions) => OwnMembers,
): RequestReader['readRequest'] {
  return (bytes, options) => {
    const reading = readBody(bytes, options);
    if (!reading.ok) return reading;
    const { request } = reading;
    const { purpose } = options;
    return { ok: true, view: { purpose, ...DEFAULTS, ...request, ...readMembers(request, options) } };
  };
}

/**
 * Returns the reason, common to all formats, why a request must be left alone. `isPrefill` tells whether the
 * model continues its own last message, to whose result no search could be appended.
 */
export function commonBypass(
  section: ToolSection | undefined,
  searchToolName: string,
  isPrefill: boolean,
): BypassReason | undefined {
  const tools = section && factsOf(section);
  if (tools?.names.has(searchToolName)) return 'name_collision';
  if (isPrefill) return 'assistant_prefill';
  return tools?.holdFunctions ? undefined : 'no_function_tools';
}

const factsOf = rememberBy(({ entries }: ToolSection) => ({
  names: new Set(entries.map(({ name }) => name)),
  holdFunctions: entries.some(({ kind }) => kind === 'function'),
}));
