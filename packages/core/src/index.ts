export * from './contract/attach/attach.ts';
export * from './contract/attach/errors.ts';
export * from './contract/errors.ts';
export * from './contract/exchange-record.ts';
export * from './contract/limits.ts';
export * from './contract/reasons.ts';
export * from './contract/registry/errors.ts';
export * from './contract/registry/search.ts';
export * from './contract/registry/search-tool.ts';
export * from './contract/registry/search-tool-format.ts';
export * from './contract/registry/servers.ts';
export * from './contract/registry/tools.ts';
export * from './contract/search.ts';
export * from './contract/stored-record.ts';
export { estimateSavings, hasSavings, type InestimableReason } from './prices/estimate-savings.ts';
export { exchangeCost } from './prices/exchange-cost.ts';
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
export { alignTable } from './text/align-table.ts';
export { canonicalJson, isJsonObject, type Json, type JsonObject } from './text/canonical-json.ts';
export { countJsonValues } from './text/count-json-values.ts';
export { cutText } from './text/cut-text.ts';
export { decodePercent } from './text/decode-percent.ts';
export { definedAmong, describeDefinitions, describeNames } from './text/definitions/describe-definitions.ts';
export { readableJson } from './text/definitions/readable-json.ts';
export { editDistance } from './text/edit-distance.ts';
export { foldToLine } from './text/fold-to-line.ts';
export { memberAt, pointerKeys } from './text/json-pointer.ts';
export { findSizeError, type Validation, validateJson } from './text/json-schema/validate-json.ts';
export type { ValidationError } from './text/json-schema/validation-error.ts';
export * from './text/json-splice.ts';
export {
  changeKept,
  type KeptChange,
  keptMember,
  keptText,
  parseKept,
  writeKept,
} from './text/kept-json.ts';
export { parseJson } from './text/parse-json.ts';
export { printable } from './text/printable.ts';
export { readText } from './text/read-text.ts';
export { removeInvisible } from './text/remove-invisible.ts';
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
export { readQueries, usualFound } from './text/search-tool/read-queries.ts';
export {
  foundLine,
  moreLines,
  preloadHeading,
  preloadLine,
  resultText,
} from './text/search-tool/result-text.ts';
export { type Category, type SearchSpelling, systemText } from './text/search-tool/system-text.ts';
export { serverOf } from './text/server-of.ts';
export { summarize } from './text/summarize.ts';
