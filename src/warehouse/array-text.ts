/**
 * Returns the values as the text of a Postgres array, because the driver converts many values slowly. JSON
 * escapes control characters and lone surrogates differently: values with these are returned unchanged.
 */
export function arrayText(values: readonly (string | number | boolean | null)[]): unknown {
  const json = JSON.stringify(values)
  return WRITTEN_OTHERWISE.test(json) ? values : `{${json.slice(1, -1)}}`
}

const WRITTEN_OTHERWISE = /\\[^"\\]/
