import { connect } from 'node:net';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { CLIENT_CREDENTIALS } from './aws-credentials.ts';

/** The vendor's client for Bedrock with its defaults: over HTTP/2 if the server supports it. */
export async function openAwsClient(url: string): Promise<BedrockRuntimeClient> {
  return openAwsClientOver(url, (await speaksHttp2(url)) ? 'HTTP/2' : 'HTTP/1.1');
}

/** The same over a fixed version of HTTP. */
export function openAwsClientOver(url: string, version: 'HTTP/1.1' | 'HTTP/2'): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    endpoint: url,
    ...CLIENT_CREDENTIALS,
    maxAttempts: 1,
    ...(version === 'HTTP/1.1' && { requestHandler: new NodeHttpHandler() }),
  });
}

/** Whether a server understands the start of HTTP/2: others respond with an error in HTTP/1.1. */
function speaksHttp2(url: string): Promise<boolean> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.destroy();
      resolve(!bytes.toString('latin1').startsWith('HTTP/1'));
    });
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), EMPTY_SETTINGS]));
  });
}

const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
