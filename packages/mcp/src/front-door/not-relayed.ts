/** Features that the front door does not relay, by the method of a client. */
const BY_METHOD = {
  'logging/setLevel': 'log messages of servers',
  'resources/subscribe': 'subscriptions to resources over HTTP before revision 2026-07-28',
  'resources/unsubscribe': 'subscriptions to resources over HTTP before revision 2026-07-28',
} as const satisfies Readonly<Record<string, string>>;

/** Features that the front door does not relay, in words. */
export const NOT_RELAYED: readonly string[] = [
  ...new Set<string>(Object.values(BY_METHOD)),
  'questions of servers before revision 2026-07-28 in the middle of a call (sampling, elicitation, roots)',
  'extensions of the protocol, such as tasks',
];

/** Explains to a client why a request is not answered. */
export function explainNotRelayed(method: string): string {
  const what = Object.hasOwn(BY_METHOD, method) ? BY_METHOD[method as keyof typeof BY_METHOD] : undefined;
  const reason =
    what === undefined ? 'is not known here' : `is not relayed: the front door does without ${what}`;
  return `${method.slice(0, 100)} ${reason}.`;
}
