import type { ListedTool, RegistryTool, RegistryToolSummary, ToolDetailResponse } from '@winnow/core';
import type { ToolDetail, ToolSummary } from '@winnow/registry';

/** A summary in the form of the contract, without empty members. */
export function toSummary(tool: ToolSummary): RegistryToolSummary {
  return {
    id: tool.id,
    tool_name: tool.modelName,
    ...(tool.namespace !== '' && { namespace: tool.namespace }),
    name: tool.name,
    ...(tool.title !== '' && { title: tool.title }),
    summary: tool.summary,
    tags: [...tool.tags],
    ...(tool.version !== undefined && { version: tool.version }),
    ...(Object.keys(tool.annotations).length > 0 && { annotations: { ...tool.annotations } }),
    ...(tool.server !== undefined && { server: tool.server }),
    ...(tool.staleSince !== undefined && { stale_since: new Date(tool.staleSince).toISOString() }),
  };
}

/** A summary in a list, with the definition where there is one. */
export function toListed(tool: ToolSummary, definition: RegistryTool | undefined): ListedTool {
  return { ...toSummary(tool), ...(definition && { definition }) };
}

/** A tool at some level of detail as the contract writes it. */
export function toDetail(tool: ToolDetail): ToolDetailResponse {
  const { definition, examples, backends, defaultBackend, usage } = tool;
  return {
    ...toSummary(tool),
    ...(definition && { definition: definition as ToolDetailResponse['definition'] }),
    ...(tool.hasExternalRef && { external_ref: true }),
    ...(examples && {
      examples: examples.map(({ title, arguments: values, resultHint }) => ({
        title,
        arguments: values,
        ...(resultHint !== undefined && { result_hint: resultHint }),
      })),
    }),
    ...(backends && { backends: [...backends] }),
    ...(defaultBackend && { default_backend: defaultBackend }),
    ...(usage && { usage }),
  };
}
