import { type ToolDocument, toDocument } from '@winnow/ranking';
import { definitionOf } from '../model/create-stored-tool.ts';
import { hashedModelName, plainModelName } from '../model/model-name.ts';
import type { StoredTool } from '../model/tool.ts';

/** Returns the searchable document of a tool: its texts and all its names, without examples. */
export function toolDocument(tool: StoredTool): ToolDocument {
  const document = toDocument({
    name: tool.name,
    description: tool.description,
    definition: definitionOf(tool),
  });
  return {
    ...document,
    namespace: tool.namespace,
    title: tool.title,
    tags: tool.tags,
    aliases: aliasesOf(tool),
  };
}

/** Returns the id, the model name, and the name prefixed with each server, unless equal to the name itself. */
function aliasesOf({ id, name, prefix, backends }: StoredTool): readonly string[] {
  const servers = backends.flatMap((backend) =>
    backend.kind === 'mcp' ? [`${backend.server}__${name}`] : [],
  );
  const aliases = new Set([id, plainModelName(id, prefix) ?? hashedModelName(id, prefix), ...servers]);
  aliases.delete(name);
  return [...aliases];
}
