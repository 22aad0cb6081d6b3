import { answer, callTool, DEFER_ANYTHING, type Model, startUpstream } from '@winnow/testkit';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { startHostileUpstream } from './start-hostile-upstream.ts';
import { startRawUpstream } from './start-raw-upstream.ts';

/** Both services, each in its own process, between clients and upstreams that run in this process. */
export interface Services {
  readonly proxy: RunningProcess;
  readonly selector: RunningProcess;
  /** Lines of the proxy's log that report a defect. */
  readonly defects: readonly string[];
  stop(): Promise<void>;
}

/** The tool that the model of well-behaved clients needs. */
export const WANTED = 'find_the_needle';

const SEARCH_TOOL = 'gateway_search_tools';

/** Searches once if there is a search tool, and calls the tool that it found. */
const model: Model = (_, { text }) =>
  text.includes('can be called now') || !text.includes(SEARCH_TOOL)
    ? answer([callTool(WANTED)])
    : answer([callTool(SEARCH_TOOL, { query: 'needle' })]);

/**
 * Starts both services with their defaults apart from memory limits. Upstreams: `rawopenai`, `rawanthropic`,
 * `rawgemini`, `rawplain`, `rawplainopenai` (polyfilled, like `hostileplain` and `hostileplainopenai`) and
 * `rawbedrock` answer anything; `hostileopenai`, `hostileplain`, `hostileanthropic`, `hostilegemini`,
 * `hostileollama` and `hostilebedrock` attack.
 */
export async function startServices(): Promise<Services> {
  const raw = await startRawUpstream();
  const hostile = await startHostileUpstream();
  const upstream = await startUpstream({ model, keeps: () => false });
  const selector = await startProcess({
    file: new URL('../../../apps/selector/src/main.ts', import.meta.url),
    env: { SELECTOR_SERVER_PORT: '0' },
  });
  const defects: string[] = [];
  const proxy = await startProcess({
    // The options that `npm start` uses.
    flags: ['--max-semi-space-size=16'],
    onLine: (line) => {
      if (line.includes('"event":"defect"')) defects.push(line);
    },
    file: new URL('../../../apps/proxy/src/main.ts', import.meta.url),
    env: {
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_RAWOPENAI_BASE_URL: raw.url,
      PROXY_UPSTREAMS_RAWOPENAI_FORMAT: 'openai',
      PROXY_UPSTREAMS_RAWANTHROPIC_BASE_URL: raw.url,
      PROXY_UPSTREAMS_RAWANTHROPIC_FORMAT: 'anthropic',
      PROXY_UPSTREAMS_RAWPLAIN_BASE_URL: raw.url,
      PROXY_UPSTREAMS_RAWPLAIN_FORMAT: 'anthropic',
      PROXY_UPSTREAMS_RAWPLAIN_POLYFILL: 'on',
      PROXY_UPSTREAMS_HOSTILEPLAIN_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEPLAIN_FORMAT: 'anthropic',
      PROXY_UPSTREAMS_HOSTILEPLAIN_POLYFILL: 'on',
      PROXY_UPSTREAMS_RAWPLAINOPENAI_BASE_URL: raw.url,
      PROXY_UPSTREAMS_RAWPLAINOPENAI_FORMAT: 'openai',
      PROXY_UPSTREAMS_RAWPLAINOPENAI_POLYFILL: 'on',
      PROXY_UPSTREAMS_HOSTILEPLAINOPENAI_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEPLAINOPENAI_FORMAT: 'openai',
      PROXY_UPSTREAMS_HOSTILEPLAINOPENAI_POLYFILL: 'on',
      PROXY_UPSTREAMS_RAWGEMINI_BASE_URL: raw.url,
      PROXY_UPSTREAMS_RAWGEMINI_FORMAT: 'gemini',
      PROXY_UPSTREAMS_RAWBEDROCK_BASE_URL: raw.url,
      PROXY_UPSTREAMS_RAWBEDROCK_FORMAT: 'bedrock',
      PROXY_UPSTREAMS_HOSTILEBEDROCK_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEBEDROCK_FORMAT: 'bedrock',
      PROXY_UPSTREAMS_HOSTILEGEMINI_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEGEMINI_FORMAT: 'gemini',
      PROXY_UPSTREAMS_HOSTILEOPENAI_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEOPENAI_FORMAT: 'openai',
      PROXY_UPSTREAMS_HOSTILEANTHROPIC_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEANTHROPIC_FORMAT: 'anthropic',
      PROXY_UPSTREAMS_HOSTILEOLLAMA_BASE_URL: hostile.url,
      PROXY_UPSTREAMS_HOSTILEOLLAMA_FORMAT: 'ollama',
      PROXY_TOOLS_API_ENDPOINT: `${selector.url}/v1/tool-discovery/search`,
    },
  });
  return {
    proxy,
    selector,
    defects,
    async stop() {
      await Promise.all([proxy.stop(), selector.stop()]);
      await upstream.close();
      raw.close();
      hostile.close();
    },
  };
}
