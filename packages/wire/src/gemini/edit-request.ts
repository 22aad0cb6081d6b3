import { createRequestEditor } from '../bridge/create-request-editor.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { RequestView } from '../format/view.ts';
import { type Edit, isJsonObject, setMember } from '../json/json-splice.ts';
import { appendToHistory } from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { keyOf } from './field-of.ts';
import { restoreTurns } from './restore-turns.ts';
import { signCalls } from './sign-calls.ts';
import { turns } from './turns.ts';
import { writeDeclaration } from './write-declaration.ts';
import { contentsOfRound } from './write-results.ts';

const TEXT: TextStyle = { member: 'parts', writeText: (text) => `{"text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export const preloadForms = textForms(TEXT);

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past, declared }) => {
    const { dropsThinking: replaces = false } = past;
    const { edits: restoring, restored } = restoreTurns(view, past.hiddenTurns, declared);
    return [
      ...swapTools(view, plan, writeDeclaration),
      ...appendDefinitions(view, plan, bridgeDialect, TEXT),
      ...restoring,
      ...(!hidesCalls(plan) && !replaces ? [] : signCalls(view, { restored, replaces })),
      ...appendToHistory(
        view,
        'contents',
        past.rounds.flatMap((round) => contentsOfRound(round, declared)),
      ),
      ...(plan.forbidsCalls ? [forbidCalls(view)] : []),
    ];
  },
);

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
