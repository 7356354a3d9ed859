/** Integers past 2^53 are printed digit by digit. */
export function printInteger(digits: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : rawJSON(digits)
}
