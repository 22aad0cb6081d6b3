import type { RegistryTool } from '@winnow/contract';
import type { Registry } from '@winnow/registry';

/** Definitions of tools, by id; of those that are gone by now there is none. */
export async function readDefinitions(
  tools: readonly { readonly id: string }[],
  registry: Registry,
): Promise<ReadonlyMap<string, RegistryTool>> {
  const details = await Promise.all(tools.map(({ id }) => registry.get(id, 'schema')));
  return new Map(details.flatMap((tool) => (tool ? [[tool.id, tool.definition as RegistryTool]] : [])));
}
