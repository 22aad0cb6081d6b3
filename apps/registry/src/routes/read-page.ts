import type { PageRequest } from '@winnow/registry';
import { checkForm } from '@winnow/service';
import { z } from 'zod';

const PageQuery = z.object({
  cursor: z.string().optional(),
  page_size: z
    .string()
    .regex(/^\d{1,4}$/, 'Invalid input: expected a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .optional(),
});

/** The page that the parameters of a list ask for. Throws `invalid_request`. */
export function readPage(query: Readonly<Record<string, string>>): PageRequest {
  const { cursor, page_size: pageSize } = checkForm(PageQuery, query);
  return { ...(cursor !== undefined && { cursor }), ...(pageSize !== undefined && { pageSize }) };
}
