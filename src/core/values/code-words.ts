/**
 * Returns the words for a code of the service: `SVC_CONTACT_CENTER` is "Contact center", `PartnerRoom` is
 * "Partner room". Text that is no code, such as "(none)", stays as it is. Converts each part of a list.
 */
export function codeWords(text: string): string {
  return text
    .split(', ')
    .map((code) => EXCEPTIONS[code] ?? (CODE.test(code) ? byRule(code) : code))
    .join(', ')
}

/** What codes stand for: names of the service, or countries by two letters (ISO 3166). */
export type Coded = 'service' | 'country'

export function wordsFor(text: string, coded: Coded): string {
  return coded === 'country' ? countryName(text) : codeWords(text)
}

/** Returns the English name of a country; text that is no country's code stays as it is. */
function countryName(text: string): string {
  return /^[A-Z]{2}$/.test(text) ? (COUNTRIES.of(text) ?? text) : text
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' })

function byRule(code: string): string {
  const bare = code.replace(SERVICE, '')
  if (ABBREVIATION.test(bare)) return bare
  const [name = '', format = ''] = bare.split(/(?=\()/)
  const text = `${name.split(SEAM).join(' ').toLowerCase()}${format === '' ? '' : ` ${format}`}`
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

const CODE = /^[A-Za-z][A-Za-z0-9_]*(?:\([A-Z]+\))?$/
/** Matches MP4, CSV, BYOC. */
const ABBREVIATION = /^[A-Z0-9]{2,4}$/
/** The service's name before a product or a source. */
const SERVICE = /^(?:SVC_|Svc(?=[A-Z]))/
const SEAM = /_|(?<=[a-z])(?=[A-Z])/

/** Codes for which people use other words than the rule would make. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  BYOCCloud: 'Own carrier, cloud',
  BYOCPremises: 'Own carrier, on premises',
  CC: 'Closed captions',
  CHAT: 'Chat',
  FOC: 'Firm order commitment',
  ITFS: 'International toll-free',
  MULTI_USE: 'Multiple uses',
  PCIPal: 'PCI Pal',
  Successfully: 'Successful',
  Svc: 'The service',
  SVC_PHONE_USER_ONLY: 'Phone users only',
  ThirdPartyNumber: 'Third-party number',
  TollFree: 'Toll-free',
  USER: 'User',
  objstore_s3: 'S3',
}
