import { request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';
import { connect } from 'node:tls';

/** The address of a service on this machine. */
interface HealthQuestion {
  readonly port: number;
  readonly path: string;
  /** Whether it uses TLS. Its certificate is for other names than this machine's, and is not checked. */
  readonly isTls: boolean;
  /**
   * Whether it requires a client certificate. A health check has none, so the service counts as ready when it
   * offers its own certificate.
   */
  readonly asksForCertificate: boolean;
}

const TIMEOUT_MS = 2_500;

/** Whether a service on this machine reports that it is ready. Never rejects. */
function checkHealth(question: HealthQuestion): Promise<boolean> {
  return question.isTls && question.asksForCertificate ? offersCertificate(question) : saysReady(question);
}

function saysReady({ port, path, isTls }: HealthQuestion): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path, timeout: TIMEOUT_MS, rejectUnauthorized: false };
    const asked = (isTls ? overTls : overHttp)(options, (response) => {
      response.destroy();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.on('close', () => resolve(false));
    asked.end();
  });
}

function offersCertificate({ port }: HealthQuestion): Promise<boolean> {
  return new Promise((resolve) => {
    let isOffered = false;
    const socket = connect(
      { host: '127.0.0.1', port, rejectUnauthorized: false, timeout: TIMEOUT_MS },
      () => {
        isOffered = socket.getPeerX509Certificate() !== undefined;
        socket.destroy();
      },
    );
    socket.on('timeout', () => socket.destroy());
    // The server may send an error after the handshake, because it requires a certificate.
    socket.on('error', () => {});
    socket.on('close', () => resolve(isOffered));
  });
}

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
