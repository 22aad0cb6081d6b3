import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpScript } from './mcp-script.ts';

/**
 * Acts as the authorization server of a scripted MCP server at the same address: metadata, and tokens for
 * client credentials. Returns whether it handled the request.
 *
 * Sources: https://www.rfc-editor.org/rfc/rfc9728, https://www.rfc-editor.org/rfc/rfc8414,
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export function grantTokens(
  { url = '/', headers, method }: IncomingMessage,
  body: string,
  { oauth }: McpScript,
  outgoing: ServerResponse,
): boolean {
  if (oauth === undefined) return false;
  const origin = `http://${headers.host}`;
  const reply = (status: number, value: object, head: Record<string, string> = {}) => {
    outgoing.writeHead(status, { 'content-type': 'application/json', ...head }).end(JSON.stringify(value));
    return true;
  };
  if (url.startsWith('/.well-known/oauth-protected-resource')) {
    return reply(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
  }
  if (url.startsWith('/.well-known/')) {
    return reply(200, {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  }
  if (url === '/token' && method === 'POST') {
    const isKnown = headers.authorization === `Basic ${btoa(`${oauth.clientId}:${oauth.clientSecret}`)}`;
    if (!isKnown || new URLSearchParams(body).get('grant_type') !== 'client_credentials') {
      return reply(401, { error: 'invalid_client', error_description: `not ${headers.authorization}` });
    }
    return reply(200, { access_token: oauth.token, token_type: 'Bearer', expires_in: 3_600 });
  }
  if (headers.authorization === `Bearer ${oauth.token}`) return false;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  return reply(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
}
