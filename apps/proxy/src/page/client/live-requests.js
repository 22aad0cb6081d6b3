let token = sessionStorage.getItem('winnow-token') ?? '';

/** @type {(given: string) => void} */
export function keepToken(given) {
  token = given;
  sessionStorage.setItem('winnow-token', given);
}

/** @type {(path: string) => Promise<Response>} */
export const ask = (path) => fetch(path, { headers: token === '' ? {} : { 'x-winnow-token': token } });

/** @type {(requestId: string) => string} */
export const exchangePath = (requestId) => `/_winnow/exchanges/${encodeURIComponent(requestId)}`;
