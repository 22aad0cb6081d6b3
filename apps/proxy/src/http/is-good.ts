/** Whether a status is a success: 2xx. */
export function isGood({ status }: { readonly status: number }): boolean {
  return status >= 200 && status <= 299;
}
