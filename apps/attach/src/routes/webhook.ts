import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  admitExchange,
  checkForm,
  jsonResponse,
  type Route,
  receiveJson,
  requireJson,
} from '@winnow/service';
import { z } from 'zod';
import { AttachError } from '../attach-error.ts';
import type { RouteContext } from '../http/attach-route.ts';

/** The part of a notification that is read: only its kind matters. */
const Notification = z
  .object({ type: z.string().optional(), event: z.string().optional() })
  .refine(({ type, event }) => (type ?? event) !== undefined, 'Invalid input: expected type or event');

const ABOUT_TOOLS = /^tools?[._](created|updated|deleted)$/;

export interface WebhookContext extends RouteContext {
  readonly webhookSecret: string;
}

export const WEBHOOK_PATH = '/api/v1/webhooks/letta';

/**
 * `POST /api/v1/webhooks/letta`: a signed notification that a tool has changed. The next request reads all
 * tools again.
 */
export function webhookRoute(context: WebhookContext): Route {
  return {
    name: 'webhook',
    tracedPath: WEBHOOK_PATH,
    async handle(exchange) {
      const { headers } = exchange.incoming;
      const { service, webhookSecret: secret } = context;
      if (secret === '' || service === undefined)
        throw new AttachError('not_configured', 'letta.base_url and letta.webhook_secret must be set.');
      requireJson(headers['content-type']);
      return await admitExchange(exchange, context, async ({ hold }) => {
        const { bytes, value } = await receiveJson(exchange, context.bodyLimits, hold);
        if (!isSigned(bytes, headers['x-letta-signature'], secret))
          throw new AttachError('unauthorized', 'X-Letta-Signature does not fit the body.');
        const { type, event } = checkForm(Notification, value);
        const isAboutTools = ABOUT_TOOLS.test((type ?? event)!);
        if (isAboutTools) service.outdate();
        return jsonResponse({ success: true, invalidated: isAboutTools });
      });
    },
  };
}

/**
 * HMAC-SHA256 of the received body, in hexadecimal digits, with or without `sha256=` before them; compared in
 * constant time.
 */
function isSigned(bytes: Buffer, header: string | string[] | undefined, secret: string): boolean {
  const [, digits] = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(String(header)) ?? [];
  if (digits === undefined) return false;
  const expected = createHmac('sha256', secret).update(bytes).digest();
  return timingSafeEqual(expected, Buffer.from(digits, 'hex'));
}
