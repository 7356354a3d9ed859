import type { X509Certificate } from 'node:crypto'

/** The expiry of a certificate, key or algorithm that a stamp depends on; `of` names it. */
export interface End {
  atMs: number
  of: string
}

/**
 * The first expiry among the certificates of a chain, their keys, and the algorithms that sign them and the
 * stamp. Ignores the signature of the last certificate, usually a root, which is trusted as it is.
 */
export function firstEnd(chain: readonly X509Certificate[], digests: readonly string[]): End {
  const ends = [
    ...chain.flatMap((one) => [validity(one), keyEnd(one)]),
    ...chain.slice(0, -1).map(({ signatureAlgorithm: name = '' }) => digestEnd(name)),
    ...digests.map(digestEnd),
  ]
  return ends.reduce((first, end) => (end.atMs < first.atMs ? end : first))
}

function validity({ validToDate, subject }: X509Certificate): End {
  return { atMs: validToDate.getTime(), of: `the certificate of ${subject.replaceAll('\n', ', ')}` }
}

function keyEnd({ publicKey }: X509Certificate): End {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = publicKey
  const { modulusLength: bits, namedCurve: curve } = details ?? {}
  if (type.startsWith('rsa')) {
    const of = `RSA of ${bits} bits`
    if (bits === undefined || bits < 2_048) return { atMs: SHORT_END, of }
    return bits < 3_072 ? { atMs: MIDDLE_END, of } : { atMs: NEVER, of }
  }
  if (type === 'dsa') return { atMs: SHORT_END, of: 'DSA' }
  return { atMs: curve === 'secp224r1' ? MIDDLE_END : NEVER, of: curve ?? type }
}

/** Accepts the name of a digest, or of a signature algorithm that contains it. */
function digestEnd(name: string): End {
  const digest = name.toLowerCase().replaceAll('-', '')
  if (/md5|sha1(?!\d)/.test(digest)) return { atMs: SHORT_END, of: name }
  return { atMs: digest.includes('sha224') ? MIDDLE_END : NEVER, of: name }
}

/** The ends by NIST SP 800-131A: strengths below 112 bits ended with 2013, and 112 bits end with 2030. */
const SHORT_END = Date.UTC(2014, 0, 1)
const MIDDLE_END = Date.UTC(2031, 0, 1)
const NEVER = Number.MAX_SAFE_INTEGER
