import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** How it goes with sending spans. */
export type ExportState = 'down' | 'up';

/**
 * The exporter, watched: `onChange` is told when batches begin to be lost, and when they get through again. A collector that stays
 * away says so once, not with every batch.
 */
export function watchedExporter(inner: SpanExporter, onChange: (state: ExportState) => void): SpanExporter {
  let state: ExportState = 'up';
  return {
    export(spans, resultCallback) {
      inner.export(spans, (result) => {
        const next = result.error === undefined ? 'up' : 'down';
        if (next !== state) onChange(next);
        state = next;
        resultCallback(result);
      });
    },
    shutdown: () => inner.shutdown(),
  };
}
