/** The meaning of a `catalog_id` for a registry: all of its tools, or those of one namespace. */
export interface RegistryId {
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

const ALL = 'registry';
const OF_NAMESPACE = `${ALL}:`;

/** Parses `registry` and `registry:NAMESPACE`; undefined for any other id. */
export function readRegistryId(catalogId: string | undefined): RegistryId | undefined {
  if (catalogId === ALL) return { namespace: undefined };
  if (!catalogId?.startsWith(OF_NAMESPACE)) return undefined;
  return { namespace: catalogId.slice(OF_NAMESPACE.length) };
}
