import { ClientIdentity, type Conversation } from '../src/sessions/client-identity.ts';
import { KeyedHash } from '../src/sessions/keyed-hash.ts';

const ORIGIN = {
  upstream: 'openai',
  headers: ['authorization', 'Bearer one'],
  parameters: [] as readonly string[],
  tenantHeaders: [] as readonly string[],
  remoteAddress: '127.0.0.1',
};

/** The parts of a request that identify its conversation. */
export type ConversationParts = typeof ORIGIN & {
  /** The value of `prompt_cache_key` in the body. */
  readonly bodyName: string;
  readonly firstUserText: string | undefined;
};

/** Returns the conversation of a client that says hello, with other parts where some are given. */
export function conversationOf(
  parts: Partial<ConversationParts>,
  secret = new KeyedHash('secret', 'test'),
): Conversation {
  const { bodyName, firstUserText = 'hello', ...origin } = parts;
  const hints = bodyName === undefined ? [] : [{ source: 'prompt_cache_key', value: bodyName } as const];
  const said = 'firstUserText' in parts ? (parts.firstUserText ?? '') : firstUserText;
  return new ClientIdentity(() => ({ ...ORIGIN, ...origin }), secret).conversationOf({
    sessionHints: hints,
    firstUserText: said,
  });
}
