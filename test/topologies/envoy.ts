import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { TestCertificates } from '@winnow/testkit';
import { GATEWAYS } from '../system-programs.ts';
import { pageFile } from './page-file.ts';
import type { TopologyOptions } from './start-topology.ts';

const fileOf = (place: TopologyOptions['place'], name: string) => pageFile('envoy', `Envoy ${place}`, name);

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

/** Returns Envoy behind, with the files of the guide and a provider that speaks TLS. */
export function envoyBehind(): TopologyOptions {
  const certificates = new TestCertificates({ provider: 'authority' });
  return {
    place: 'behind',
    ...envoy(fileOf('behind', 'envoy.yaml'), (text, next) =>
      text
        .replaceAll(/api\.(?:openai|anthropic)\.com/g, '127.0.0.1')
        .replaceAll('san_type: DNS', 'san_type: IP_ADDRESS')
        .replaceAll('/etc/ssl/certs/ca-certificates.crt', certificates.file('authority.pem'))
        .replaceAll('port_value: 443', `port_value: ${new URL(next).port}`),
    ),
    between: (next) => endTls(next, certificates),
    environment: () => ({ OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-anthropic' }),
    winnow: (next) => fileOf('behind', 'winnow.yaml').replaceAll('http://127.0.0.1:10000', next),
  };
}

/** Starts a server that speaks TLS for another one. */
async function endTls(next: string, certificates: TestCertificates) {
  certificates.make();
  const read = (name: string) => readFileSync(certificates.file(name));
  const server = createServer({ key: read('provider.key'), cert: read('provider.pem') }, (client) => {
    const upstream = connect(Number(new URL(next).port), '127.0.0.1');
    client.pipe(upstream).pipe(client);
    // A pipe does not report that a side is gone.
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      certificates.remove();
    },
  };
}

/** Envoy with a configuration, which `edit` adapts to the next hop, and whose listener gets a free port. */
function envoy(
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
