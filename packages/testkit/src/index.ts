export { type GenerateQueriesOptions, generateQueries } from './generate-queries.ts';
export {
  type GeneratedTool,
  type GenerateToolsOptions,
  generateTools,
} from './generate-tools.ts';
export { createRandom, type Random } from './random.ts';
export { TOOL_SHAPES, type ToolShape, toProviderTool, toSearchTool } from './tool-shapes.ts';
