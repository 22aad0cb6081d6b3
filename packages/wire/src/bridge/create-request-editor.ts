import type { Past, RequestEditor } from '../format/request-editor.ts';
import type { Plan, RequestView } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import type { DeclaredTools } from '../turns/kept-result.ts';
import { type BridgedFormat, bridgeHistory } from './bridge-history.ts';
import { resultTools } from './defining-results.ts';

export interface EditedRequest {
  readonly view: RequestView;
  readonly plan: Plan;
  readonly past: Past;
  /** The tools that results refer to. Results must be written in the order of the request's text. */
  readonly declared: DeclaredTools;
}

/** Returns the editor of a format's requests; `editsOf` returns the edits without those of bridge mode. */
export function createRequestEditor(
  format: BridgedFormat,
  editsOf: (request: EditedRequest) => readonly Edit[],
): RequestEditor['editRequest'] {
  return (view, plan, past) => {
    const declared = resultTools(view, plan, format.dialect);
    const edits = editsOf({ view, plan, past, declared });
    return writeRequest(view, bridgeHistory(view, plan, past, { ...format, edits }));
  };
}
