import { X509Certificate } from 'node:crypto'

/** The first certificates of a PEM text in their order; one that cannot be read throws. */
export function certificatesOf(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).slice(0, MOST).map((one) => new X509Certificate(one))
}

/** The same text for the same certificates. */
export function pemOf(chain: readonly X509Certificate[]): string {
  return chain.map((one) => one.toString()).join('')
}

/** Those of a chain that was kept beside a stamp; none where it cannot be read, since the stamp decides. */
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
