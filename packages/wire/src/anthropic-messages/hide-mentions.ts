import {
  isJsonObject,
  memberSpan,
  removeMembers,
  type Span,
  splice,
  valueSpan,
} from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/** A whole response, or an event's data, without the members around its content that name a hidden tool: echoes of the request. */
export function hideMentions(text: string, hidden: HiddenNames): string {
  if (!hidden.areIn(text)) return text;
  const body = parseJson(text);
  if (!isJsonObject(body)) return text;
  const root = valueSpan(text);
  const without = (object: Span | undefined, ...kept: string[]) =>
    object === undefined
      ? []
      : removeMembers(text, object, mentioningMembers(text, object, { hidden, kept }));
  switch (body.type) {
    case 'message':
      return splice(text, without(root, 'content'));
    case 'message_start':
      return splice(text, [
        ...without(root, 'message'),
        ...without(memberSpan(text, root.start, 'message'), 'content'),
      ]);
    case 'message_delta':
      return splice(text, [...without(root, 'delta'), ...without(memberSpan(text, root.start, 'delta'))]);
    default:
      return text;
  }
}
