/** What a path asks for. */
export type Route = 'openai-chat' | 'anthropic-messages' | 'anthropic-count-tokens' | 'other';

/** Ends of paths, so that Azure's deployments and base URLs with a path of their own are known as well. */
const ENDS: readonly [string, Route][] = [
  ['/chat/completions', 'openai-chat'],
  ['/v1/messages', 'anthropic-messages'],
  ['/v1/messages/count_tokens', 'anthropic-count-tokens'],
];

/** The route of a request; the query string does not matter, and only POST asks a model. */
export function routeOf(method: string, path: string): Route {
  const [plainPath = ''] = path.split('?');
  const found = ENDS.find(([end]) => plainPath.endsWith(end));
  return method === 'POST' && found !== undefined ? found[1] : 'other';
}
