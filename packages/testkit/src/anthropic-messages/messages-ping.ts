import type { SseEvent } from '../upstream/stream-item.ts';

/** The event with which Anthropic keeps a stream alive; valid at any position. */
export const MESSAGES_PING: SseEvent = { type: 'event', event: 'ping', data: '{"type": "ping"}' };
