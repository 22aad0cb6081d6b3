import type { RegistryTool } from '@winnow/core';
import type { Registry } from '@winnow/registry';

/** Returns definitions of tools, by id, without those that no longer exist. */
export async function readDefinitions(
  tools: readonly { readonly id: string }[],
  registry: Registry,
): Promise<ReadonlyMap<string, RegistryTool>> {
  const details = await Promise.all(tools.map(({ id }) => registry.get(id, 'schema')));
  return new Map(details.flatMap((tool) => (tool ? [[tool.id, tool.definition as RegistryTool]] : [])));
}
