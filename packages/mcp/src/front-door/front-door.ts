import { keptMember, parseKept, writeKept } from '@winnow/core';
import {
  isJsonObject,
  type JsonObject,
  type McpTool,
  type Registry,
  type SearchPage,
  type ToolSummary,
} from '@winnow/registry';
import type { CallPlaces } from '@winnow/service';
import type { CallResult, McpServers } from '../servers/mcp-servers.ts';
import {
  absentNotes,
  type CallOutcome,
  type CallRecord,
  type ReadArguments,
  textResult,
} from './call-outcome.ts';
import { type CallContext, type CallEnd, callTool, failed, notReadOnly, RequestStates } from './call-tool.ts';
import { describeTools, explainUnknown, findTool, readDescribeArguments } from './describe-tools.ts';
import { type DispatchMode, dispatchName, isDispatchName } from './dispatch.ts';
import { ListedTools } from './listed-tools.ts';
import type { NamedOffer } from './offers/offer-directory.ts';
import { type CallableOffer, callOffer, findOffer, OfferDoor } from './offers/offer-door.ts';
import { readSearchArguments, searchTools } from './search-tools.ts';

/** Options of a {@link FrontDoor}. */
export interface FrontDoorOptions {
  /** As the client may see it: the rights of a call are the sight of this view. */
  readonly registry: Registry;
  readonly servers: McpServers;
  /** Name of the caller, whose state servers keep apart from that of others; empty by default. */
  readonly caller?: string;
  /** `single` when it is missing. */
  readonly dispatch?: DispatchMode;
  /** Whether to call only tools that a trusted server declares read-only; `dispatch` is then `single`. False by default. */
  readonly readsOnly?: boolean;
  /** Limits the concurrent calls. */
  readonly slots: CallPlaces;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Delays the first requests until the servers of a new process have listed their tools. Must not reject. */
  readonly ready?: Promise<void>;
  /** Receives every completed search, with its duration. Must not throw. */
  readonly onSearch?: (page: SearchPage, durationMs: number) => void;
  /** Receives the record of every finished call of another tool. Must not throw. */
  readonly onCall?: (record: CallRecord) => void;
}

/** A call of one of the tools that the front door lists. */
interface FrontDoorCall {
  readonly name: string;
  readonly arguments?: JsonObject | undefined;
  readonly context?: CallContext;
}

