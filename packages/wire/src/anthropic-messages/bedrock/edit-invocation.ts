import type { Past } from '../../format/request-editor.ts';
import type { Plan, RequestView } from '../../format/view.ts';
import { appendElements, type Edit, setMember } from '../../json/json-splice.ts';
import { writeRequest } from '../../request/write-request.ts';
import { editsOf } from '../edit-request.ts';

/**
 * The beta that enables deferred tools on this service. Claude Code sends it here in place of the one for the
 * vendor's API.
 */
const DEFERRAL = 'tool-search-tool-2025-10-19';

/**
 * Returns the request to send upstream. It is edited like one of the Messages API, except that its betas are
 * in the body.
 */
export function editInvocation(view: RequestView, plan: Plan, past: Past): Uint8Array {
  return writeRequest(view, [...editsOf(view, plan, past), ...addBeta(view, plan)]);
}

function addBeta({ text, body, spans }: RequestView, { loadMode, defer }: Plan): Edit[] {
  if (loadMode !== 'native' || defer.length === 0) return [];
  const { anthropic_beta: betas } = body;
  if (!Array.isArray(betas)) return [setMember(text, spans.root, 'anthropic_beta', `["${DEFERRAL}"]`)];
  if (betas.includes(DEFERRAL)) return [];
  return [appendElements(text, spans.members.get('anthropic_beta')!, [`"${DEFERRAL}"`])];
}
