export type { Cost, UnpricedReason } from './call-cost.ts';
export { type Estimate, estimateSavings, type Savings } from './estimate-savings.ts';
export { exchangeCost } from './exchange-cost.ts';
export { PRICES, PriceTable, priceOf, withPrices } from './price-table.ts';
