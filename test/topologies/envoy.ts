import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATEWAYS } from '../system-programs.ts';
import { pageFile } from './page-file.ts';
import type { TopologyOptions } from './start-topology.ts';

/** Returns a file of the guide's. */
export const fileOf = (place: TopologyOptions['place'], name: string) =>
  pageFile('envoy', `Envoy ${place}`, name);

/** Envoy in front, with the file of the guide. */
export const ENVOY_IN_FRONT: TopologyOptions = {
  place: 'in front',
  ...envoy(fileOf('in front', 'envoy.yaml'), (text, next) => text.replace('8787', new URL(next).port)),
  environment: () => ({}),
  winnow: () => '{}',
  // The scripted provider takes the place of both, and is spoken to as they are.
  winnowEnvironment: (next) => ({
    PROXY_UPSTREAMS_OPENAI_BASE_URL: next,
    PROXY_UPSTREAMS_OPENAI_LOAD: 'bridge',
    PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: next,
    PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native',
  }),
};

/** Envoy with a configuration, which `edit` adapts to the next hop, and whose listener gets a free port. */
export function envoy(
  config: string,
  edit: (config: string, next: string) => string,
): Pick<TopologyOptions, 'command' | 'listens' | 'write'> {
  return {
    command: (file) => [
      join(GATEWAYS, 'envoy'),
      '--config-path',
      file,
      '--concurrency',
      '1',
      '--use-dynamic-base-id',
    ],
    listens: /all dependencies initialized. starting workers/,
    write: (folder, next, port) => {
      const file = join(folder, 'envoy.yaml');
      writeFileSync(file, edit(config, next).replace(/port_value: (8780|10000)/, `port_value: ${port}`));
      return file;
    },
  };
}
