import type { SseEvent } from '../upstream/stream-item.ts';

/** The event with which Anthropic keeps a stream alive; it may come anywhere. */
export const MESSAGES_PING: SseEvent = { type: 'event', event: 'ping', data: '{"type": "ping"}' };
