import { accountSettings } from '../../config/account-settings.ts'
import { isForbidden } from './is-forbidden.ts'
import { recordings, users } from './lists.ts'
import { type Probe, refusalText } from './probe.ts'

const INVALID: Probe = {
  id: 'invalid-token',
  lines: ['invalid-token'],
  assumption: 'a token that is no good is answered 401, or 400 with code 124',
  operations: [users.operation],
  mostReads: 1,
  async run(reader) {
    const args = { query: { ...users.query(reader.nowMs), page_size: 1 } }
    const { refusal, status, code = 'none' } = await reader.read(users.operation, args, 'made-up')
    const facts = { status, code }
    if (refusal === undefined)
      return {
        verdict: 'differs',
        found: 'a made-up token is taken',
        means: 'nothing for a sync; whoever runs the service should know',
        facts,
      }
    const found = `HTTP ${status} with code ${code}`
    if (status === 401 || (status === 400 && code === '124'))
      return { verdict: 'holds', found, facts }
    return {
      verdict: 'differs',
      found,
      means: 'a token that ends before its time is not renewed: calls fail until its time is over',
      facts,
    }
  },
}

/** Only a token that was just requested shows its lifetime: a new one would end the token that others use. */
const LIFE: Probe = {
  id: 'token-life',
  lines: ['one-token'],
  assumption: 'a token is granted for 3599 or 3600 seconds, and names its scopes',
  operations: [],
  mostReads: 0,
  run(reader) {
    const granted = reader.granted()
    if (granted === undefined) return { verdict: 'unclear', found: KEPT }
    const { expires_in: seconds, scope } = granted
    const scopes =
      typeof scope === 'string' ? scope.split(/\s+/).filter((one) => one !== '').length : 0
    const facts = { expires_in: typeof seconds === 'number' ? seconds : 'none', scopes }
    const found = `granted for ${facts.expires_in} seconds with ${scopes} scopes`
    if (scopes > 0 && (seconds === 3599 || seconds === 3600))
      return { verdict: 'holds', found, facts }
    return {
      verdict: 'differs',
      found,
      means:
        'a sync takes it for no longer than it was told, an hour at most and two minutes at least',
      facts,
    }
  },
}

const API_URL: Probe = {
  id: 'api-url',
  lines: ['api-url'],
  assumption: 'the token comes with the address of the API, which is the one that is configured',
  operations: [],
  mostReads: 0,
  run(reader) {
    const granted = reader.granted()
    if (granted === undefined) return { verdict: 'unclear', found: KEPT }
    const told = typeof granted.api_url === 'string' ? URL.parse(granted.api_url) : null
    if (told === null)
      return {
        verdict: 'differs',
        found: 'no address came with it',
        means: 'nothing: baseUrl is used',
      }
    const { baseUrl } = reader.settings
    const facts = { api_url: told.origin }
    if (told.origin === new URL(baseUrl).origin)
      return { verdict: 'holds', found: `it is ${told.origin}`, facts }
    const path = told.pathname === '/' ? new URL(baseUrl).pathname : told.pathname
    const address = `${told.origin}${path}`
    return {
      verdict: 'differs',
      found: `it is ${told.origin}, and not that of baseUrl`,
      means: reader.settings.followApiUrl
        ? 'it is called there (followApiUrl)'
        : 'the service would rather be called there, e.g. as it is nearer to the account',
      facts,
      ...(!reader.settings.followApiUrl && accountSettings.shape.baseUrl.safeParse(address).success
        ? { settings: { baseUrl: address } }
        : {}),
    }
  },
}

/** Which token the video-session calls use. */
const VIDEO: Probe = {
  id: 'video-token',
  lines: ['jwt'],
  assumption: 'calls on video sessions take the bearer that videoSessions.auth says',
  operations: [recordings.operation],
  mostReads: 2,
  async run(reader) {
    const { auth } = reader.settings.videoSessions
    const args = { query: { ...recordings.query(reader.nowMs), page_size: 1 } }
    const facts = { auth }
    try {
      const reading = await reader.read(recordings.operation, args)
      if (reading.refusal === undefined)
        return { verdict: 'holds', found: `${auth} is taken`, facts }
      return { verdict: 'unclear', found: `it is refused: ${refusalText(reading)}`, facts }
    } catch (error) {
      if (!isForbidden(error) || auth === 'oauth') throw error
      const other = await reader.read(recordings.operation, args, 'oauth').catch(() => undefined)
      if (other === undefined || other.refusal !== undefined) throw error
      return {
        verdict: 'differs',
        found: 'the JWT is not taken, and the account’s own token is',
        means: 'sessions and recordings cannot be read as it is configured',
        facts,
        settings: { videoSessions: { auth: 'oauth' } },
      }
    }
  },
}

export const tokens: readonly Probe[] = [LIFE, API_URL, INVALID, VIDEO]

const KEPT = 'the token is kept from before, and a new one would end it for others; see a first run'
