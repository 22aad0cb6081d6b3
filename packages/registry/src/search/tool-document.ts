import { type ToolDocument, toDocument } from '@winnow/ranking';
import { definitionOf } from '../model/create-stored-tool.ts';
import { hashedModelName, plainModelName } from '../model/model-name.ts';
import type { StoredTool } from '../model/tool.ts';

/** A stored tool as searchers see it: its texts, and every name that stands for it. Examples are not among them. */
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

/** Every name that stands for a tool, its own first. */
export function namesOf(tool: StoredTool): readonly [string, ...string[]] {
  return [tool.name, ...aliasesOf(tool)];
}

/** The id, the name for models, and the name behind each of its servers, where these are not the name itself. */
function aliasesOf({ id, name, prefix, backends }: StoredTool): readonly string[] {
  const servers = backends.flatMap((backend) =>
    backend.kind === 'mcp' ? [`${backend.server}__${name}`] : [],
  );
  const aliases = new Set([id, plainModelName(id, prefix) ?? hashedModelName(id, prefix), ...servers]);
  aliases.delete(name);
  return [...aliases];
}
