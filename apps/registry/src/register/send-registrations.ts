import { RegisterResponse } from '@winnow/core';
import { causeCode, openHttpPool } from '@winnow/service';
import { z } from 'zod';
import type { Entry } from './registration-file.ts';

/** The registry that the tools go to. */
export interface RegistryAddress {
  readonly url: URL;
  readonly token: string | undefined;
}

/** Response of a registry to one request, or its problems, one sentence each. */
export type Sending =
  | { readonly ok: true; readonly response: RegisterResponse }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Far below the limits of a registry: 1,000 tools, 250,000 values and 16 MiB. */
const MOST_TOOLS = 500;
const MOST_CHARACTERS = 1024 * 1024;

/** A registry may have to write to a disk that is busy. */
const TIMEOUT_MS = 60_000;

/** Divides entries into lists that a registry takes at once, in their order. */
export function inBatches(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let characters = 0;
  for (const entry of entries) {
    const length = JSON.stringify(entry.registration).length;
    const last = batches.at(-1);
    if (last === undefined || last.length === MOST_TOOLS || characters + length > MOST_CHARACTERS) {
      batches.push([entry]);
      characters = length;
    } else {
      last.push(entry);
      characters += length;
    }
  }
  return batches;
}

const Refused = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
  }),
});

/** Registers all entries of a batch, or none; with `isDryRun`, only reports what would happen. Never rejects. */
export async function sendBatch(
  batch: readonly Entry[],
  { url, token }: RegistryAddress,
  isDryRun: boolean,
): Promise<Sending> {
  const tools = batch.map(({ registration }) => registration);
  const pool = openHttpPool({ connections: 1 });
  try {
    const { origin, pathname: path } = new URL('v1/registry/tools', url);
    const { statusCode, body: answer } = await pool.request({
      ...{ origin, path, method: 'PUT' },
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ tools, dry_run: isDryRun }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await answer.json().catch(() => undefined);
    const registered = RegisterResponse.safeParse(body);
    if (statusCode === 200 && registered.success) return { ok: true, response: registered.data };
    return { ok: false, problems: problemsOf(statusCode, body, batch, url) };
  } catch (error) {
    const cause = causeCode(error) ?? (error as Error).name;
    return { ok: false, problems: [`${url.origin} cannot be reached (${cause}).`] };
  } finally {
    await pool.destroy();
  }
}

function problemsOf(status: number, body: unknown, batch: readonly Entry[], { origin }: URL): string[] {
  const refused = Refused.safeParse(body);
  if (!refused.success) return [`${origin} answered with status ${status}, unlike a registry.`];
  const { message, details } = refused.data.error;
  const named = details.map(({ path, message: said }) => {
    const [, position = '', below = ''] = /^tools\.(\d+)\.?(.*)$/.exec(path) ?? [];
    const place = batch[Number(position || -1)]?.place ?? path;
    return `${place}${below === '' ? '' : `, ${below.replace(/^tool\./, '')}`}: ${said}`;
  });
  if (named.length > 0) return named;
  const advice = status === 401 ? ' The token is read from the variable TOKEN.' : '';
  return [`${origin}: ${message}${advice}`];
}
