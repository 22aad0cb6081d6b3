export const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
export const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** @type {(amount: number, currency: string) => string} */
export const money = (amount, currency) =>
  new Intl.NumberFormat('en', { style: 'currency', currency, maximumSignificantDigits: 3 }).format(amount);

/** @type {(range: { low: number, high: number }, currency: string) => string} */
export function moneyRange({ low, high }, currency) {
  const [least, most] = [money(low, currency), money(high, currency)];
  return least === most ? most : `${least} to ${most}`;
}

/** @type {(time: number) => string} */
export const ms = (time) =>
  time >= 1000 ? `${(time / 1000).toFixed(2)} s` : `${time.toFixed(time >= 10 ? 0 : 1)} ms`;

/** @type {(time: number) => string} */
export const clock = (time) => new Date(time).toLocaleTimeString(undefined, { hour12: false });

/** @type {(number: number, word: string) => string} */
export const plural = (number, word) => `${count.format(number)} ${word}${number === 1 ? '' : 's'}`;

/** @type {(code: string | undefined) => string} */
export const words = (code) => String(code).replaceAll('_', ' ');
