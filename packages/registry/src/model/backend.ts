/** The target of a tool's calls. Data only: the registry calls nothing. */
export type Backend =
  | { readonly kind: 'mcp'; readonly server: string }
  | { readonly kind: 'provider'; readonly provider: string; readonly tool: string }
  | { readonly kind: 'local'; readonly handler: string };

export type BackendKind = Backend['kind'];

/** The fields of each kind, in writing order. */
export const BACKEND_FIELDS = {
  mcp: ['server'],
  provider: ['provider', 'tool'],
  local: ['handler'],
} as const satisfies Record<BackendKind, readonly string[]>;

/** All kinds, in order of preference. */
export const BACKEND_KINDS: readonly BackendKind[] = ['local', 'provider', 'mcp'];

/** Chooses the default backend of a tool from at least one, given in order of registration. */
export type BackendPolicy = (backends: readonly Backend[]) => Backend;

/** Whether two backends have the same kind and fields. Joined texts would confuse `a:b` + `c` with `a` + `b:c`. */
export function isSameBackend(left: Backend, right: Backend): boolean {
  const [values, others]: readonly Readonly<Record<string, string>>[] = [left, right];
  return ['kind', ...BACKEND_FIELDS[left.kind]].every((field) => values![field] === others![field]);
}

/** Returns the backend with only the fields of its kind. */
export function plainBackend(backend: Backend): Backend {
  switch (backend.kind) {
    case 'mcp':
      return { kind: 'mcp', server: backend.server };
    case 'provider':
      return { kind: 'provider', provider: backend.provider, tool: backend.tool };
    case 'local':
      return { kind: 'local', handler: backend.handler };
  }
}

/** Returns a policy that prefers kinds in the given order, then the earliest registration. Other kinds come last. */
export function preferKinds(order: readonly BackendKind[]): BackendPolicy {
  const rank = (backend: Backend): number => {
    const place = order.indexOf(backend.kind);
    return place < 0 ? order.length : place;
  };
  return (backends) => backends.reduce((best, next) => (rank(next) < rank(best) ? next : best));
}
