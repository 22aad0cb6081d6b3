import { mean } from '../summarize-times.ts';

/** Returns the slope of the least-squares line; 0 for fewer than two different x. */
export function growth(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const together = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return spread === 0 ? 0 : together / spread;
}
