import type { Rate } from '../counting/rate.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** `1,234,567` */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** `1.23M`, for places where every digit would be too many. */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/**
 * `12.3%`; shares below one percent have two digits after the point, and other values than 0 are never shown as
 * 0.
 */
export function formatShare(share: number): string {
  const percent = share * 100;
  const size = Math.abs(percent);
  if (size === 0 || size === 100) return `${percent}%`;
  if (size < 0.01) return percent < 0 ? '> -0.01%' : '< 0.01%';
  return `${percent.toFixed(size < 1 || (size >= 99.95 && size < 100) ? 2 : 1)}%`;
}

/** `10%`, for configured shares. */
export function formatLimit(share: number): string {
  return `${trim(share * 100, 2)}%`;
}

/**
 * `$1,234.56`, `$0.0123`: three digits at least, and other values than 0 are never shown as 0. The currency is
 * an ISO 4217 code.
 */
export function formatMoney(amount: number, currency: string): string {
  const size = Math.abs(amount);
  const digits = size >= 1 || size === 0 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: Math.min(2, digits),
    maximumFractionDigits: digits,
  }).format(amount);
}

/** `+$0.12`, `−$0.12`. */
export function formatSigned(amount: number, currency: string): string {
  if (amount === 0) return formatMoney(0, currency);
  return `${amount < 0 ? '−' : '+'}${formatMoney(Math.abs(amount), currency)}`;
}

/** `3.20 ms`, `45.1 ms`, `310 ms`, `1.25 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2)} ms`;
}

/** `12 of 340: 3.5% (2–6.1%)`, with the interval that the true share lies in with 95 % confidence. */
export function formatRate(rate: Rate): string {
  const seen = `${formatCount(rate.part)} of ${formatCount(rate.whole)}`;
  return rate.share === undefined ? seen : `${seen}: ${formatShare(rate.share)} (${formatInterval(rate)})`;
}

/** `2–6.1%`; two digits after the point when all of it is below one percent. */
export function formatInterval({ interval }: Rate): string {
  if (interval === undefined) return 'unknown';
  const digits = interval.high < 0.01 ? 2 : 1;
  return `${trim(interval.low * 100, digits)}–${trim(interval.high * 100, digits)}%`;
}

/** `2026-11-20 08:15` in universal time. */
export function formatTime(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

/** `1,234 exchanges from 2026-11-20 08:15 to 2026-11-21 09:00 UTC` */
export function formatPeriod({
  from,
  to,
  exchanges,
}: {
  from?: string;
  to?: string;
  exchanges: number;
}): string {
  if (from === undefined || to === undefined) return 'No record was found.';
  return `${formatCount(exchanges)} exchanges from ${formatTime(from)} to ${formatTime(to)} UTC`;
}

/** `10 seconds`, `15 minutes`, `1 day`. */
export function formatDuration(ms: number): string {
  const units: readonly [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ];
  const [size, unit] = units.find(([unitMs]) => ms >= unitMs) ?? [1_000, 'second'];
  const count = Math.round(ms / size);
  return `${formatCount(count)} ${unit}${count === 1 ? '' : 's'}`;
}

/** Without zeros at the end. */
function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** A text in lines of at most `width` characters, broken between words where that is possible; all but the first begin with `indent`. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((word) => cutWord(word, width - indent.length))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** A word that is longer than a line, such as the name of a tool, in parts that are not. */
function cutWord(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  return [word.slice(0, width), ...cutWord(word.slice(width), width)];
}
