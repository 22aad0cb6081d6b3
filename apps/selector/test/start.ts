import { onTestFinished } from 'vitest';
import { DEFAULT_SETTINGS, type Settings } from '../src/config.ts';
import { type SelectorEffects, startSelector } from '../src/server.ts';

/** A selector that a test runs, and what it has logged. */
export interface TestSelector {
  readonly url: string;
  readonly searchUrl: string;
  readonly logs: () => readonly Record<string, unknown>[];
  readonly close: () => Promise<boolean>;
}

/** Starts a selector in this process on a free port; it is closed when the test ends. */
export async function start(
  settings: Partial<Settings> = {},
  effects: Partial<SelectorEffects> = {},
): Promise<TestSelector> {
  let lines = '';
  let ids = 0;
  const selector = await startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 100, ...settings },
    {
      now: () => performance.now(),
      wallClock: () => 0,
      makeId: () => `made-${++ids}`,
      writeLog: (text) => {
        lines += text;
      },
      ...effects,
    },
  );
  onTestFinished(async () => {
    await selector.close();
  });
  return {
    url: selector.url,
    searchUrl: `${selector.url}/v1/tool-discovery/search`,
    logs: () =>
      lines
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    close: selector.close,
  };
}

/** A response with its body read. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  // The tests compare whole bodies with literals; a type would only restate them.
  readonly body: Record<string, unknown>;
}

/** Posts JSON, or text as it stands. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ReadResponse> {
  const isReady = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isReady ? Buffer.from(body) : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** A small catalogue in which one can see at a glance what should be found. */
export const TOOLS = [
  { name: 'create_pull_request', description: 'Open a new pull request. It needs a branch.' },
  { name: 'list_issues', description: 'List the issues of a repository.' },
  { name: 'get_weather', description: 'Current weather of a place.' },
  { name: 'send_email', description: 'Send a message by mail.' },
  { name: 'delete_branch', description: 'Remove a branch.' },
] as const;

/** Returns `count` tools with texts of some 700 characters. */
export function manyTools(count: number, mark = ''): { name: string; description: string }[] {
  return Array.from({ length: count }, (_, number) => ({
    name: `tool_${number}`,
    description: `Does task ${number}${mark} ${'with some care and a good deal of patience '.repeat(16)}`,
  }));
}
