export * from './contract/attach/attach.ts';
export * from './contract/errors.ts';
export * from './contract/exchange-record.ts';
export * from './contract/limits.ts';
export * from './contract/reasons.ts';
export * from './contract/registry/search.ts';
export * from './contract/registry/search-tool.ts';
export * from './contract/registry/servers.ts';
export * from './contract/registry/tools.ts';
export * from './contract/search.ts';
export { exchangeCost } from './prices/call-cost.ts';
export { estimateSavings, hasSavings, type InestimableReason } from './prices/estimate-savings.ts';
export {
  type AgentMeans,
  expectedBill,
  type PriceRatios,
  type PromptSizes,
  ratiosOf,
} from './prices/expected-bill.ts';
export { PRICES, PriceTable, priceOf, withPrices } from './prices/price-table.ts';
export {
  isUncalled,
  type ServerCost,
  type ToolCost,
  ToolCosts,
  type ToolCostTable,
} from './prices/tool-costs.ts';
export { canonicalJson, isJsonObject, type Json, type JsonObject } from './text/canonical-json.ts';
export { definedAmong, describeDefinitions, describeNames } from './text/definitions/describe-definitions.ts';
export { editDistance } from './text/edit-distance.ts';
export { decodePercent, memberAt, pointerKeys } from './text/json-pointer.ts';
export type { ValidationError } from './text/json-schema.ts';
export { findSizeError, type Validation, validateJson } from './text/json-schema.ts';
export * from './text/json-splice.ts';
export {
  changeKept,
  type KeptChange,
  keptMember,
  keptText,
  parseKept,
  writeKept,
} from './text/kept-json.ts';
export { countJsonValues, parseJson, readText } from './text/read-text.ts';
export {
  alignTable,
  cutText,
  foldToLine,
  printable,
  readableJson,
  removeInvisible,
  summarize,
} from './text/readable-text.ts';
export { BRIDGE_PARAMETERS, describeBridgeTool } from './text/search-tool/describe-bridge-tool.ts';
export {
  describeDoorSearch,
  describeLoopSearch,
  describeSearchTool,
  SEARCH_PARAMETERS,
  searchParameters,
} from './text/search-tool/describe-search-tool.ts';
export {
  type DoorOffer,
  type DoorRest,
  doorBlock,
  doorNoMatchText,
  doorResultText,
  doorWeakText,
} from './text/search-tool/door-texts.ts';
export { estimateTokens } from './text/search-tool/estimate-tokens.ts';
export { groupsLeftOut } from './text/search-tool/list-groups.ts';
export { readQueries, usualFound } from './text/search-tool/read-queries.ts';
export {
  foundLine,
  groupsLine,
  moreLines,
  preloadHeading,
  preloadLine,
  resultText,
} from './text/search-tool/result-text.ts';
export { type Category, type SearchSpelling, systemText } from './text/search-tool/system-text.ts';
export { serverOf } from './text/server-of.ts';
