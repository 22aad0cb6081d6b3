import { checkRegistration } from '../model/check-registration.ts';
import { createStoredTool, definitionHash } from '../model/create-stored-tool.ts';
import { normalizeTags } from '../model/normalize-tags.ts';
import type { McpTool, StoredTool } from '../model/tool.ts';
import type { ServerList } from './server-list.ts';

/** A listed tool, prepared independently of the registered content. */
export type PreparedTool =
  | {
      readonly isSound: true;
      /** Digest of its definition. */
      readonly hash: string;
      /** The tool with this server as its only backend, without examples. */
      readonly stored: StoredTool;
    }
  | { readonly isSound: false; readonly reason: string };

/** Work between two pauses: tools, and characters of their definitions. */
const SLICE = { tools: 50, chars: 256 * 1_024 } as const;

/**
 * The tools of a list, each prepared once: checked, copied and digested. That is nearly all of the work of registering a
 * list, and may take seconds for one of 32 MiB. Planning it on the newest content is then quick.
 */
export class PreparedTools {
  readonly #list: ServerList;
  readonly #tags: readonly string[];
  readonly #known = new Map<McpTool, PreparedTool>();

  constructor(list: ServerList) {
    this.#list = list;
    this.#tags = normalizeTags(list.tags);
  }

  /** Prepares all tools, pausing between slices. */
  static async inSlices(list: ServerList, pause: () => Promise<void>): Promise<PreparedTools> {
    const prepared = new PreparedTools(list);
    let [tools, chars] = [0, 0];
    for (const tool of list.tools) {
      const one = prepared.of(tool);
      tools++;
      // A refused tool may have cost a full walk as well.
      chars += one.isSound ? one.stored.definition.length : SLICE.chars;
      if (tools < SLICE.tools && chars < SLICE.chars) continue;
      await pause();
      [tools, chars] = [0, 0];
    }
    return prepared;
  }

  of(tool: McpTool): PreparedTool {
    const known = this.#known.get(tool) ?? this.#prepare(tool);
    this.#known.set(tool, known);
    return known;
  }

  #prepare(tool: McpTool): PreparedTool {
    const { server, namespace, tags, prefix, trustsAnnotations } = this.#list;
    const backend = { kind: 'mcp', server } as const;
    const [problem] = checkRegistration({ tool, namespace, tags, backend }, '');
    if (problem !== undefined) return { isSound: false, reason: problem.message };
    const stored = createStoredTool({
      namespace,
      tool,
      tags: this.#tags,
      version: undefined,
      backends: [backend],
      examples: [],
      prefix,
      hasTrustedAnnotations: trustsAnnotations,
    });
    return { isSound: true, hash: definitionHash(tool), stored };
  }
}
