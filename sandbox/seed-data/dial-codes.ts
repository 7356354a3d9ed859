/** Converts a number to E.164; a local number gets the country's code. Undefined if that is impossible. */
export function toE164(text: string, country: string | undefined): string | undefined {
  const bare = text.replaceAll(/[ ().-]/g, '')
  const code = country === undefined ? undefined : DIAL_CODES[country]
  const full = bare.startsWith('+') ? bare : `${code ?? ''}${bare.replace(/^0/, '')}`
  return /^\+[1-9]\d{6,14}$/.test(full) ? full : undefined
}

/** Returns the first country whose code the number begins with, if there is one. */
export function countryOf(number: string): string | undefined {
  return Object.entries(DIAL_CODES).find(([, code]) => number.startsWith(code))?.[0]
}

export function isTollFree(number: string): boolean {
  return /^\+(?:1(?:800|833|844|855|866|877|888)|(?:31|34|44|48|49|55|65|91)800)/.test(number)
}

export const DIAL_CODES: Readonly<Record<string, string>> = {
  US: '+1',
  CA: '+1',
  GB: '+44',
  NL: '+31',
  DE: '+49',
  ES: '+34',
  FR: '+33',
  PL: '+48',
  BR: '+55',
  SG: '+65',
  IN: '+91',
  JP: '+81',
}
