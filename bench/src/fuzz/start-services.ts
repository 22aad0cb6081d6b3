import { answer, callTool, DEFER_ANYTHING, type Model, startUpstream } from '@winnow/testkit';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { startRawUpstream } from './start-raw-upstream.ts';

/** Both services, each in a process of its own, between clients and upstreams that run here. */
export interface Services {
  readonly proxy: RunningProcess;
  readonly selector: RunningProcess;
  stop(): Promise<void>;
}

/** The tool that the model of well-behaved clients looks for. */
export const WANTED = 'find_the_needle';

const SEARCH_TOOL = 'gateway_search_tools';

/** Searches once where there is something to search with, and calls what it has found. */
const model: Model = (_, { text }) =>
  text.includes('can be called now') || !text.includes(SEARCH_TOOL)
    ? answer([callTool(WANTED)])
    : answer([callTool(SEARCH_TOOL, { query: 'needle' })]);

/** Starts both services with their own defaults, and upstreams `rawopenai` and `rawanthropic` that answer anything. */
export async function startServices(): Promise<Services> {
  const raw = await startRawUpstream();
  const upstream = await startUpstream({ model, keeps: () => false });
  const selector = await startProcess({
    file: new URL('../../../apps/selector/src/main.ts', import.meta.url),
    env: { PORT: '0' },
  });
  const proxy = await startProcess({
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
      PROXY_PROVIDERS_SELECTOR_ENDPOINT: `${selector.url}/v1/tool-discovery/search`,
    },
  });
  return {
    proxy,
    selector,
    async stop() {
      await Promise.all([proxy.stop(), selector.stop()]);
      await upstream.close();
      raw.close();
    },
  };
}
