import type { X509Certificate } from 'node:crypto'

/** The certificates available when a time stamp is checked. */
export interface Given {
  /** Certificates trusted for time stamps. */
  roots: readonly X509Certificate[]
  /** Possible intermediate certificates. */
  others: readonly X509Certificate[]
}

/**
 * The shortest chain from a certificate to a root in which each certificate is signed by the next one, which
 * is valid at `atMs`; the longest chain if none leads to a root. The work grows at most with the square of
 * the number of certificates.
 */
export async function chainOf(
  { certificate, atMs }: { certificate: X509Certificate; atMs: number },
  { roots, others }: Given,
): Promise<{ chain: X509Certificate[]; trusted: boolean }> {
  const isRoot = (one: X509Certificate) => roots.some(({ raw }) => raw.equals(one.raw))
  const left = new Map([...roots, ...others].map((one) => [one.fingerprint256, one]))
  left.delete(certificate.fingerprint256)
  const paths = [[certificate]]
  let longest = [certificate]
  for (const chain of paths) {
    const last = chain.at(-1) ?? certificate
    if (isRoot(last)) return { chain, trusted: true }
    if (chain.length > longest.length) longest = chain
    for (const [name, above] of left) {
      if (!isIssuedBy(last, above) || !(await mayIssue(above, chain, atMs))) continue
      left.delete(name)
      paths.push([...chain, above])
    }
  }
  return { chain: longest, trusted: false }
}

function isIssuedBy(below: X509Certificate, above: X509Certificate): boolean {
  return below.checkIssued(above) && below.verify(above.publicKey)
}

/** Returns true if a certificate may sign another one at that time and at that height in the chain. */
async function mayIssue(
  certificate: X509Certificate,
  { length }: { length: number },
  atMs: number,
): Promise<boolean> {
  const { validFromDate: from, validToDate: to, ca, keyUsage, raw } = certificate
  if (!ca || atMs < from.getTime() || atMs > to.getTime()) return false
  // Despite its type, `keyUsage` is undefined if the certificate does not limit its purposes.
  const purposes = (keyUsage as string[] | undefined) ?? []
  if (purposes.length > 0 && !purposes.some((one) => FOR_STAMPS.has(one))) return false
  const { BasicConstraints, Certificate } = await import('pkijs')
  const { extensions = [] } = Certificate.fromBER(new Uint8Array(raw))
  if (extensions.some(({ extnID, critical }) => critical && !UNDERSTOOD.has(extnID))) return false
  const constraints = extensions.map(({ parsedValue }) => parsedValue)
  // The certificate that signs the stamp is no authority, so it does not count toward the path length.
  return constraints
    .filter((one) => one instanceof BasicConstraints)
    .every(({ pathLenConstraint: most = length }) => length - 1 <= Number(most))
}

/** The purposes that an authority may be limited to: time stamps, or any. */
const FOR_STAMPS = new Set(['1.3.6.1.5.5.7.3.8', '2.5.29.37.0'])
/** The extensions that may be critical: key usage, basic constraints, policies and purposes. */
const UNDERSTOOD = new Set(['2.5.29.15', '2.5.29.19', '2.5.29.32', '2.5.29.37'])