/**
 * The tools of a registry that MCP clients see: a handful, which find and call all others.
 *
 * Contract: independent of the transport. The list of tools depends on the view, the settings and the content of the
 * registry, never on earlier calls of a client. Any number of calls may run at once. Results of servers pass unchanged.
 */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #dispatch: DispatchMode;
  readonly #listed: ListedTools;
  readonly #states: RequestStates;
  /** The prompts, resources and templates of the servers. */
  readonly offers: OfferDoor;

  constructor(options: FrontDoorOptions) {
    const { readsOnly = false, registry, servers, wallClock } = options;
    this.#options = options;
    this.#dispatch = readsOnly ? 'single' : (options.dispatch ?? 'single');
    const { caller = '', slots, now, ready, onCall } = options;
    // Only the caller whose call was interrupted may go on with it.
    const sign = (text: string) => registry.sign(`mcp request state of ${caller}`, text);
    this.#states = new RequestStates({ sign, wallClock });
    this.offers = new OfferDoor({
      ...{ registry, servers, states: this.#states, caller, readsOnly, slots, now, ready, onCall },
    });
    const namespaces = () => this.offers.namespaces;
    this.#listed = new ListedTools({ registry, servers, dispatch: this.#dispatch, readsOnly, namespaces });
  }

  listTools(): Promise<readonly McpTool[]> {
    return this.#listed.all();
  }

  /** Calls a listed tool. Never rejects because of a client, a model or a server. */
  async callTool({ name, arguments: written = {}, context = {} }: FrontDoorCall): Promise<CallEnd> {
    const { now, onSearch, ready, registry, servers } = this.#options;
    await ready;
    switch (name) {
      case 'search_tools': {
        const read = readSearchArguments(written);
        if (!read.ok) return refused(read.message);
        const calledBy = {
          tool: (tool: ToolSummary) => this.#dispatchNameOf(tool),
          offer: ({ server }: NamedOffer) => this.#dispatchNameFor(server),
        };
        const startedAt = now();
        const onPage = (page: SearchPage) => onSearch?.(page, now() - startedAt);
        const parts = { registry, servers, offers: this.offers, calledBy, onPage };
        return own(await searchTools(read.read, parts, context.signal));
      }
      case 'describe_tools': {
        const read = readDescribeArguments(written);
        const parts = { registry, servers, offers: this.offers };
        return read.ok ? own(await describeTools(read.read, parts)) : refused(read.message);
      }
      default:
        return this.#callOther(name, written, context);
    }
  }

  async #callOther(via: string, written: JsonObject, context: CallContext): Promise<CallEnd> {
    const offer = await this.#offerOf(via, written);
    if (offer !== undefined) return this.#callOffer(via, offer, written, context);
    const { now, onCall, registry, slots } = this.#options;
    const startedAt = now();
    let id: string | undefined;
    const end = await slots.run(
      () =>
        this.#call(via, written, context, (found) => {
          id = found;
        }),
      OVERLOADED,
    );
    onCall?.({
      via: isDispatchName(this.#dispatch, via) || id !== undefined ? via : 'unknown',
      id,
      server: end.server,
      outcome: end.outcome,
      durationMs: now() - startedAt,
      resultChars: end.kind === 'result' && end.server !== undefined ? writeKept(end.result).length : 0,
    });
    // Counted for the hot tools; a store that fails must not fail the call.
    if (id !== undefined && COUNTED.has(end.outcome)) registry.countCalls([id]).catch(() => {});
    return end;
  }

  async #call(
    via: string,
    written: JsonObject,
    context: CallContext,
    onFound: (id: string) => void,
  ): Promise<CallEnd> {
    const { registry, servers, readsOnly: onlyReads = false } = this.#options;
    const parts = { registry, servers, states: this.#states, caller: this.#options.caller ?? '' };
    if (!isDispatchName(this.#dispatch, via)) {
      // A tool under its own name, which is listed or was until a moment ago.
      const tool = await registry.get(via, 'schema');
      if (tool === undefined || tool.modelName !== via) return unknownTool(via);
      onFound(tool.id);
      if (!this.#lets(tool)) return notReadOnly(tool);
      return this.#end(
        await callTool({ tool, arguments: written, isDryRun: false, onlyReads, context }, parts),
      );
    }
    const read = readCallArguments(written);
    if (!read.ok) return refused(read.message);
    const named = await findTool(registry, read.read.name);
    if (named.kind !== 'found') {
      const outcome = named.kind === 'unknown' ? 'unknown_tool' : 'ambiguous_name';
      return failed(outcome, explainUnknown(read.read.name, named, absentNotes(registry, servers)));
    }
    const { tool } = named;
    onFound(tool.id);
    if (!this.#lets(tool)) return notReadOnly(tool);
    const caller = this.#dispatchNameOf(tool);
    if (caller !== via)
      return failed('wrong_dispatch', `${tool.modelName} is called with ${caller}, not with ${via}.`);
    const { arguments: given, isDryRun } = read.read;
    const isReading = onlyReads || (this.#dispatch === 'per_effect' && via.startsWith('read_'));
    return this.#end(
      await callTool({ tool, arguments: given, isDryRun, onlyReads: isReading, context }, parts),
    );
  }

  /** The prompt or resource that a call is for: where no tool has the name. */
  async #offerOf(via: string, { name }: JsonObject): Promise<CallableOffer | undefined> {
    if (!isDispatchName(this.#dispatch, via) || typeof name !== 'string') return undefined;
    const offer = findOffer(this.offers, name.trim());
    return offer !== undefined && (await this.#options.registry.get(name.trim())) === undefined
      ? offer
      : undefined;
  }

  async #callOffer(
    via: string,
    offer: CallableOffer,
    written: JsonObject,
    context: CallContext,
  ): Promise<CallEnd> {
    const read = readCallArguments(written);
    if (!read.ok) return refused(read.message);
    const { name, arguments: given, isDryRun } = read.read;
    const caller = this.#dispatchNameFor(offer.kind === 'prompt' ? offer.named.server : offer.server);
    if (caller !== via) return failed('wrong_dispatch', `${name} is called with ${caller}, not with ${via}.`);
    if (isDryRun) {
      const result = textResult(`${name} is there. Nothing was called.`);
      return { kind: 'result', outcome: 'dry_run', result };
    }
    return this.#end(await callOffer(this.offers, offer, given, context));
  }

  /** A read-only door has no user to ask for input. */
  #end(end: CallEnd): CallEnd {
    return this.#options.readsOnly && end.outcome === 'input_required' ? ASKS : end;
  }

  #lets(tool: ToolSummary): boolean {
    return this.#options.readsOnly !== true || this.#listed.isReadOnly(tool);
  }

  /** Prompts and resources count as read-only if their server is trusted. */
  #dispatchNameFor({ namespace, trustsAnnotations }: NamedOffer['server']): string {
    return dispatchName(this.#dispatch, { namespace, isReadOnly: trustsAnnotations });
  }

  #dispatchNameOf(tool: ToolSummary): string {
    return dispatchName(this.#dispatch, {
      namespace: tool.namespace,
      isReadOnly: this.#listed.isReadOnly(tool),
    });
  }
}

