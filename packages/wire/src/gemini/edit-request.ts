import { bridgeHistory } from '../bridge/bridge-history.ts';
import { resultTools } from '../bridge/defining-results.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { Past } from '../format/request-editor.ts';
import type { LoadMode, Plan, PreloadForm, RequestView, Round } from '../format/view.ts';
import { type Edit, isJsonObject, setMember } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { writeOwnTools } from '../tools/own-tools.ts';
import { swapTools } from '../tools/swap-tools.ts';
import type { DeclaredTools } from '../turns/kept-result.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { keyOf } from './field-of.ts';
import { restoreTurns } from './restore-turns.ts';
import { signCalls } from './sign-calls.ts';
import { turns } from './turns.ts';
import { writeDeclaration } from './write-declaration.ts';
import { contentsOfRound } from './write-results.ts';

const TEXT: TextStyle = { member: 'parts', writeText: (text) => `{"text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  return textForms(view, loadMode, TEXT);
}

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  const { dropsThinking: replaces = false } = past;
  const declared = resultTools(view, plan, bridgeDialect);
  const { edits: restoring, restored } = restoreTurns(view, past.hiddenTurns, declared);
  const edits = [
    ...editTools(view, plan),
    ...appendDefinitions(view, plan, bridgeDialect, TEXT),
    ...restoring,
    ...(!hidesCalls(plan) && !replaces ? [] : signCalls(view, { restored, replaces })),
    ...appendRounds(view, past.rounds, declared),
    ...(plan.forbidsCalls ? [forbidCalls(view)] : []),
  ];
  return writeRequest(view, bridgeHistory(view, plan, past, { edits, dialect: bridgeDialect, turns }));
}

function editTools(view: RequestView, plan: Plan): Edit[] {
  const { toolSection } = view;
  const own = writeOwnTools(plan, (tool) => writeDeclaration(tool, toolSection));
  const edit = swapTools(view, plan, own);
  return edit === undefined ? [] : [edit];
}

function appendRounds(view: RequestView, rounds: readonly Round[], declared: DeclaredTools): Edit[] {
  if (rounds.length === 0) return [];
  const added = rounds.flatMap((round) => contentsOfRound(round, declared)).join(',');
  const { spans } = view;
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get('contents')!.start + 1;
  return [{ start: end, end, text: last === undefined ? added : `,${added}` }];
}

/** Replaces the client's choice as a whole: the API refuses allowed names without a call. */
function forbidCalls({ text, body, spans }: RequestView): Edit {
  const key = keyOf(body, 'toolConfig');
  const config = body[key];
  const span = spans.members.get(key);
  if (!isJsonObject(config) || span === undefined)
    return setMember(text, spans.root, key, `{"functionCallingConfig":${NO_CALLS}}`);
  return setMember(text, span, keyOf(config, 'functionCallingConfig'), NO_CALLS);
}

const NO_CALLS = '{"mode":"NONE"}';
