/**
 * Values as Postgres writes an array, in one piece: the driver looks through each of many values by itself.
 * JSON writes texts in the same way but for control characters, with which the driver is left to it.
 */
export function arrayText(values: readonly (string | number | boolean | null)[]): unknown {
  const json = JSON.stringify(values)
  return WRITTEN_OTHERWISE.test(json) ? values : `{${json.slice(1, -1)}}`
}

const WRITTEN_OTHERWISE = /\\[^"\\]/