/** Outcomes of calls that reached their server. */
const COUNTED: ReadonlySet<CallOutcome> = new Set(['ok', 'tool_error', 'input_required']);

const OVERLOADED = failed('overloaded', 'Too many calls are running. Try again in a moment.');

function own(result: CallResult): CallEnd {
  return { kind: 'result', outcome: result.isError === true ? 'tool_error' : 'ok', result };
}

function refused(message: string): CallEnd {
  return failed('invalid_arguments', message);
}

const ASKS = failed(
  'input_required',
  'The tool asks its user a question before it goes on, and no user can be asked here. Tell the user what you would call, with which arguments. An agent that has the registry as an MCP server can call it.',
);

/**
 * The protocol has a separate error for this:
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
function unknownTool(name: string): CallEnd {
  const message = `Unknown tool: ${JSON.stringify(name.slice(0, 200))}. Tools that search_tools finds are called with call_tool or its like.`;
  return { kind: 'error', outcome: 'unknown_tool', error: { code: -32602, message } };
}

/** The arguments of a tool that calls another one. */
export interface CallArguments {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly isDryRun: boolean;
}

/**
 * Reads the arguments of `call_tool` and its like. Models also write the inner arguments as a JSON string,
 * which is accepted.
 */
function readCallArguments(written: JsonObject): ReadArguments<CallArguments> {
  const { name, dry_run: dryRun = false, ...rest } = written;
  if (typeof name !== 'string' || name.trim() === '') {
    return refuse('"name" must be the name of a tool, as search_tools gives it.');
  }
  if (typeof dryRun !== 'boolean') return refuse('"dry_run" must be true or false.');
  const given = keptMember(written, 'arguments');
  const inner = typeof given === 'string' ? (parseKept(given) ?? given) : given;
  if (inner !== undefined && inner !== null && !isJsonObject(inner)) {
    return refuse('"arguments" must be an object with the arguments of the tool.');
  }
  const unknown = Object.keys(rest).filter((key) => key !== 'arguments');
  if (unknown.length > 0) {
    const names = unknown
      .slice(0, 5)
      .map((key) => JSON.stringify(key.slice(0, 64)))
      .join(', ');
    return refuse(`The arguments of the tool belong in "arguments"; move ${names} into it.`);
  }
  return { ok: true, read: { name: name.trim(), arguments: (inner ?? {}) as JsonObject, isDryRun: dryRun } };
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
