import type { ProbeDialect } from './probe-dialect.ts';

interface Part {
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string };
}

interface Generation {
  readonly candidates: readonly { readonly content?: { readonly parts?: readonly Part[] } }[];
  readonly usageMetadata?: {
    readonly promptTokenCount?: number;
    readonly cachedContentTokenCount?: number;
  };
}

/** Models that can return their thoughts; others refuse the setting. */
const THINKING = /gemini-(?:2\.5|[3-9])/;

/** Gemini's `generateContent`. A cache that served no tokens is not reported. */
export const GEMINI_DIALECT: ProbeDialect = {
  format: 'gemini',
  path: (model) => `/v1beta/models/${model}:generateContent`,
  headers: {},
  mostOutputTokens: 2_048,
  writeBody: ({ model, system, history, tools, thinks }) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: history,
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parametersJsonSchema: parameters,
        })),
      },
    ],
    generationConfig: {
      maxOutputTokens: 2_048,
      ...(thinks && THINKING.test(model) && { thinkingConfig: { includeThoughts: true } }),
    },
  }),
  writeUser: (text) => ({ role: 'user', parts: [{ text }] }),
  writeResults: (calls, output) => [
    {
      role: 'user',
      parts: calls.map(({ id, name }) => ({
        functionResponse: { ...(id !== '' && { id }), name, response: { output } },
      })),
    },
  ],
  read(body) {
    const { candidates, usageMetadata } = body as Generation;
    const { parts = [] } = candidates[0]?.content ?? {};
    return {
      messages: [{ role: 'model', parts }],
      calls: parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: call.id ?? '', name: call.name }] : [],
      ),
      hasThinking: parts.some(({ thought, thoughtSignature }) => thought || thoughtSignature !== undefined),
      inputTokens: usageMetadata?.promptTokenCount ?? 0,
      cachedTokens: usageMetadata?.cachedContentTokenCount ?? (usageMetadata && 0),
    };
  },
};
