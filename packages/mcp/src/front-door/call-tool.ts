import { timingSafeEqual } from 'node:crypto';
import { changeKept, memberAt, pointerKeys, readableJson } from '@winnow/core';
import {
  isJsonObject,
  type JsonObject,
  type Registry,
  type ToolDetail,
  type ToolSummary,
  validateValue,
} from '@winnow/registry';
import { CallProblem } from '../servers/failures.ts';
import type { CallResult, McpServers, Progress } from '../servers/mcp-servers.ts';
import { explainRefusal } from '../servers/take-over-list.ts';
import { type CallOutcome, errorResult, textResult } from './call-outcome.ts';

/** A call that a server has interrupted to ask for something. */
interface InterruptedCall {
  /** The server that asks, and the tool that was called. */
  readonly server: string;
  readonly id: string;
  /** The server's own state, as it gave it; undefined when it gave none. */
  readonly state: string | undefined;
}

/** Dependencies of {@link RequestStates}. */
interface RequestStateParts {
  /** A text that only this registry can make of another one: an HMAC, the same on every instance. */
  readonly sign: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
}

/** Time limit for responding to a server's request for input, in milliseconds. */
export const REQUEST_STATE_TTL_MS = 3_600_000;

const FORM = 'w1';

/**
 * Writes and reads the `requestState` of calls that go through the front door: a server's own one, with the server's name, so that the next
 * round goes where the last one came from. Clients hold it, and cannot alter it.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class RequestStates {
  readonly #parts: RequestStateParts;

  constructor(parts: RequestStateParts) {
    this.#parts = parts;
  }

  seal({ server, id, state }: InterruptedCall): string {
    const { sign, wallClock } = this.#parts;
    const payload = JSON.stringify([server, id, wallClock(), ...(state === undefined ? [] : [state])]);
    const body = `${FORM}.${Buffer.from(payload).toString('base64url')}`;
    return `${body}.${sign(body)}`;
  }

  /** Undefined for a state that was not sealed here, was altered, or is too old. */
  open(sealed: string): InterruptedCall | undefined {
    const end = sealed.lastIndexOf('.');
    const body = sealed.slice(0, Math.max(end, 0));
    if (!body.startsWith(`${FORM}.`) || !isEqual(sealed.slice(end + 1), this.#parts.sign(body)))
      return undefined;
    // The signature proves that this payload was sealed here.
    const payload = Buffer.from(body.slice(FORM.length + 1), 'base64url').toString('utf8');
    const [server, id, at, state] = JSON.parse(payload) as [string, string, number, string?];
    if (this.#parts.wallClock() - at > REQUEST_STATE_TTL_MS) return undefined;
    return { server, id, state };
  }
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Context that a client sends with a call. */
export interface CallContext {
  /** The client's session, if it has one. */
  readonly session?: string;
  /** Aborts when the client takes its call back. */
  readonly signal?: AbortSignal;
  /** Receives progress, in order, before the result; missing when the client wants none. */
  readonly onProgress?: (progress: Progress) => void;
  /** Members of the request's `_meta` for the server. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Responses to the inputs that an `input_required` result requested. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The `requestState` of that result. */
  readonly requestState?: string;
}

/** Dependencies of a call. */
interface CallParts {
  /** As the caller sees it. */
  readonly registry: Registry;
  readonly servers: McpServers;
  readonly states: RequestStates;
  /** Name of the caller, whose state servers keep apart from that of others. */
  readonly caller: string;
}

interface ToolCall {
  readonly tool: ToolDetail;
  readonly arguments: JsonObject;
  readonly isDryRun: boolean;
  /** Whether to call it only if a trusted server declares it read-only. */
  readonly onlyReads: boolean;
  readonly context: CallContext;
}

/** The end of a call: a result, or an error of the protocol. */
export type CallEnd =
  | {
      readonly kind: 'result';
      readonly outcome: CallOutcome;
      readonly result: CallResult;
      readonly server?: string;
    }
  | {
      readonly kind: 'error';
      readonly outcome: CallOutcome;
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
      readonly server?: string;
    };

/** A JSON-RPC error for parameters that are not valid. */
const INVALID_PARAMS = -32602;

/** A schema is repeated in an error up to this length, in characters; beyond, the model is sent to `describe_tools`. */
const MAX_SCHEMA_CHARS = 16_000;
const MAX_PROBLEMS = 20;

/**
 * Calls a tool on its server, if its arguments fit its schema. Returns the server's result unchanged, except
 * that the state of `input_required` is sealed. Never rejects.
 */
export async function callTool(
  written: ToolCall,
  { registry, servers, states, caller }: CallParts,
): Promise<CallEnd> {
  const { tool, context } = written;
  const resumed = context.requestState === undefined ? undefined : states.open(context.requestState);
  if (context.requestState !== undefined && resumed?.id !== tool.id) return INVALID_STATE;
  const schema = tool.definition?.inputSchema ?? {};
  const call = { ...written, arguments: omitNulls(schema, written.arguments) ?? written.arguments };
  const invalid = checkArguments(call);
  if (invalid !== undefined) return invalid;
  const server = await chooseServer(tool, registry, resumed?.server);
  if (server === undefined) return resumed === undefined ? notCallable(tool, registry) : INVALID_STATE;
  if (call.isDryRun) {
    const refusal = servers.refusalOf(server, tool);
    return refusal === undefined
      ? dryRun(tool, server)
      : notAllowed(tool, explainRefusal(refusal, server, tool));
  }
  const { requestState: _, session, ...rest } = context;
  try {
    const { signal } = context;
    const ownName = await servers.admit(server, tool, {
      ...(signal && { signal }),
      onlyReads: call.onlyReads,
    });
    const result = await servers.call(server, ownName, call.arguments, {
      ...rest,
      holder: { caller, ...(session !== undefined && { session }) },
      ...(resumed?.state !== undefined && { requestState: resumed.state }),
    });
    return toEnd(result, server, tool, states);
  } catch (error) {
    if (error instanceof CallProblem) return toProblemEnd(error, server, tool);
    throw error;
  }
}

const INVALID_STATE: CallEnd = {
  kind: 'error',
  outcome: 'invalid_request_state',
  error: {
    code: INVALID_PARAMS,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  },
};

/** The default backend when it is a server, else the first server; in a further round the server that asked, if the tool still is on it. */
async function chooseServer(
  tool: ToolDetail,
  registry: Registry,
  resumed: string | undefined,
): Promise<string | undefined> {
  if (resumed === undefined && tool.server !== undefined) return tool.server;
  const backends = (await registry.backends(tool.id)) ?? [];
  const servers = backends.flatMap((backend) => (backend.kind === 'mcp' ? [backend.server] : []));
  return resumed === undefined ? servers[0] : servers.find((server) => server === resumed);
}

function checkArguments({ tool, arguments: values }: ToolCall): CallEnd | undefined {
  const schema = tool.definition?.inputSchema ?? {};
  const validation = validateValue(schema, values);
  // The server checks everything that cannot be checked here.
  if (validation.result !== 'invalid') return undefined;
  const problems = validation.errors
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `- ${path === '' ? 'arguments' : `arguments${path}`}: ${message}`);
  const more = validation.errors.length - problems.length;
  const written = JSON.stringify(readableJson(schema));
  return failed(
    'invalid_arguments',
    [
      `The arguments of ${tool.modelName} do not fit its schema. It was not called.`,
      ...problems,
      ...(more > 0 ? [`- and ${more} more`] : []),
      written.length > MAX_SCHEMA_CHARS
        ? `Its schema is long: ask describe_tools for ${tool.modelName}.`
        : `The schema of its arguments: ${written}`,
    ].join('\n'),
  );
}

async function notCallable(tool: ToolDetail, registry: Registry): Promise<CallEnd> {
  const [backend] = (await registry.backends(tool.id)) ?? [];
  const where =
    backend?.kind === 'provider'
      ? `It belongs to the provider ${backend.provider} (its tool ${backend.tool}).`
      : backend?.kind === 'local'
        ? `Its handler ${backend.handler} runs in an application of its own.`
        : 'It has no backend.';
  return failed(
    'not_callable',
    `${tool.modelName} is not on an MCP server, so that it cannot be called from here. ${where}`,
  );
}

function dryRun(tool: ToolDetail, server: string): CallEnd {
  const text = `The arguments fit the schema of ${tool.modelName}. Nothing was called; without dry_run the call goes to the server ${server}.`;
  return { kind: 'result', outcome: 'dry_run', result: textResult(text), server };
}

function toEnd(result: CallResult, server: string, tool: ToolDetail, states: RequestStates): CallEnd {
  if (result.resultType !== 'input_required') {
    return { kind: 'result', outcome: result.isError === true ? 'tool_error' : 'ok', result, server };
  }
  const { requestState: state } = result;
  const sealed = states.seal({ server, id: tool.id, state: typeof state === 'string' ? state : undefined });
  return { kind: 'result', outcome: 'input_required', result: withState(result, sealed), server };
}

/** Returns a result with the sealed state of its call. */
export function withState(result: CallResult, sealed: string): CallResult {
  return changeKept(result, [{ path: ['requestState'], value: JSON.stringify(sealed) }]);
}

/** Errors of the protocol pass through as such; everything else is for the model to read. */
function toProblemEnd({ code, message, rpcError }: CallProblem, server: string, tool: ToolDetail): CallEnd {
  if (code === 'refused' && rpcError !== undefined) {
    return { kind: 'error', outcome: 'refused', error: rpcError, server };
  }
  if (code === 'not_allowed') return notAllowed(tool, message);
  if (code === 'not_read_only') return notReadOnly(tool);
  if (code === 'unknown_server') return unreachable(server, message);
  return { ...failed(code, message), server };
}

function notAllowed({ modelName }: ToolDetail, message: string): CallEnd {
  return failed('not_allowed', `${modelName} was not called. ${message}`);
}

/** Returns the end of a call of a tool that may change something, where only read-only tools are called. */
export function notReadOnly({ modelName }: ToolSummary): CallEnd {
  return failed(
    'not_read_only',
    `${modelName} was not called. Only read-only tools can be called here, and no trusted server has declared this one read-only. Tell the user what you would call, with which arguments. An agent that has the registry as an MCP server can call it, where its user is asked.`,
  );
}

function unreachable(server: string, message: string): CallEnd {
  return { ...failed('server_unreachable', message), server };
}

/** Returns the end of a call that failed, as a result that a model can read. */
export function failed(outcome: CallOutcome, text: string): CallEnd {
  return { kind: 'result', outcome, result: errorResult(outcome, text) };
}

/**
 * Removes the nulls that a schema refuses, as models in strict mode write optional parameters that they leave out.
 * Returns undefined if the arguments still do not fit.
 */
function omitNulls(schema: unknown, values: JsonObject): JsonObject | undefined {
  const validation = validateValue(schema, values);
  if (validation.result !== 'invalid') return undefined;
  const nulls = validation.errors
    .map(({ path }) => pointerKeys(path))
    .filter((path) => isNullMember(values, path));
  const copy = changeKept(
    values,
    nulls.map((path) => ({ path, value: undefined })),
  );
  return validateValue(schema, copy).result === 'valid' ? (copy as JsonObject) : undefined;
}

/** Whether a member of an object is null. */
function isNullMember(values: JsonObject, path: readonly string[]): boolean {
  return isJsonObject(memberAt(values, path.slice(0, -1))) && memberAt(values, path) === null;
}
