import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** The ways in which the vendor's client detects a server's era. */
export const CLIENT_MODES = {
  legacy: 'legacy',
  auto: 'auto',
  pinned: { pin: '2026-07-28' },
} as const;
export type ClientMode = keyof typeof CLIENT_MODES;
export const MODES = Object.keys(CLIENT_MODES) as ClientMode[];

type ClientOptions = ConstructorParameters<typeof Client>[1];

/** The vendor's client, connected to the front door of a registry; it leaves when the test ends. */
export async function connectClient(
  url: string,
  {
    mode = 'auto',
    token,
    ...options
  }: { readonly mode?: ClientMode; readonly token?: string } & Partial<NonNullable<ClientOptions>> = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: CLIENT_MODES[mode] }, ...options },
  );
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    ...(token !== undefined && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  });
  await client.connect(transport);
  onTestFinished(() => client.close().catch(() => {}));
  return client;
}
