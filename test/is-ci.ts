/** Whether this run is one of continuous integration, where every test must run. */
export function isCi(): boolean {
  const { CI: ci = '' } = process.env;
  return !['', '0', 'false'].includes(ci);
}
