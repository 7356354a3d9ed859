/** Integers past 2^53 are printed digit by digit. */
export function printInteger(digits: string): unknown {
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : rawJson(digits)
}

/** A number that is printed as this text. */
export function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}
