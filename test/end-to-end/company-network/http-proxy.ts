import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** A company's HTTP proxy, which leads every host to one port of this machine. */
export interface CompanyProxy {
  readonly port: number;
  /** The requests that it served or refused: the method and target, such as `CONNECT server.test:443`. */
  readonly requests: readonly string[];
}

/** Starts a proxy that may demand a password: `NAME:PASSWORD`. It ends with the test. */
export async function startCompanyProxy(leadsTo: number, password?: string): Promise<CompanyProxy> {
  const requests: string[] = [];
  const expected = password && `Basic ${Buffer.from(password).toString('base64')}`;
  const mayPass = (headers: IncomingHttpHeaders) => !expected || headers['proxy-authorization'] === expected;
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    if (!mayPass(incoming.headers)) return outgoing.writeHead(407).end();
    const { pathname: path } = new URL(incoming.url!);
    const options = { host: '127.0.0.1', port: leadsTo, path, method: incoming.method };
    const onward = request({ ...options, headers: incoming.rawHeaders }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    return incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    requests.push(`CONNECT ${incoming.url}`);
    socket.on('error', () => {});
    if (!mayPass(incoming.headers)) {
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    }
    const onward = connect(leadsTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    return onward;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}
