/** Where a call of a tool would go. Data only: the registry calls nothing. */
export type Backend =
  | { readonly kind: 'mcp'; readonly server: string }
  | { readonly kind: 'provider'; readonly provider: string; readonly tool: string }
  | { readonly kind: 'local'; readonly handler: string };

export type BackendKind = Backend['kind'];

/** The fields of each kind, in the order in which they are written. */
export const BACKEND_FIELDS = {
  mcp: ['server'],
  provider: ['provider', 'tool'],
  local: ['handler'],
} as const satisfies Record<BackendKind, readonly string[]>;

/** Every kind, in the order in which a default is chosen. */
export const BACKEND_KINDS: readonly BackendKind[] = ['local', 'provider', 'mcp'];

/** Chooses the backend of a tool that a call goes to; gets at least one, in order of registration. */
export type BackendPolicy = (backends: readonly Backend[]) => Backend;

/** Whether two backends are one: the same kind, and each field the same. Never by one joined text, in which `a:b` + `c` is `a` + `b:c`. */
export function isSameBackend(left: Backend, right: Backend): boolean {
  const [values, others]: readonly Readonly<Record<string, string>>[] = [left, right];
  return ['kind', ...BACKEND_FIELDS[left.kind]].every((field) => values![field] === others![field]);
}

/** The backend with the fields of its kind alone. */
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

/** A policy that prefers kinds in an order, and within a kind the backend that was registered first. Kinds that are left out come last. */
export function preferKinds(order: readonly BackendKind[]): BackendPolicy {
  const rank = (backend: Backend): number => {
    const place = order.indexOf(backend.kind);
    return place < 0 ? order.length : place;
  };
  return (backends) => backends.reduce((best, next) => (rank(next) < rank(best) ? next : best));
}
