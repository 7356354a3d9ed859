import { createHmac, timingSafeEqual } from 'node:crypto'

/** Default names of the signature headers, which no document names. The account's `words` may set others. */
export const SIGNATURE_HEADER = 'x-svc-signature'
export const TIMESTAMP_HEADER = 'x-svc-request-timestamp'

/** A request's signature, and the parts of the request that it covers. */
export interface Signed {
  signature: string | undefined
  timestamp: string | undefined
  body: Uint8Array
}

/** Why a request is refused, for the log only. */
export type SignatureFault = 'no signature' | 'no time' | 'another time' | 'a wrong signature'

/**
 * Returns the secret that a request was signed with, or the fault. The signature is `VERSION=` and the
 * HMAC-SHA256 of `VERSION:TIME:` and the raw bytes. Tries every secret, so that timing does not reveal which
 * one matches.
 */
export function verifySigned(
  { signature = '', timestamp = '', body }: Signed,
  { secrets, nowMs }: { secrets: readonly string[]; nowMs: number },
): { secret: string } | { refused: SignatureFault } {
  const { version, digest = '' } =
    /^(?<version>\w{1,8})=(?<digest>[0-9a-f]{64})$/.exec(signature)?.groups ?? {}
  if (version === undefined) return { refused: 'no signature' }
  if (!/^\d{1,12}$/.test(timestamp)) return { refused: 'no time' }
  const given = Buffer.from(digest, 'hex')
  const good = secrets.filter((secret) => {
    const due = createHmac('sha256', secret)
      .update(`${version}:${timestamp}:`)
      .update(body)
      .digest()
    return timingSafeEqual(due, given)
  })
  const [secret] = good
  if (secret === undefined) return { refused: 'a wrong signature' }
  const apartMs = Math.abs(nowMs - Number(timestamp) * 1000)
  return apartMs > WINDOW_MS ? { refused: 'another time' } : { secret }
}

/**
 * Returns the response to a challenge; undefined if the token is not 1 to 256 printable ASCII characters, or
 * has a colon, because its HMAC could then be a valid signature of a forged notification.
 */
export function answerChallenge(token: unknown, secret: string): object | undefined {
  if (typeof token !== 'string' || !/^[!-9;-~]{1,256}$/.test(token)) return undefined
  const encryptedToken = createHmac('sha256', secret).update(token).digest('hex')
  return { plainToken: token, encryptedToken }
}

/** The largest accepted difference between the signed time and our clock. */
const WINDOW_MS = 300_000
