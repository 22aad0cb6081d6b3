import { join } from 'node:path';

export type { CollectedSpan } from './collector/decode-spans.ts';
export { type Collector, type CollectorMood, startCollector } from './collector/start-collector.ts';
export { DEFER_ANYTHING } from './defer-anything.ts';
export { type GenerateQueriesOptions, generateQueries } from './generate-queries.ts';
export { type GenerateToolsOptions, generateTools } from './generate-tools.ts';
export { ANSWER_SHAPES, type AnswerShape } from './hostile/answer-shapes.ts';
export { generateHostileAnswer, type HostileAnswerOptions } from './hostile/generate-hostile-answer.ts';
export { generateHostileExchange, type HostileOptions } from './hostile/generate-hostile-exchange.ts';
export type { HostileAnswer } from './hostile/hostile-answer.ts';
export type { HostileExchange } from './hostile/hostile-exchange.ts';
export type { BodyShape, HostileTarget } from './hostile/hostile-target.ts';
export { FRAME } from './hostile/http2/frames.ts';
export { generateHostileHttp2, HTTP2_KINDS } from './hostile/http2/generate-hostile-http2.ts';
export { type ReadFrame, readHttp2Frames } from './hostile/http2/read-frames.ts';
export { sendHostileExchange } from './hostile/send-hostile-exchange.ts';
export { writeAll } from './hostile/write-all.ts';
export { answerLetta, type LettaRoute, lettaRouteOf } from './letta/answer-letta.ts';
export {
  type LettaMcpTool,
  LettaState,
  type LettaToolParts,
  type LettaToolRule,
} from './letta/letta-state.ts';
export {
  type FakeLetta,
  type FakeLettaOptions,
  type LettaCall,
  type LettaFault,
  startLetta,
} from './letta/start-letta.ts';
export { MCP_MOODS, type McpMood } from './mcp/mcp-mood.ts';
export type { McpProcessScript } from './mcp/mcp-process.ts';
export { type McpScript, type ScriptedTool, scriptedTool } from './mcp/mcp-script.ts';
export { type ScriptedMcpServer, startMcpServer } from './mcp/start-mcp-server.ts';
export type { Conversation, ConversationTurn, PastCall, PastResult } from './model/conversation.ts';
export type { Model } from './model/model.ts';
export type { ModelPlan, PlannedCall, PlannedStep, PlannedTurn } from './model/model-plan.ts';
export { playModel } from './model/play-model.ts';
export { findOrphanResults } from './ollama-chat/find-orphan-results.ts';
export { CHAT_DIALECTS, type ChatDialect } from './openai-chat/chat-dialects.ts';
export {
  AUTOMATIC_CACHE,
  type CacheRules,
  MARKED_CACHE,
  PromptCache,
} from './prompt-cache/prompt-cache.ts';
export { renderPrompt } from './prompt-cache/render-prompt.ts';
export { withPromptCache } from './prompt-cache/with-prompt-cache.ts';
export { createRandom, type Random } from './random.ts';
export { type PostgresServer, startPostgres } from './start-postgres.ts';
export { type RedisServer, type RedisServerOptions, startRedis } from './start-redis.ts';
export { type Authority, TestCertificates } from './test-certificates.ts';
export {
  type GeneratedTool,
  TOOL_SHAPES,
  type ToolShape,
  toProviderTool,
  toSearchTool,
} from './tool-shapes.ts';
export { answer, callTool, say, think } from './upstream/answer-parts.ts';
export type { AnswerEnd, AnswerProgress } from './upstream/answer-progress.ts';
export type { ScriptEntry } from './upstream/choose-answer.ts';
export { createProvider, type Provider, type ProviderQuestion } from './upstream/create-provider.ts';
export type { Delivery } from './upstream/delivery.ts';
export { createGate, type Gate } from './upstream/gate.ts';
export { type Interruption, waitFor } from './upstream/interruption.ts';
export { memberText } from './upstream/member-text.ts';
export { DEFAULT_RULES, type ProviderRules } from './upstream/provider-rules.ts';
export type { ReceivedRequest, RequestContent } from './upstream/received-request.ts';
export { badRequest, type Rejection } from './upstream/rejection.ts';
export type {
  AnswerPart,
  BytesAnswer,
  Deviations,
  ErrorAnswer,
  MessageAnswer,
  Piece,
  ScriptedAnswer,
  Usage,
} from './upstream/scripted-answer.ts';
export { startUpstream, type Upstream, type UpstreamOptions } from './upstream/start-upstream.ts';
export type { Signing } from './upstream/verify-signature.ts';
/** The program of a scripted server that runs as a process; takes an `McpProcessScript` as JSON. */
export const MCP_PROCESS: string = join(import.meta.dirname, 'mcp/mcp-process.ts');
export { EMBEDDINGS_KEY, type EmbeddingsEndpoint, startEmbeddingsEndpoint } from './embeddings-endpoint.ts';
export { isJsonObject, type JsonObject, objectsOf } from './upstream/json-object.ts';
export type { OutgoingAnswer } from './upstream/outgoing-answer.ts';
export { routeOf } from './upstream/route-of.ts';
