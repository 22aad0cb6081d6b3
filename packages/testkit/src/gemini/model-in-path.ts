/** Returns the model that a path names, without the prefix that clients add. */
export function modelInPath(path: string): string {
  const [plainPath = ''] = path.split('?', 1);
  const [, model = ''] = /\/([^/]+?)(?::|%3A)\w+$/i.exec(plainPath) ?? [];
  return decodeURIComponent(model);
}
