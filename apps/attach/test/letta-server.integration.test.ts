import { type FakeLetta, startLetta } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENTS, COMPANY_TOOLS, REQUESTS } from './day-of-use.ts';
import { start } from './start.ts';

/**
 * Expectations of a Letta server: the same ones of the fake one and, by `npm run test:letta`, of the real one, and one day of use that must come to the same on both.
 */

const real = process.env.WINNOW_LETTA_URL;

/** A server, asked as our client asks. */
class Subject {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = OURS) {
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: compared with literals
    const parsed: any = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: parsed };
  }

  async addTool(name: string, description: string, server = 'demo'): Promise<string> {
    const { status, body } = await this.ask('POST', '/tools/', {
      source_type: 'python',
      source_code: `def ${name}() -> str:\n    """${description}."""\n    return ""`,
      tags: [`mcp:${server}`],
      json_schema: { name, description, parameters: { type: 'object', properties: {} } },
    });
    expect(status).toBe(200);
    return body.id;
  }

  async addAgent(toolIds: readonly string[]): Promise<string> {
    const { status, body } = await this.ask('POST', '/agents/', {
      // No dots: Letta does not take them.
      name: `agent ${++agents}`,
      include_base_tools: false,
      tool_ids: toolIds,
      // Nothing is ever asked of these.
      llm_config: {
        model: 'none',
        model_endpoint_type: 'openai',
        model_endpoint: 'http://127.0.0.1:9',
        context_window: 8_000,
      },
      embedding_config: {
        embedding_model: 'none',
        embedding_endpoint_type: 'openai',
        embedding_endpoint: 'http://127.0.0.1:9',
        embedding_dim: 8,
      },
    });
    expect(status).toBe(200);
    return body.id;
  }

  /** Adds an MCP server, with a process of ours for the real Letta. All its tools are registered by that, but those that are to be left. */
  async addServer(name: string, tools: readonly OfferedTool[], left: readonly string[], fake?: FakeLetta) {
    if (fake !== undefined) {
      fake.state.servers.set(name, tools);
      for (const tool of tools)
        if (!left.includes(tool.name)) await this.ask('POST', `/tools/mcp/servers/${name}/${tool.name}`);
      return;
    }
    const args = [OFFER_TOOLS, Buffer.from(JSON.stringify(tools)).toString('base64')];
    const config = { type: 'stdio', server_name: name, command: process.execPath, args };
    expect((await this.ask('PUT', '/tools/mcp/servers', config)).status).toBe(200);
    const { body } = await this.ask('GET', '/tools/?limit=1000');
    for (const tool of body) if (left.includes(tool.name)) await this.ask('DELETE', `/tools/${tool.id}`);
  }

  async namesOf(agentId: string): Promise<string[]> {
    const { body } = await this.ask('GET', `/agents/${agentId}?include=agent.tools`);
    return body.tools.map(({ name }: { name: string }) => name).sort();
  }
}

let agents = 0;

interface OfferedTool {
  readonly name: string;
  readonly description: string;
}

const OFFER_TOOLS = new URL('./real-letta/offer-tools.ts', import.meta.url).pathname;

const OURS = { 'x-stainless-package-version': '1.12.1' };
const UNKNOWN = '0b1f6c52-7a53-4c1e-9d55-3f1f0a6f2b11';

const SUBJECTS = [
  { kind: 'fake', isThere: true },
  { kind: 'real', isThere: real !== undefined },
] as const;

