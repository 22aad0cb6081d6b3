import { type RunningProcess, startProcess } from '../start-process.ts';

/** The proxy to start: its own defaults, apart from these. */
export interface ProxyOptions {
  readonly upstreamUrl: string;
  readonly strategy: 'passthrough' | 'tool-search' | 'api';
  /** Where `api` searches; not needed otherwise. */
  readonly selectorUrl?: string;
  /** A folder for a CPU profile of its life. */
  readonly profileDirectory?: string | undefined;
  /** Further settings, as environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Whether it is to be asked for its memory. It remembers few conversations then, so that what it may keep is soon full. */
  readonly reportsMemory?: boolean;
}

/** Starts the proxy as a user would, on a free port, and waits until it is ready. */
export function startProxy(options: ProxyOptions): Promise<RunningProcess> {
  const { upstreamUrl, strategy, selectorUrl, settings, reportsMemory } = options;
  return startProcess({
    file: new URL('../../../apps/proxy/src/main.ts', import.meta.url),
    flags: profileFlags(options),
    ...(reportsMemory && { probe: new URL('report-memory.ts', import.meta.url) }),
    env: {
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstreamUrl,
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: strategy,
      ...(reportsMemory && { PROXY_SESSIONS_MAX_MEMORY: '256KiB' }),
      ...(selectorUrl !== undefined && {
        PROXY_PROVIDERS_SELECTOR_ENDPOINT: `${selectorUrl}/v1/tool-discovery/search`,
      }),
      ...settings,
    },
  });
}

function profileFlags({ profileDirectory, strategy }: ProxyOptions): string[] {
  if (profileDirectory === undefined) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`, `--cpu-prof-name=${strategy}.cpuprofile`];
}
