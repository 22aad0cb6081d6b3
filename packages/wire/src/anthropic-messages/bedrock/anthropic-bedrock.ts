import type { CallEvent, CallEvents, CallPart, PartChanges } from '../../bridge/call-events.ts';
import { joinBridged } from '../../bridge/join-bridged.ts';
import type { Format } from '../../format/format.ts';
import type { Past } from '../../format/request-editor.ts';
import type { Plan, RequestView } from '../../format/view.ts';
import { eventText } from '../../framing/wire-event.ts';
import { appendElements, type Edit, setMember } from '../../json/json-splice.ts';
import { writeRequest } from '../../request/write-request.ts';
import { bedrock } from '../../vendors/bedrock.ts';
import { anthropicMessages } from '../anthropic-messages.ts';
import { bridgeDialect } from '../bridge-dialect.ts';
import { editsOf } from '../edit-request.ts';
import { fromChunk, toChunk } from './chunk-event.ts';
import { joinInvocations } from './join-invocations.ts';
import { readInvocation } from './read-invocation.ts';

const { hostedSearches: _, ...capabilities } = anthropicMessages.capabilities;
const { nativeHeaders: __, changeHeaders: ___, changeRefusal: ____, ...loading } = anthropicMessages.loading;

/**
 * Claude on Bedrock through InvokeModel: the Messages API with the model in the path, and the version and
 * betas in the body. Its stream is an AWS event stream that carries each event as base64 in a frame. The
 * service runs the vendor's searches itself.
 *
 * Source:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
export const anthropicBedrock: Format = {
  ...anthropicMessages,
  name: 'anthropic-bedrock',
  vendor: bedrock,
  heartbeat: toChunk('{"type": "ping"}'),
  loading,
  reading: {
    routes: [
      [/\/model\/[^/]+\/(?:invoke|invoke-with-response-stream)$/, 'answer'],
      [/\/model\/[^/]+\/count-tokens$/, 'count_tokens'],
    ],
    readRequest: readInvocation,
  },
  editing: { ...anthropicMessages.editing, editRequest: editInvocation },
  joining: {
    joinResponses: joinBridged(joinInvocations, {
      ...bridgeDialect,
      readCalls: (bridge) => new ChunkedCalls(bridgeDialect.readCalls(bridge)),
      textOf: (event) => eventText(saidBy(event) ?? event),
    }),
  },
  capabilities,
};

/**
 * The beta that enables deferred tools on this service. Claude Code sends it here in place of the one for the
 * vendor's API.
 */
const DEFERRAL = 'tool-search-tool-2025-10-19';

/**
 * Returns the request to send upstream. It is edited like one of the Messages API, except that its betas are
 * in the body.
 */
function editInvocation(view: RequestView, plan: Plan, past: Past): Uint8Array {
  return writeRequest(view, [...editsOf(view, plan, past), ...addBeta(view, plan)]);
}

function addBeta({ text, body, spans }: RequestView, { loadMode, defer }: Plan): Edit[] {
  if (loadMode !== 'native' || defer.length === 0) return [];
  const { anthropic_beta: betas } = body;
  if (!Array.isArray(betas)) return [setMember(text, spans.root, 'anthropic_beta', `["${DEFERRAL}"]`)];
  if (betas.includes(DEFERRAL)) return [];
  return [appendElements(text, spans.members.get('anthropic_beta')!, [`"${DEFERRAL}"`])];
}

const NO_PARTS: readonly CallPart[] = [];

/** Reads the calls in the events of Messages that frames carry. */
class ChunkedCalls implements CallEvents {
  readonly #calls: CallEvents;

  constructor(calls: CallEvents) {
    this.#calls = calls;
  }

  partsOf(event: CallEvent): readonly CallPart[] {
    const said = saidBy(event);
    return said === undefined ? NO_PARTS : this.#calls.partsOf(said);
  }

  endsCalls(event: CallEvent): boolean {
    const said = saidBy(event);
    return said !== undefined && this.#calls.endsCalls(said);
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined {
    if (event.kind === 'whole') return this.#calls.rewrite(event, changes);
    const said = saidBy(event);
    const written = said && this.#calls.rewrite(said, changes);
    if (written === undefined || written.kind === 'whole') return undefined;
    return written === said ? event : toChunk(written.data);
  }
}

/** Returns the event in a frame. An error has none, and is one. */
function saidBy(event: CallEvent): CallEvent | undefined {
  return event.kind === 'whole' || event.isError === true ? event : fromChunk(event);
}
