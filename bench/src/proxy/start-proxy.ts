import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Checkout, proxyNodeOptions, speaks } from '../checkout.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';

/**
 * Options of the proxy; everything else has its default. Records, metrics, sessions and memory limits are on,
 * as for a user.
 */
export interface ProxyOptions {
  readonly checkout: Checkout;
  readonly upstreamUrl: string;
  readonly strategy: 'passthrough' | 'relevance' | 'tool-search' | 'api';
  /** The selector for `api`; otherwise not needed. */
  readonly selectorUrl?: string;
  /** A folder for a CPU profile of the whole process, and the profile's name. */
  readonly profile?: { readonly directory: string; readonly name: string } | undefined;
  /** Further settings, as environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Memory that the proxy takes itself to have, in bytes. */
  readonly memory?: number;
  /** A file to load before the proxy's own code, such as one that answers questions. */
  readonly probe?: URL;
}

/**
 * Starts the proxy as a user would, on a free port, and waits until it is ready. Stopping it deletes its
 * files.
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProcess> {
  const { checkout, upstreamUrl, strategy, selectorUrl, settings, memory, probe } = options;
  const folder = mkdtempSync(join(tmpdir(), 'winnow-bench-'));
  const proxy = await startProcess({
    file: new URL('apps/proxy/src/main.ts', checkout.directory),
    flags: [...proxyNodeOptions(checkout), ...profileFlags(options), ...(memory ? inContainer(memory) : [])],
    ...(probe && { probe }),
    env: {
      // As `npm run start:proxy` sets it.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/winnow', checkout.directory)),
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: join(folder, 'records.jsonl'),
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstreamUrl,
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: upstreamUrl,
      ...(speaks(checkout, 'ollama-chat') && { PROXY_UPSTREAMS_OLLAMA_BASE_URL: upstreamUrl }),
      ...(speaks(checkout, 'gemini') && { PROXY_UPSTREAMS_GEMINI_BASE_URL: upstreamUrl }),
      ...(speaks(checkout, 'bedrock-converse') && { PROXY_UPSTREAMS_BEDROCK_BASE_URL: upstreamUrl }),
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: strategy,
      ...(selectorUrl !== undefined && {
        PROXY_TOOLS_API_ENDPOINT: `${selectorUrl}/v1/tool-discovery/search`,
      }),
      ...settings,
    },
  });
  return {
    ...proxy,
    async stop() {
      await proxy.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function profileFlags({ profile }: ProxyOptions): string[] {
  if (profile === undefined) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${profile.directory}`, `--cpu-prof-name=${profile.name}.cpuprofile`];
}

/** Returns the options of Node with which a process takes itself to be in a container with so much memory. */
function inContainer(memory: number): readonly string[] {
  return ['--import', `data:text/javascript,process.constrainedMemory=()=>${memory}`];
}
