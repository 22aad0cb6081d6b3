export { agentOf } from './conversations/agent-of.ts';
export { SessionSample } from './conversations/session-sample.ts';
export { type HarmSection, HarmTally } from './harm/harm-tally.ts';
export { LineSplitter } from './reading/line-splitter.ts';
export { type ParsedLine, parseRecord, type Unreadable } from './reading/parse-record.ts';
