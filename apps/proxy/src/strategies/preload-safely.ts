import type { RequestView } from '@winnow/wire';
import type { Preload } from './preload.ts';

/** What `preload` gives; nothing when it fails, which is a defect of ours and must not cost the client its response. */
export async function preloadSafely(
  view: RequestView,
  { preload, onDefect }: { readonly preload: Preload; readonly onDefect: (error: unknown) => void },
): Promise<readonly string[]> {
  try {
    return await preload(view);
  } catch (error) {
    onDefect(error);
    return [];
  }
}
