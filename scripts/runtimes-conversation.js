/**
 * One conversation through `winnow(fetch)`, with nothing but what every JavaScript runtime has: a whole response in
 * which the model searches and calls a tool, then a streamed one. Returns what the client and the record say.
 *
 * @param {typeof import('../distribution/library/fetch.ts').winnow} winnow
 * @param {string} url The provider's address, with `/v1`.
 */
export async function converse(winnow, url) {
  /** @type {Parameters<NonNullable<NonNullable<Parameters<typeof winnow>[1]>['onRecord']>>[0][]} */
  const records = [];
  const fetchWithWinnow = winnow(fetch, {
    goal: 'context',
    load: 'swap',
    preload: 0,
    onRecord: (record) => records.push(record),
  });
  const tools = Array.from({ length: 60 }, (_, number) => ({
    type: 'function',
    function: {
      name: `tool_${number}`,
      description: `Does number ${number} of the shop. ${'It takes care of all of it. '.repeat(5)}`,
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
    },
  }));
  /** @type {object[]} */
  const messages = [{ role: 'user', content: 'Do number 37 of the shop.' }];
  const ask = (/** @type {object} */ more) =>
    fetchWithWinnow(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4.1', messages, tools, ...more }),
    });

  const { choices } = await (await ask({})).json();
  const [call] = choices[0].message.tool_calls ?? [];
  messages.push(choices[0].message, { role: 'tool', tool_call_id: call?.id, content: 'number-37-is-done' });
  const streamed = await (await ask({ stream: true })).text();
  return {
    called: call?.function.name,
    isDone: streamed.includes('number-37-is-done') && streamed.trimEnd().endsWith('[DONE]'),
    searches: records.flatMap((record) => record.searches ?? []).length,
    sent: records[0]?.tools,
  };
}
