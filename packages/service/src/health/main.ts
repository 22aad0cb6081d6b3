import { checkHealth } from './check-health.ts';

// node packages/service/src/health/main.ts PORT PATH [TLS_FOLDER [CLIENT_AUTHORITIES]]
//
// The health check of images: exits with 0 when the service on this machine is ready. The last two arguments
// are the values of server.tls_folder and server.client_ca_file, empty when they are not set.
const [port, path = '/readyz', folder = '', authorities = ''] = process.argv.slice(2);
const isTls = folder !== '';
const isReady = await checkHealth({
  port: Number(port),
  path,
  isTls,
  asksForCertificate: authorities !== '',
});
process.exit(isReady ? 0 : 1);
