export { type Estimate, estimateSavings } from './estimate-savings.ts';
export { exchangeCost } from './exchange-cost.ts';
export { PRICES, PriceTable, priceOf, withPrices } from './price-table.ts';
