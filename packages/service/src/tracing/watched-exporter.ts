import type { SpanExporter } from '@opentelemetry/sdk-trace';

export type ExportState = 'down' | 'up';

/**
 * Wraps an exporter and calls `onChange` when batches begin to be lost and when they arrive again: once per
 * change, not per batch.
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