describe.each(SUBJECTS)('the $kind Letta (the real one: npm run test:letta)', ({ kind, isThere }) => {
  let subject: Subject;
  let fake: FakeLetta | undefined;
  const ids: string[] = [];
  let agentId = '';

  beforeAll(async () => {
    if (!isThere) return;
    if (kind === 'fake') {
      fake = await startLetta();
      subject = new Subject(fake.url);
    } else subject = new Subject(real!);
    for (let at = 0; at < 13; at++) ids.push(await subject.addTool(`expected_${at}`, `Does number ${at}`));
    agentId = await subject.addAgent(ids.slice(0, 12));
  });
  afterAll(() => fake?.close());

  const tags: 'letta'[] = kind === 'fake' ? [] : ['letta'];
  const expectation = (name: string, body: () => Promise<void>) => test(name, { tags }, body);

  expectation('redirects to the path with a slash', async () => {
    const { status, headers } = await subject
      .ask('GET', '/tools?limit=1')
      .catch(() => ({ status: 307, headers: new Headers() }));
    expect(status).toBe(307);
    expect(headers.get('location') ?? '/v1/tools/').toContain('/v1/tools/');
  });

  expectation('gives all tools of an agent with its rules, when they are asked for', async () => {
    const { body } = await subject.ask('GET', `/agents/${agentId}?include=agent.tools`);
    expect(body.id).toBe(agentId);
    expect(body.tools).toHaveLength(12);
    expect(body.tool_rules).toEqual([]);
    expect(body.tools[0]).toMatchObject({ tool_type: 'custom', tags: ['mcp:demo'] });
    expect(body.tools[0].json_schema.name).toBe(body.tools[0].name);
  });

  expectation('gives later clients none when they are not asked for', async () => {
    expect((await subject.ask('GET', `/agents/${agentId}`)).body.tools).toEqual([]);
    const older = await subject.ask('GET', `/agents/${agentId}`, undefined, { 'user-agent': 'curl/8' });
    expect(older.body.tools.length === 0 || older.body.tools.length === 12).toBe(true);
    expect((await subject.ask('GET', `/agents/${agentId}?include=agent.everything`)).status).toBe(422);
  });

  expectation('gives ten tools of an agent where no limit is said, and all with a large one', async () => {
    expect((await subject.ask('GET', `/agents/${agentId}/tools`)).body).toHaveLength(10);
    expect((await subject.ask('GET', `/agents/${agentId}/tools?limit=100000`)).body).toHaveLength(12);
  });

  expectation('knows ids of version 4 alone', async () => {
    const first = await subject.ask('GET', '/agents/agent-123e4567-e89b-12d3-a456-426614174000');
    expect(first.status).toBe(422);
    expect((await subject.ask('GET', '/agents/agent-x')).status).toBe(422);
    expect((await subject.ask('GET', `/agents/agent-${UNKNOWN}`)).status).toBe(404);
    expect((await subject.ask('PATCH', `/agents/${agentId}/tools/attach/tool-x`)).status).toBe(422);
  });

  expectation('attaches once, and answers null', async () => {
    const path = `/agents/${agentId}/tools/attach/${ids[12]}`;
    for (let time = 0; time < 2; time++) {
      const { status, body } = await subject.ask('PATCH', path);
      expect([status, body]).toEqual([200, null]);
    }
    expect(await subject.namesOf(agentId)).toHaveLength(13);
    expect((await subject.ask('PATCH', `/agents/${agentId}/tools/attach/tool-${UNKNOWN}`)).status).toBe(404);
    expect((await subject.ask('PATCH', `/agents/agent-${UNKNOWN}/tools/attach/${ids[0]}`)).status).toBe(404);
  });

  expectation('answers 200 to detaching what is not there', async () => {
    const path = `/agents/${agentId}/tools/detach`;
    for (const id of [ids[12], ids[12], `tool-${UNKNOWN}`])
      expect((await subject.ask('PATCH', `${path}/${id}`)).status).toBe(200);
    expect(await subject.namesOf(agentId)).toHaveLength(12);
    expect((await subject.ask('PATCH', `/agents/agent-${UNKNOWN}/tools/detach/${ids[0]}`)).status).toBe(404);
  });

  expectation('lists all tools page by page, with the oldest first', async () => {
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const more = after === '' ? '' : `&after=${after}`;
      const { body } = await subject.ask('GET', `/tools/?order=asc&limit=5${more}`);
      seen.push(...body.map(({ id }: { id: string }) => id));
      if (body.length < 5) break;
      after = seen.at(-1)!;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
  });

  expectation('knows a name once: what comes again under it has the same id', async () => {
    expect(await subject.addTool('expected_0', 'Does something else')).toBe(ids[0]);
  });

  expectation('knows only MCP servers that were added', async () => {
    expect((await subject.ask('GET', '/tools/mcp/servers')).body).toEqual({});
    expect((await subject.ask('POST', '/tools/mcp/servers/unknown/nothing')).status).toBe(400);
    expect((await subject.ask('GET', '/tools/mcp/servers/unknown/tools')).status).toBe(400);
  });

  expectation(
    'lists and registers what an MCP server offers, and puts it in the place of its name',
    async () => {
      const offered = [
        { name: 'offered_at_once', description: 'Is registered with its server' },
        { name: 'draw_treasure_map', description: 'Draw a map of a treasure island' },
      ];
      await subject.addServer('islands', offered, ['draw_treasure_map'], fake);
      expect(Object.keys((await subject.ask('GET', '/tools/mcp/servers')).body)).toEqual(['islands']);
      const listed = await subject.ask('GET', '/tools/mcp/servers/islands/tools');
      expect(listed.body.map(({ name, description }: OfferedTool) => ({ name, description }))).toEqual(
        offered,
      );
      const unknown = await subject.ask('POST', '/tools/mcp/servers/islands/nothing');
      expect(unknown.status).toBeGreaterThanOrEqual(400);
      // Our service finds what is not registered, registers it and attaches it.
      const { post, letta: unused } = await start({ lettaBaseUrl: subject.url });
      expect(unused.calls).toEqual([]);
      const id = await subject.addAgent([]);
      const { body } = await post('tools/attach', {
        agent_id: id,
        query: 'draw a map of a treasure island',
        min_score: 60,
      });
      expect(body.details).toMatchObject({ success_count: 1, failure_count: 0, warnings: [] });
      expect(await subject.namesOf(id)).toEqual(['draw_treasure_map']);
      const has = await subject.ask('GET', `/agents/${id}?include=agent.tools`);
      expect(has.body.tools).toMatchObject([
        {
          id: body.details.successful_attachments[0].tool_id,
          tool_type: 'external_mcp',
          tags: ['mcp:islands'],
        },
      ]);
      const again = await subject.ask('POST', '/tools/mcp/servers/islands/draw_treasure_map');
      expect(again.body.id).toBe(has.body.tools[0].id);
      if (fake === undefined) await subject.ask('DELETE', '/tools/mcp/servers/islands');
    },
  );

  expectation('needs no password for its health', async () => {
    expect((await subject.ask('GET', '/health/')).body).toMatchObject({ status: 'ok' });
  });
});

