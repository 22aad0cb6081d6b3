import { checkHealth } from './check-health.ts';

// node packages/service/src/health/main.ts PORT PATH [CERTIFICATE [CLIENT_AUTHORITIES]]
//
// The health check of images: exits with 0 when the service on this machine is ready. The last two arguments
// are the values of server.cert_file and server.client_ca_file, empty when they are not set.
const [port, path = '/readyz', certificate = '', authorities = ''] = process.argv.slice(2);
const isTls = certificate !== '';
const isReady = await checkHealth({
  port: Number(port),
  path,
  isTls,
  asksForCertificate: authorities !== '',
});
process.exit(isReady ? 0 : 1);
