import { X509Certificate } from 'node:crypto'

/** The first `MOST` certificates of a PEM text, in order; throws if one cannot be read. */
export function certificatesOf(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).slice(0, MOST).map((one) => new X509Certificate(one))
}

/** The certificates as PEM; equal certificates give equal text. */
export function pemOf(chain: readonly X509Certificate[]): string {
  return chain.map((one) => one.toString()).join('')
}

/** The certificates stored with a stamp; none if they are unreadable or longer than `MOST_LETTERS`. */
export function keptCertificates(pem: string | null): X509Certificate[] {
  if (pem === null || pem.length > MOST_LETTERS) return []
  try {
    return certificatesOf(pem)
  } catch {
    return []
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const MOST = 200
const MOST_LETTERS = 50_000
