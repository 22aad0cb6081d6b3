export { discountsCached, longMarked, type ModelTerms, termsOf, usualTerms } from './cache-terms.ts';
export {
  type AgentTraffic,
  DeferralDecision,
  decideDeferral,
  type ObservedConversation,
} from './decide-deferral.ts';
export type { PromptSizes } from './estimate-bills.ts';
export { estimateSavings, type InestimableReason } from './estimate-savings.ts';
export { exchangeCost } from './exchange-cost.ts';
export { PRICES, PriceTable, priceOf, withPrices } from './price-table.ts';
export { isUncalled, type ServerCost, type ToolCost, ToolCosts, type ToolCostTable } from './tool-costs.ts';
