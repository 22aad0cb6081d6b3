/** The three rows that are looked at; reused, as one comparison ends before the next begins. */
const rows: [number[], number[], number[]] = [[], [], []];

/**
 * The number of slips that turn one word into another: a letter added, lost, changed, or swapped with its neighbour (optimal string
 * alignment). Anything above `limit` is given as `limit + 1`. Time is the shorter length times `limit`.
 *
 * Source: Damerau 1964, restricted so that no letter is moved twice; only cells within `limit` of the diagonal are filled
 * (Ukkonen 1985).
 */
export function editDistance(a: string, b: string, limit: number): number {
  const beyond = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return beyond;
  let [beforeLast, last, current] = rows;
  for (let column = 0; column <= b.length; column++) last[column] = Math.min(column, beyond);
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - limit);
    const to = Math.min(b.length, row + limit);
    current[from - 1] = from === 1 ? Math.min(row, beyond) : beyond;
    let rowBest = current[from - 1]!;
    for (let column = from; column <= to; column++) {
      const letterOfA = a.charCodeAt(row - 1);
      const letterOfB = b.charCodeAt(column - 1);
      const above = column < row + limit ? last[column]! : beyond;
      let cost = Math.min(
        above + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (letterOfA === letterOfB ? 0 : 1),
      );
      const isSwap =
        row > 1 &&
        column > 1 &&
        letterOfA === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === letterOfB;
      if (isSwap) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current[column] = cost;
      rowBest = Math.min(rowBest, cost);
    }
    if (rowBest > limit) return beyond;
    const oldest = beforeLast;
    beforeLast = last;
    last = current;
    current = oldest;
  }
  return Math.min(last[b.length]!, beyond);
}
