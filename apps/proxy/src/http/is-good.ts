/** Whether a status is one of success: 2xx. */
export function isGood({ status }: { readonly status: number }): boolean {
  return status >= 200 && status <= 299;
}
