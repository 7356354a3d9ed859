import { createHash } from 'node:crypto'
import { hash } from '../base/random.ts'
import { SandboxRefusal } from '../protocol/refusal.ts'
import type { Credentials } from '../seed-data/options.ts'

/** A person's permission for an app. Codes and refresh tokens refer to it. */
export interface Login {
  app: Credentials
  /** Whether the permission ended: its code was used twice, or the app was removed. */
  ended: boolean
}

interface Code {
  login: Login
  clientId: string
  redirectUri: string
  challenge: { text: string; method: 'S256' | 'plain' } | undefined
  expiresMs: number
  used: boolean
}

interface Refresh {
  login: Login
  expiresMs: number
  /** When the refresh token was exchanged for the next one. */
  usedMs: number | undefined
}

/** The codes and refresh tokens of the authorization server. */
export interface Logins {
  /** The scopes that were allowed to each app, by client ID. */
  readonly allowed: Map<string, string>
  /** Issues a code after permission. It can be used once, within five minutes. */
  newCode(asked: Omit<Code, 'login' | 'expiresMs' | 'used'> & { app: Credentials }): string
  takeCode(code: string, given: { clientId: string; redirectUri: string; verifier: string }): Login
  newRefresh(login: Login): string
  takeRefresh(token: string, clientIds: readonly string[]): Login
  /** Ends all permissions of an app. */
  end(app: Credentials): void
}

export function makeLogins(options: {
  seed: number
  /** How long a used refresh token is still accepted. */
  refreshGraceMs: number
  now(): number
}): Logins {
  const { seed, refreshGraceMs, now } = options
  const codes = new Map<string, Code>()
  const refreshes = new Map<string, Refresh>()
  const secret = secrets(seed)
  const allowed = new Map<string, string>()
  return {
    allowed,
    newCode({ app, ...asked }) {
      const code = secret('code')
      const login = { app, ended: false }
      codes.set(code, { ...asked, login, expiresMs: now() + CODE_MS, used: false })
      return code
    },
    takeCode(text, given) {
      const code = codes.get(text)
      if (code === undefined || code.clientId !== given.clientId) throw grantRefusal('unknown code')
      // A code that is used twice may be stolen, so the permission ends.
      if (code.used) code.login.ended = true
      if (code.used || now() >= code.expiresMs) throw grantRefusal('the code is used up')
      if (code.redirectUri !== given.redirectUri) throw grantRefusal('redirect_uri mismatch')
      if (!meets(code.challenge, given.verifier)) throw grantRefusal('code_verifier mismatch')
      code.used = true
      return code.login
    },
    newRefresh(login) {
      const token = secret('refresh')
      refreshes.set(token, { login, expiresMs: now() + REFRESH_MS, usedMs: undefined })
      return token
    },
    takeRefresh(token, clientIds) {
      const found = refreshes.get(token)
      const own = found !== undefined && clientIds.includes(found.login.app.clientId)
      if (!own || found.login.ended || now() >= found.expiresMs)
        throw grantRefusal('the refresh token is not valid')
      if (found.usedMs !== undefined && now() - found.usedMs >= refreshGraceMs)
        throw grantRefusal('the refresh token was used')
      found.usedMs ??= now()
      return found.login
    },
    end(app) {
      allowed.delete(app.clientId)
      for (const { login } of [...codes.values(), ...refreshes.values()])
        if (login.app === app) login.ended = true
    },
  }
}

function meets(challenge: Code['challenge'], verifier: string): boolean {
  if (challenge === undefined) return verifier === ''
  if (challenge.method === 'plain') return challenge.text === verifier
  return challenge.text === createHash('sha256').update(verifier).digest('base64url')
}

export function grantRefusal(reason: string): SandboxRefusal {
  return new SandboxRefusal(400, { reason, error: 'invalid_grant' })
}

/** Returns a function that makes texts that look random; equal seeds give equal texts. */
export function secrets(seed: number): (kind: string) => string {
  let serial = 0
  return (kind) => {
    const at = ++serial
    const words = [1, 2, 3, 4].map((n) => hash(seed + n, 0x10c1, at).toString(36))
    return `sbx.${kind}.${words.join('')}`
  }
}

const CODE_MS = 5 * 60_000
const REFRESH_MS = 90 * 86_400_000
