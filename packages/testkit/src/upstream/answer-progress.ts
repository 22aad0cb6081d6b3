import type { ServerResponse } from 'node:http';
import type { Usage } from './scripted-answer.ts';

/** The end of a response: sent in full, abandoned by the client, or broken off by the script. */
export type AnswerEnd = 'finished' | 'client-left' | 'broken-off';

/** The progress of a response. The members change while it is sent. */
export interface AnswerProgress {
  /** Undefined before the headers are sent. */
  readonly status: number | undefined;
  /** Bytes of the body passed to the connection. */
  readonly writtenBytes: number;
  /** Bytes of the body that the connection has passed to the operating system. */
  readonly acceptedBytes: number;
  /** Number of times that the upstream waited for the reader because the connection was full. */
  readonly pauses: number;
  readonly hasEnded: boolean;
  /** Whether the client closed the connection before the end. */
  readonly isAborted: boolean;
  /** Tokens that the response reported; undefined for anything but a message. */
  readonly usage: Usage | undefined;
  /** Resolves at the end of the response, whatever the reason. */
  readonly ended: Promise<AnswerEnd>;
}

/** The upstream's writable side of an {@link AnswerProgress}. */
export interface ProgressKeeper {
  readonly progress: AnswerProgress;
  wrote(bytes: number): void;
  accepted(bytes: number): void;
  paused(): void;
  reported(usage: Usage): void;
  brokenOff(): void;
}

/** Observes one response from its start. */
export function watchProgress(response: ServerResponse): ProgressKeeper {
  const { promise: ended, resolve } = Promise.withResolvers<AnswerEnd>();
  let end: AnswerEnd | undefined;
  const settle = (how: AnswerEnd): void => {
    end ??= how;
    resolve(end);
  };
  response.once('finish', () => settle('finished'));
  response.once('close', () => settle('client-left'));

  const count = { writtenBytes: 0, acceptedBytes: 0, pauses: 0 };
  let usage: Usage | undefined;
  const progress: AnswerProgress = {
    get status() {
      return response.headersSent ? response.statusCode : undefined;
    },
    get writtenBytes() {
      return count.writtenBytes;
    },
    get acceptedBytes() {
      return count.acceptedBytes;
    },
    get pauses() {
      return count.pauses;
    },
    get hasEnded() {
      return end !== undefined;
    },
    get isAborted() {
      return end === 'client-left';
    },
    get usage() {
      return usage;
    },
    ended,
  };
  return {
    progress,
    wrote(bytes) {
      count.writtenBytes += bytes;
    },
    accepted(bytes) {
      count.acceptedBytes += bytes;
    },
    paused() {
      count.pauses += 1;
    },
    reported(reportedUsage) {
      usage = reportedUsage;
    },
    brokenOff: () => settle('broken-off'),
  };
}
