import { createHmac, timingSafeEqual } from 'node:crypto'

/** How requests are signed; the documents leave it open, so all of it are settings. */
export interface SignatureRules {
  signatureHeader: string
  timestampHeader: string
  /** Stands before the digest in the header and before the time in what is signed. */
  prefix: string
  /** How far the signed time may be from ours. */
  windowSeconds: number
}

/** A request as far as its signature goes. */
export interface Signed {
  signature: string | undefined
  timestamp: string | undefined
  body: Uint8Array
}

/** Why a request is refused: for the log alone, as the sender is told nothing. */
export type SignatureFault = 'no signature' | 'no time' | 'another time' | 'a wrong signature'

/**
 * The secret that a request was signed with, by `PREFIX=` and the HMAC-SHA256 of `PREFIX:TIME:` and the raw
 * bytes. Every secret is tried, so that the time it takes tells nothing.
 */
export function verifySigned(
  { signature = '', timestamp = '', body }: Signed,
  { secrets, rules, nowMs }: { secrets: readonly string[]; rules: SignatureRules; nowMs: number },
): { secret: string } | { refused: SignatureFault } {
  const { prefix, windowSeconds } = rules
  const digest = signature.startsWith(`${prefix}=`) ? signature.slice(prefix.length + 1) : ''
  if (!/^[0-9a-f]{64}$/.test(digest)) return { refused: 'no signature' }
  if (!/^\d{1,12}$/.test(timestamp)) return { refused: 'no time' }
  const given = Buffer.from(digest, 'hex')
  const good = secrets.filter((secret) => {
    const due = createHmac('sha256', secret).update(`${prefix}:${timestamp}:`).update(body).digest()
    return timingSafeEqual(due, given)
  })
  const [secret] = good
  if (secret === undefined) return { refused: 'a wrong signature' }
  const apartMs = Math.abs(nowMs - Number(timestamp) * 1000)
  return apartMs > windowSeconds * 1000 ? { refused: 'another time' } : { secret }
}

/**
 * The answer to a challenge, or undefined for a token that could be taken for the beginning of something else
 * that is signed with the secret: all of that has a colon.
 */
export function answerChallenge(token: unknown, secret: string): object | undefined {
  if (typeof token !== 'string' || !/^[!-9;-~]{1,256}$/.test(token)) return undefined
  const encryptedToken = createHmac('sha256', secret).update(token).digest('hex')
  return { plainToken: token, encryptedToken }
}
