import type { Sight } from '../content/sight.ts';

/** The terms on which tools may be registered and called on an MCP server. */
export interface ServerTerms {
  /** The server's own namespace: a caller who sees it has a right on the server. Empty for none. */
  readonly namespace: string;
  /** Whether the operator lets tools of another namespace go to the server. */
  shares(namespace: string): boolean;
}

/** The backend of a registration that names a server. */
export interface NamedServer {
  readonly server: string;
  /** The namespace of the registered tool. */
  readonly namespace: string;
}

/** Whether tools of a namespace may be called on a server with these terms. */
export function servesNamespace(terms: ServerTerms, namespace: string): boolean {
  return namespace === terms.namespace || terms.shares(namespace);
}

/**
 * Returns why a registration may not name a server as its backend; undefined when it may.
 *
 * An unknown server and one out of sight get the same refusal, so that it tells nothing. `terms` is undefined for an
 * unknown server, which only a caller who sees everything may name: later it may be anyone's.
 */
export function refuseServer(
  { server, namespace }: NamedServer,
  terms: ServerTerms | undefined,
  sight: Sight,
): { readonly code: 'forbidden' | 'invalid_backend'; readonly message: string } | undefined {
  if (terms === undefined ? sight.key === '' : servesNamespace(terms, namespace)) return undefined;
  if (terms === undefined || !sight.sees(terms.namespace)) {
    return { code: 'forbidden', message: 'This token has no right on a server of that name.' };
  }
  const place = namespace === '' ? 'tools without a namespace' : `tools of the namespace ${namespace}`;
  return {
    code: 'invalid_backend',
    message: `The server ${server} takes no calls for ${place}: "share_with" of the server would allow it.`,
  };
}
