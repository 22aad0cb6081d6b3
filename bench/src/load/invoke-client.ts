import { MESSAGES_CLIENT } from './messages-client.ts';
import { readFrames } from './read-frames.ts';
import type { WireClient } from './wire-client.ts';

const MAX_TOKENS = 8_192;

/** Claude by Bedrock's InvokeModel: Messages in frames of base64. */
export const INVOKE_CLIENT: WireClient = {
  ...MESSAGES_CLIENT,
  path: '/model',
  pathOf: ({ model, isStream }) =>
    `/model/${encodeURIComponent(model)}/invoke${isStream ? '-with-response-stream' : ''}`,
  headers: ({ credential, isNamed, number }) => ({
    authorization: `Bearer ${credential}`,
    ...(isNamed && { 'x-winnow-session': `invoke-${number}` }),
  }),
  writeBody({ catalogue, thinking }, history) {
    const version = { anthropic_version: 'bedrock-2023-05-31', max_tokens: MAX_TOKENS };
    const head = { ...version, ...(thinking && { thinking }), messages: history };
    return `${JSON.stringify(head).slice(0, -1)},"tools":${catalogue.json.messages}}`;
  },
  readEvents: (body) =>
    readFrames(body).map(({ payload }) => {
      const { bytes = '' } = JSON.parse(payload) as { bytes?: string };
      return Buffer.from(bytes, 'base64').toString('utf8');
    }),
};
