/** What a `catalog_id` says of a registry: all of its tools, or those of one namespace. */
export interface RegistryId {
  /** Undefined for all of them. */
  readonly namespace: string | undefined;
}

const ALL = 'registry';
const OF_NAMESPACE = `${ALL}:`;

/** Reads `registry` and `registry:NAMESPACE`; undefined for any other id. */
export function readRegistryId(catalogId: string | undefined): RegistryId | undefined {
  if (catalogId === ALL) return { namespace: undefined };
  if (!catalogId?.startsWith(OF_NAMESPACE)) return undefined;
  return { namespace: catalogId.slice(OF_NAMESPACE.length) };
}
