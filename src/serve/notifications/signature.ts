import { createHmac, timingSafeEqual } from 'node:crypto'

/** The headers of a signature, as the account's words may name them otherwise. No document says them. */
export const SIGNATURE_HEADER = 'x-svc-signature'
export const TIMESTAMP_HEADER = 'x-svc-request-timestamp'

/** A request as far as its signature goes. */
export interface Signed {
  signature: string | undefined
  timestamp: string | undefined
  body: Uint8Array
}

/** Why a request is refused: for the log alone, as the sender is told nothing. */
export type SignatureFault = 'no signature' | 'no time' | 'another time' | 'a wrong signature'

/**
 * The secret that a request was signed with. Its signature is `VERSION=` and the HMAC-SHA256 of
 * `VERSION:TIME:` and the raw bytes. Every secret is tried, so that the time it takes tells nothing.
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
 * The answer to a challenge, or undefined for a token that could be taken for the beginning of something else
 * that is signed with the secret: all of that has a colon.
 */
export function answerChallenge(token: unknown, secret: string): object | undefined {
  if (typeof token !== 'string' || !/^[!-9;-~]{1,256}$/.test(token)) return undefined
  const encryptedToken = createHmac('sha256', secret).update(token).digest('hex')
  return { plainToken: token, encryptedToken }
}

/** How far the signed time may be from ours. */
const WINDOW_MS = 300_000
