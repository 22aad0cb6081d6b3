export { alignTable } from './align-table.ts';
export { canonicalJson, isJsonObject, type Json, type JsonObject } from './canonical-json.ts';
export { countJsonValues } from './count-json-values.ts';
export { cutText } from './cut-text.ts';
export { decodePercent } from './decode-percent.ts';
export { definedAmong, describeDefinitions, describeNames } from './definitions/describe-definitions.ts';
export { readableJson } from './definitions/readable-json.ts';
export { editDistance } from './edit-distance.ts';
export { foldToLine } from './fold-to-line.ts';
export { memberAt, pointerKeys } from './json-pointer.ts';
export { findSizeError, type Validation, validateJson } from './json-schema/validate-json.ts';
export type { ValidationError } from './json-schema/validation-error.ts';
export { parseJson } from './parse-json.ts';
export { printable } from './printable.ts';
export { readText } from './read-text.ts';
export { removeInvisible } from './remove-invisible.ts';
export { BRIDGE_PARAMETERS, describeBridgeTool } from './search-tool/describe-bridge-tool.ts';
export {
  describeDoorSearch,
  describeLoopSearch,
  describeSearchTool,
  SEARCH_PARAMETERS,
  searchParameters,
} from './search-tool/describe-search-tool.ts';
export {
  type DoorOffer,
  type DoorRest,
  doorBlock,
  doorNoMatchText,
  doorResultText,
  doorWeakText,
} from './search-tool/door-texts.ts';
export { estimateTokens } from './search-tool/estimate-tokens.ts';
export {
  foundLine,
  preloadHeading,
  preloadLine,
  resultText,
} from './search-tool/result-text.ts';
export { type Category, type SearchSpelling, systemText } from './search-tool/system-text.ts';
export { serverOf } from './server-of.ts';
export { summarize } from './summarize.ts';
