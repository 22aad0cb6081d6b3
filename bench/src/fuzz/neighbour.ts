import type { Services } from './start-services.ts';
import { WANTED } from './start-services.ts';

const NAMES = [WANTED, ...Array.from({ length: 40 }, (_, number) => `other_tool_${number}`)];

const CHAT = JSON.stringify({
  model: 'gpt-test',
  messages: [{ role: 'user', content: 'Find the needle.' }],
  tools: NAMES.map((name) => ({
    type: 'function',
    function: { name, description: name, parameters: { type: 'object', properties: {} } },
  })),
});

const SEARCH = JSON.stringify({
  pattern: 'needle',
  top_k: 1,
  tools: NAMES.map((name) => ({ name, description: name })),
});

/**
 * Acts as a well-behaved client: holds a conversation in which the model searches, and sends a search of its
 * own. Returns the fault of the responses, if any.
 */
export async function beNeighbour({ proxy, selector }: Services): Promise<string | undefined> {
  const [chat, search] = await Promise.all([
    post(`${proxy.url}/v1/chat/completions`, CHAT),
    post(`${selector.url}/v1/tool-discovery/search`, SEARCH),
  ]);
  if (!chat.includes(`"${WANTED}"`)) return `a conversation was answered: ${chat}`;
  if (search !== JSON.stringify({ selected_names: [WANTED] })) return `a search was answered: ${search}`;
  return undefined;
}

async function post(url: string, body: string): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer neighbour' };
    return await (await fetch(url, { method: 'POST', headers, body })).text();
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}
