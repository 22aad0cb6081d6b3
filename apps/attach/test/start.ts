import type { ServiceEffects } from '@winnow/service';
import { type FakeLetta, type FakeLettaOptions, startLetta } from '@winnow/testkit';
import { onTestFinished } from 'vitest';
import { DEFAULT_SETTINGS, type Settings } from '../src/config.ts';
import { startAttach } from '../src/server.ts';

/** A service that a test runs, the Letta that it changes, and what it has logged. */
export interface TestService {
  readonly url: string;
  readonly letta: FakeLetta;
  readonly logs: () => readonly Record<string, unknown>[];
  readonly close: () => Promise<boolean>;
  /** Sends a body to a route under `/api/v1/`. */
  readonly post: (route: string, body: unknown, headers?: Record<string, string>) => Promise<ReadResponse>;
}

/** A response with its body read. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare bodies with literals; a type would only restate them
  readonly body: any;
}

const NOUNS = ['chart', 'document', 'mail', 'issue', 'invoice', 'song'];

/** Starts both in this process on free ports; they are closed when the test ends. */
export async function start(
  settings: Partial<Settings> = {},
  effects: Partial<ServiceEffects> = {},
  lettaOptions: FakeLettaOptions = {},
): Promise<TestService> {
  const letta = await startLetta(lettaOptions);
  let lines = '';
  let ids = 0;
  const service = await startAttach(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 2_000, lettaBaseUrl: letta.url, ...settings },
    {
      now: () => performance.now(),
      wallClock: () => Date.UTC(2026, 10, 22),
      makeId: () => `made-${++ids}`,
      writeLog: (text) => {
        lines += text;
      },
      ...effects,
    },
  );
  onTestFinished(async () => {
    await service.close();
    await letta.close();
  });
  const post = async (route: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}/api/v1/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    url: service.url,
    letta,
    logs: () =>
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    close: () => service.close(),
    post,
  };
}

/** Tools such as `create_chart`, all of one MCP server. Gives their ids by name. */
export function addTools({ state }: FakeLetta, verbs: readonly string[]): Record<string, string> {
  const names = verbs.flatMap((verb) => NOUNS.map((noun) => `${verb}_${noun}`));
  return Object.fromEntries(
    names.map((name) => {
      const description = `${name.replace('_', ' a ')} for someone`;
      const parts = { tool_type: 'external_mcp', tags: ['mcp:demo'], description };
      return [name, state.upsertTool(name, parts).id];
    }),
  );
}
