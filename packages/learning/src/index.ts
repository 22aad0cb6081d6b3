export {
  APPLY_RULES,
  changesOf,
  type Findings,
  type LearnedChange,
  type LearningRules,
  learn,
} from './applied/learn.ts';
export { Learned, type LearnedAgent, NOTHING_LEARNED, takeBack } from './applied/learned.ts';
export { learnedText } from './applied/learned-text.ts';
export { type AgentPlace, agentOf, agentText } from './conversations/agent-of.ts';
export { SessionSample } from './conversations/session-sample.ts';
export {
  type AgentEvidence,
  EvidenceTally,
  type ToolEvidence,
  type ToolList,
} from './evidence/evidence-tally.ts';
export type { Support } from './evidence/support.ts';
export { type HarmSection, HarmTally } from './harm/harm-tally.ts';
export { LineSplitter } from './reading/line-splitter.ts';
export { type ParsedLine, parseRecord, type Unreadable } from './reading/parse-record.ts';
export { ownWordsOf } from './suggestions/own-words.ts';
export type { Suggestions } from './suggestions/suggest.ts';
export { SuggestionsTally } from './suggestions/suggestions-tally.ts';
export { suggestionsText } from './suggestions/suggestions-text.ts';
export { writeProfiles } from './suggestions/write-profiles.ts';
export type { TextPart, TextTable } from './text-part.ts';
