import { readFileSync } from 'node:fs';

/** The modules of the page, in order of their imports. */
const MODULES = [
  new URL('./client/live-elements.js', import.meta.url),
  new URL('./client/live-numbers.js', import.meta.url),
  new URL('./client/live-head.js', import.meta.url),
  new URL('./client/live-columns.js', import.meta.url),
  new URL('./client/live-records.js', import.meta.url),
  new URL('./client/live-rows.js', import.meta.url),
  new URL('./client/live-export.js', import.meta.url),
  new URL('./client/live-chart.js', import.meta.url),
  new URL('./client/live-requests.js', import.meta.url),
  new URL('./client/live-cost-rows.js', import.meta.url),
  new URL('./client/live-costs.js', import.meta.url),
  new URL('./client/live-state.js', import.meta.url),
  new URL('./client/live-tools.js', import.meta.url),
  new URL('./client/live-detail.js', import.meta.url),
  new URL('./client/live-exchanges.js', import.meta.url),
  new URL('./client/live-main.js', import.meta.url),
];

const IMPORT = /^import \{[^}]*\} from '\.\/[\w-]+\.js';\n/gm;

/**
 * Joins the page's modules into one script, so that the page is a single response whose hash its policy
 * names. The modules share one scope: duplicate top-level names make the browser reject the script.
 */
export function clientScript(): string {
  return MODULES.map((url) =>
    readFileSync(url, 'utf8')
      .replace(IMPORT, '')
      .replace(/^export /gm, ''),
  ).join('');
}
