/** The model that a path asks, without what its clients put in front. */
export function modelInPath(path: string): string {
  const [plainPath = ''] = path.split('?', 1);
  const [, model = ''] = /\/([^/]+?)(?::|%3A)\w+$/i.exec(plainPath) ?? [];
  return decodeURIComponent(model);
}
