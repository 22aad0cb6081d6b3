import type { ChatDialect, JsonObject, ModelPlan, Provider, Random } from '@winnow/testkit';
import type { Ask, ClientFormat, ClientTool, FormatName, HeaderList } from './formats/client-format.ts';
import type { Aspect } from './judge/judge-exchange.ts';
import type { SourceName } from './sources.ts';
import type { Exchange, WireAnswer } from './wire/exchange.ts';

/** The groups that every gateway is judged by. */
export const JUDGED_ALWAYS = ['bodies', 'headers', 'streams', 'errors', 'cancellation', 'limits'] as const;

/** The groups that a gateway is judged by if it claims them. */
export const JUDGED_IF_CLAIMED = ['tools', 'thinking', 'usage', 'stored', 'deferral'] as const;

/** All groups, in the order of the table. */
export const GROUPS = [...JUDGED_ALWAYS, ...JUDGED_IF_CLAIMED] as const;

/** The name of a group. */
export type Group = (typeof GROUPS)[number];

/** Everything that a case needs to write its requests and responses. */
export interface CaseContext {
  readonly format: ClientFormat;
  /** The name of the model, as the gateway knows it. */
  readonly model: string;
  /** A text that marks the requests of this case; every body contains it, or else the path. */
  readonly marker: string;
  /** The client's credential, which no other case shares, and the headers that belong to the format. */
  readonly headers: HeaderList;
  /** The provider that writes responses. */
  readonly provider: Provider;
  readonly random: Random;
  /** Resolves when each client of the case has a request at the provider; rejects if that takes too long. */
  readonly allArrived: () => Promise<void>;
  /** The tools of requests that name none themselves; none by default. */
  readonly tools?: readonly ClientTool[];
}

/** A conversation that is played directly and through the gateway, and must look the same to the client. */
export interface Conversation {
  readonly open: Ask;
  /** The user's messages after the first one. */
  readonly messages?: readonly string[];
  readonly plan: ModelPlan;
  /** The dialect of the provider, in Chat Completions; OpenAI's own by default. */
  readonly chatDialect?: ChatDialect;
  /** The model's part without the gateway, if it says something else there. */
  readonly directPlan?: ModelPlan;
  /** Checks in addition to that; see {@link ConversationCheck}. */
  readonly checks?: readonly ConversationCheck[];
  /** Requests of the conversation at the provider that fail, counted from 0. */
  readonly failing?: Failing;
  /**
   * The end of a conversation whose failure the gateway cannot mend: the client gets the provider's refusal as if
   * its first request had been refused, or only its status, or its words in an error, or any sign of a failure.
   */
  readonly endsIn?: 'refusal' | 'status' | 'error' | 'break';
  /** Changes the bytes of a response on its way to the gateway, given its number. */
  readonly delivery?: (answer: WireAnswer, number: number) => WireAnswer;
  /**
   * The model's part in a request with the last message that its client leaves, as soon as the provider is silent
   * behind the first response. The client then sends the same request again.
   */
  readonly leaving?: ModelPlan;
  /** Headers of all requests. */
  readonly headers?: HeaderList;
  /** Members of the first request, by format. */
  readonly members?: Readonly<Record<FormatName, JsonObject>>;
}

/** A provider that fails. */
export interface Failing {
  readonly requests: readonly number[];
  readonly status: number;
  /** Whether it closes the connection instead. */
  readonly isReset?: boolean;
  /** Whether its words name the tools that it was shown. */
  readonly namesTools?: boolean;
}

/** A property of a conversation in addition to the client's view. */
export type ConversationCheck =
  /** The provider was shown fewer tools than the client sent. */
  | 'defers'
  /** The provider was shown the description and the parameters of each tool that the model called. */
  | 'whole-definitions'
  /** The prompt cache holds as large a share of the prompt as it does without the gateway. */
  | 'keeps-cache'
  /** The prompt before the first user message is the same in two conversations. */
  | 'constant-head'
  /** Every request at the provider has the headers of the client and the members of its first request. */
  | 'keeps-settings'
  /** The client is told of at least the tokens of the last response, and at most of those of all. */
  | 'counts-tokens'
  /** Nothing of a response that its client left is sent again. */
  | 'forgets-what-was-left'
  /** A client with another credential that sends the same history gets nothing that the gateway hid in it. */
  | 'keeps-apart';

/** The course of a case: single exchanges, one after the other, or a conversation. */
export type Play =
  | {
      readonly kind: 'exchanges';
      readonly judges: readonly Aspect[];
      /** Number of clients that play it at once, each with a marker of its own; one by default. */
      readonly clients?: number;
      /** Whether the client keeps one connection for all exchanges, if the gateway does; else each has its own. */
      readonly keepsConnection?: boolean;
      readonly exchanges: (context: CaseContext) => readonly Exchange[];
    }
  | { readonly kind: 'conversation'; readonly conversation: (context: CaseContext) => Conversation };

/** One promise, with the way to judge it. */
export interface ConformanceCase {
  /** Unique, such as `streams/crlf`. Its first part is the group. */
  readonly id: `${Group}/${string}`;
  /** A sentence that is true of a good gateway. */
  readonly promise: string;
  readonly sources: readonly SourceName[];
  /** The official client that fails without it, and how. */
  readonly breaks?: string;
  /** The formats that it is judged in; one judgement for each. */
  readonly formats: readonly FormatName[];
  /** Whether no other format is judged next to it, since its requests have no marker or it keeps the machine busy. */
  readonly isAlone?: boolean;
  /** Whether it waits for seconds on purpose; such cases that follow one another are judged at once. */
  readonly isSlow?: boolean;
  readonly play: Play;
}

/** Returns the group of a case. */
export function groupOf({ id }: Pick<ConformanceCase, 'id'>): Group {
  return id.slice(0, id.indexOf('/')) as Group;
}
