import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATEWAYS } from '../system-programs.ts';
import type { TopologyOptions } from './start-topology.ts';

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
