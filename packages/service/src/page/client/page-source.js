/** @import { ReportData } from '../page.ts' */

const text = document.getElementById('data')?.textContent ?? '';

/**
 * The data of a report; undefined where a proxy is asked.
 *
 * @type {ReportData | undefined}
 */
export const report = text === '' ? undefined : JSON.parse(text);

let token = report === undefined ? (sessionStorage.getItem('winnow-token') ?? '') : '';

/** @type {(given: string) => void} */
export function keepToken(given) {
  token = given;
  sessionStorage.setItem('winnow-token', given);
}

/** @type {(path: string) => Promise<Response>} */
export const ask = (path) => fetch(path, { headers: token === '' ? {} : { 'x-winnow-token': token } });

/** @type {(requestId: string) => string} */
export const exchangePath = (requestId) => `/_winnow/exchanges/${encodeURIComponent(requestId)}`;
