import { SignJWT } from 'jose'
import type { Clock } from '../../core/time/clock.ts'
import type { Bearer, BearerToken } from '../call/authorize.ts'

export interface SessionJwtOptions {
  apiKey: string
  apiSecret: string
  clock: Clock
  /** At most an hour; a longer lifetime is cut. */
  lifetimeSeconds?: number
}

/** Signs the video-session JWTs (HS256) here. Each is used until a minute before it expires. */
export function createSessionJwt(options: SessionJwtOptions): Bearer {
  const { apiKey, apiSecret, clock } = options
  const lifetimeSeconds = Math.min(options.lifetimeSeconds ?? MAX_LIFETIME_S, MAX_LIFETIME_S)
  const secret = new TextEncoder().encode(apiSecret)
  let replaced = 0
  let issued: { token: BearerToken; endsAtS: number } | undefined

  const issue = async (): Promise<BearerToken> => {
    // Moved back a second per replacement: otherwise a token of the same second would equal the refused one.
    const iat = Math.floor(clock.now() / 1000) - (replaced % EARLY_S)
    const endsAtS = iat + lifetimeSeconds
    const value = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(apiKey)
      .setIssuedAt(iat)
      .setExpirationTime(endsAtS)
      .sign(secret)
    const token = { value, version: (issued?.token.version ?? 0) + 1 }
    issued = { token, endsAtS }
    return token
  }

  const current = async (): Promise<BearerToken> => {
    const fresh = issued !== undefined && issued.endsAtS - clock.now() / 1000 > EARLY_S
    return fresh && issued !== undefined ? issued.token : issue()
  }
  return {
    current,
    async replace(version) {
      if (issued !== undefined && issued.token.version > version) return current()
      replaced++
      return await issue()
    },
  }
}

const MAX_LIFETIME_S = 3_600
const EARLY_S = 60
