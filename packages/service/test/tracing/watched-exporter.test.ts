import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { watchedExporter } from '../../src/tracing/start-exporting.ts';

test('reports every change, and nothing else', () => {
  const outcomes = ['ok', 'lost', 'lost', 'ok', 'ok', 'lost'];
  const inner: SpanExporter = {
    export: (_spans, done) => done(outcomes.shift() === 'ok' ? { code: 0 } : { code: 1, error: new Error() }),
    shutdown: async () => {},
  };
  const states: string[] = [];
  const exporter = watchedExporter(inner, (state) => states.push(state));
  let results = 0;
  while (outcomes.length > 0) exporter.export([], () => results++);
  expect(states).toEqual(['down', 'up', 'down']);
  expect(results).toBe(6);
});
