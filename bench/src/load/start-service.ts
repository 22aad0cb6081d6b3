import { DEFER_ANYTHING } from '@winnow/testkit';
import { ownCheckout, proxyNodeOptions } from '../checkout.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';

/** Loaded into both services and the upstream, to report their resources on request. */
const PROBE = new URL('report-state.ts', import.meta.url);

/**
 * Starts the strict upstream of a load, which plays the dialogues of the seed; `haste` shortens the model's
 * delays by this factor.
 */
export function startUpstreamProcess({
  seed,
  haste,
}: {
  seed: number;
  haste: number;
}): Promise<RunningProcess> {
  const file = new URL('upstream-process.ts', import.meta.url);
  return startProcess({ file, args: [String(seed), String(haste)] });
}

/**
 * Starts a selector; port 0 selects a free one.
 */
export function startSelectorProcess(port = 0): Promise<RunningProcess> {
  return startProcess({
    file: new URL('../../../apps/selector/src/main.ts', import.meta.url),
    probe: PROBE,
    env: {
      SELECTOR_SERVER_PORT: String(port),
    },
  });
}

/** Addresses of the other services. */
export interface ProxySurroundings {
  readonly upstreamUrl: string;
  /** Address of an upstream without deferral. */
  readonly plainUrl: string;
  readonly selectorUrl: string;
  readonly redisUrl: string;
  /** Path of the file for its records. */
  readonly recordsFile: string;
  /** 0 selects a free port. */
  readonly port?: number;
  /** Further settings, as environment variables. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/**
 * Starts a proxy that searches through the selector, loads natively if the model supports it, and keeps its
 * sessions in Redis.
 */
export function startProxyProcess(surroundings: ProxySurroundings): Promise<RunningProcess> {
  const { upstreamUrl, plainUrl, selectorUrl, redisUrl, recordsFile, port = 0, settings } = surroundings;
  return startProcess({
    file: new URL('../../../apps/proxy/src/main.ts', import.meta.url),
    flags: proxyNodeOptions(ownCheckout()),
    probe: PROBE,
    env: {
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: String(port),
      PROXY_RECORDS_FILE: recordsFile,
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstreamUrl,
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: upstreamUrl,
      PROXY_UPSTREAMS_GEMINI_BASE_URL: upstreamUrl,
      PROXY_UPSTREAMS_OLLAMA_BASE_URL: upstreamUrl,
      PROXY_UPSTREAMS_BEDROCK_BASE_URL: upstreamUrl,
      PROXY_UPSTREAMS_PLAIN_BASE_URL: plainUrl,
      PROXY_UPSTREAMS_PLAIN_FORMAT: 'anthropic',
      PROXY_UPSTREAMS_PLAIN_POLYFILL: 'on',
      PROXY_TOOLS_API_ENDPOINT: `${selectorUrl}/v1/tool-discovery/search`,
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native',
      PROXY_SESSIONS_SECRET: 'the-same-for-all-proxies-of-a-load',
      PROXY_REDIS_URL: redisUrl,
      ...settings,
    },
  });
}
