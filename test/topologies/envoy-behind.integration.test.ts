/**
 * @module-tag envoy
 * @module-tag openssl
 */
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll } from 'vitest';
import { envoy } from './envoy.ts';
import { pageFile } from './page-file.ts';
import { topologySuite } from './topology-suite.ts';

const fileOf = (name: string) => pageFile('envoy', 'Envoy behind', name);
const certificates = new TestCertificates({ provider: 'authority' });
/** Speaks TLS for the provider. */
let tls: Server;
let providerUrl = '';
beforeAll(async () => {
  certificates.make();
  const read = (name: string) => readFileSync(certificates.file(name));
  tls = createServer({ key: read('provider.key'), cert: read('provider.pem') }, (client) => {
    const upstream = connect(Number(new URL(providerUrl).port), '127.0.0.1');
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
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  tls.close();
  certificates.remove();
});

topologySuite({
  options: {
    place: 'behind',
    ...envoy(fileOf('envoy.yaml'), (text, next) => {
      providerUrl = next;
      return text
        .replaceAll(/api\.(?:openai|anthropic)\.com/g, '127.0.0.1')
        .replaceAll('san_type: DNS', 'san_type: IP_ADDRESS')
        .replaceAll('/etc/ssl/certs/ca-certificates.crt', certificates.file('authority.pem'))
        .replaceAll('port_value: 443', `port_value: ${(tls.address() as AddressInfo).port}`);
    }),
    environment: () => ({ OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-anthropic' }),
    winnow: (next) => fileOf('winnow.yaml').replaceAll('http://127.0.0.1:10000', next),
  },
  clientKey: 'sk-alice',
  providerKeys: { openai: 'sk-openai', anthropic: 'sk-anthropic' },
  requests: { ifAllFail: 1, ifLaterFail: 4 },
  statuses: {
    openai: { 429: 429, 503: 503, 529: 529 },
    anthropic: { 429: 429, 503: 503, 529: 529 },
  },
  passesRetryAfter: true,
  cancelsWhole: true,
  refusals: { longHead: 431, largeBody: { openai: 413, anthropic: 413 }, gzip: 200 },
});
