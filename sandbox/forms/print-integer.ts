/** Returns a value that JSON prints as these digits, even beyond 2^53. */
export function printInteger(digits: string): unknown {
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : rawJson(digits)
}

/** Returns a number that JSON prints as this text. */
export function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}
