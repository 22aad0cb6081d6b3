import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { TestCertificates } from '@winnow/testkit';
import { envoy, fileOf } from './envoy.ts';
import type { TopologyOptions } from './start-topology.ts';

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
