import { GoogleGenAI } from '@google/genai';
import { FEW_TOOLS } from '../raw-client.ts';
import { describeLaterRounds } from './suite.ts';

const MODEL = 'gemini-3-pro-preview';
const functionDeclarations = FEW_TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  parametersJsonSchema: parameters,
}));
const tools = [{ functionDeclarations }];

describeLaterRounds({
  upstream: 'gemini',
  loadModes: ['swap', 'bridge'],
  // It does not retry by default.
  requestsOf502: 1,
  showsThinking: true,
  showsBeginnings: false,
  hasHeartbeat: false,
  request: {
    path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Do it.' }] }], tools },
  },
  async ask(url, isStream) {
    const { models } = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } });
    const config = { tools, thinkingConfig: { includeThoughts: true } };
    const request = { model: MODEL, contents: 'Do it.', config };
    if (!isStream) return (await models.generateContent(request)).text ?? '';
    let text = '';
    for await (const chunk of await models.generateContentStream(request)) text += chunk.text ?? '';
    return text;
  },
});