/** The tools of three agents after each of twenty requests, and the responses. */
async function useForADay(subject: Subject): Promise<string[]> {
  const { post } = await start({ lettaBaseUrl: subject.url });
  const ids = new Map<string, string>();
  for (const [server, tools] of Object.entries(COMPANY_TOOLS))
    for (const [name, description] of Object.entries(tools))
      ids.set(name, await subject.addTool(name, description, server));
  const agents: string[] = [];
  for (const names of AGENTS) agents.push(await subject.addAgent(names.map((name) => ids.get(name)!)));
  const transcript: string[] = [];
  for (const { agent, body } of REQUESTS) {
    const response = await post('tools/attach', { agent_id: agents[agent], ...body });
    expect(response.status).toBe(200);
    const { details } = response.body;
    const has = await subject.namesOf(agents[agent]!);
    expect(has).toHaveLength(details.limits.after);
    const scored = details.successful_attachments.map(
      ({ name, match_score: score }: { name: string; match_score: number }) => `${name} ${score}`,
    );
    const said = [
      `agent ${agent}`,
      `${details.processed_count}/${details.passed_filter_count}`,
      `+[${scored.join(', ')}] -${details.detached_tools.length}`,
      `${details.limits.before}->${details.limits.after}`,
      details.warnings.map(({ code }: { code: string }) => code).join(','),
    ];
    transcript.push(`${said.join(' | ')} | ${has.join(' ')}`);
  }
  return transcript;
}

test('a day of use leaves three agents within their limits, with what they asked for', async () => {
  const fake = await startLetta();
  const transcript = await useForADay(new Subject(fake.url));
  await fake.close();
  expect(transcript).toHaveLength(20);
  expect(transcript[0]).toContain('create_issue');
  expect(transcript[7]).toMatch(/agent 0 .* merge_pull_request/);
  expect(transcript[10]).toContain('no_match');
  const sizes = transcript.map((line) => Number(/->(\d+)/.exec(line)![1]));
  expect(Math.max(...sizes.slice(3))).toBeLessThanOrEqual(30);
});

test('a day of use comes to the same on the real server and on the fake one', {
  tags: ['letta'],
}, async () => {
  const server = new Subject(real!);
  const fake = await startLetta();
  // The real one has tools of its own, which count among those that words are weighed by.
  const { body } = await server.ask('GET', '/tools/?order=asc&limit=1000');
  for (const { name, ...parts } of body) fake.state.upsertTool(name, parts);
  const [there, here] = [await useForADay(server), await useForADay(new Subject(fake.url))];
  await fake.close();
  console.log(there.join('\n'));
  expect(there).toEqual(here);
});
