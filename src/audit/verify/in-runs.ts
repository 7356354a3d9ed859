/** Groups consecutive values; returns the first and last of each group. */
export function inRuns<T>(
  values: readonly T[],
  follows: (one: T, next: T) => boolean,
): [first: T, last: T][] {
  const runs: [T, T][] = []
  for (const value of values) {
    const run = runs.at(-1)
    if (run !== undefined && follows(run[1], value)) run[1] = value
    else runs.push([value, value])
  }
  return runs
}
