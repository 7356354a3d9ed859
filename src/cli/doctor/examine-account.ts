import { jobs } from '../../account/catalog.ts'
import type { OpenAccount } from '../../account/open-account.ts'
import type { Page } from '../../api/answers/payload.ts'
import { allowedApi, howToFollow, namedElsewhere } from '../../api/call/request-address.ts'
import type { Job } from '../../core/define/job.ts'
import { type Operation, wholeAccountScopes } from '../../core/define/operation.ts'
import type { Stream } from '../../core/define/stream.ts'
import { examineJob } from './examine-job.ts'
import { attempt, type Finding } from './findings.ts'

/** Checks the token, the API address, the scopes, first pages of what the jobs read, and the clocks. */
export async function examineAccount(open: OpenAccount, signal: AbortSignal): Promise<Finding[]> {
  const { findings, callable } = await examineAccess(open, signal)
  if (!callable) return findings
  const pages: Page[] = []
  const firsts = new Map<Stream, Page>()
  const absent: Operation[] = []
  for (const job of jobs)
    findings.push(...(await examineJob({ open, job, signal, pages, firsts, absent })))
  if (pages.length === 0 && absent.length > 0) findings.push(wrongAddress(open))
  return [...findings, ...examineClock(open.settings.name, pages)]
}

/** Reports that the service has no lists at this address, typically because of a wrong version in it. */
function wrongAddress({ settings: { name, baseUrl } }: OpenAccount): Finding {
  return {
    check: `${name} API address`,
    state: 'failed',
    text: `the service answers, but has no API under ${baseUrl}`,
    todo: SET_ADDRESS,
  }
}

/** Checks the token, the API address and the scopes. Without a token nothing can be called. */
export async function examineAccess(
  open: OpenAccount,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; callable: boolean }> {
  const { name } = open.settings
  const token = await attempt(`${name} token`, async () => {
    // A stored token works until it expires and says nothing about the secret, so a new one is requested.
    const stored = await open.tokens.read()
    if (stored === undefined) await open.authorities.oauth.current(signal)
    else await open.authorities.oauth.replace(stored.version, false, signal)
    return [{ check: `${name} token`, state: 'ok', text: 'granted' }]
  })
  if (token.some(({ state }) => state === 'failed')) return { findings: token, callable: false }
  const address = await attempt(`${name} API address`, () => examineAddress(open))
  const callable = address.every(({ state }) => state !== 'failed')
  return { findings: [...token, ...address, ...(await examineScopes(open))], callable }
}

/** Compares the API address in the token response with the configured one. */
async function examineAddress({ settings, tokens }: OpenAccount): Promise<Finding[]> {
  const { name, baseUrl, apiHosts } = settings
  const check = `${name} API address`
  const told = (await tokens.read())?.apiUrl
  const origin = namedElsewhere(baseUrl, told)
  if (apiHosts.length > 0 && told !== undefined)
    return [{ check, state: 'ok', text: `${allowedApi(baseUrl, apiHosts, told)}, by its api_url` }]
  if (origin === undefined) return []
  const text = `the token names ${origin}, which is not followed: baseUrl is called`
  return [{ check, state: 'warning', text, todo: howToFollow(origin) }]
}

/** Reports operations that the granted scopes do not allow; calls with a JWT need no scopes. */
async function examineScopes({ settings, tokens }: OpenAccount): Promise<Finding[]> {
  const check = `${settings.name} scopes`
  const granted = new Set((await tokens.read())?.scope ?? [])
  if (granted.size === 0)
    return [{ check, state: 'warning', text: 'the token does not list its scopes' }]
  const needed = operationsOf(jobs).filter(({ bearer }) => bearer === 'oauth')
  const missing = needed.filter((operation) => !allows(granted, operation))
  if (missing.length === 0)
    return [{ check, state: 'ok', text: `${granted.size} granted, all that the jobs need` }]
  return missing.map((operation) => ({
    check,
    state: 'failed',
    text: `${operation.id} needs ${wholeAccountScopes(operation).join(' or ')}`,
    todo: 'add the scope to the app, activate it again, and run callsheet logout',
  }))
}

/** Accepts only scopes for the whole account, because the jobs read all of it. */
function allows(granted: ReadonlySet<string>, operation: Operation): boolean {
  const enough = wholeAccountScopes(operation)
  return enough.length === 0 || enough.some((scope) => granted.has(scope))
}

function operationsOf(all: readonly Job[]): Operation[] {
  const operations = all.flatMap(({ streams }) =>
    streams.flatMap(({ operation, deletions }) =>
      deletions.by === 'detail' ? [operation, deletions.operation] : [operation],
    ),
  )
  return [...new Set(operations)]
}

/**
 * Compares the clocks. Windows end at this machine's current time, so a wrong clock reads too little or
 * requests the future.
 */
function examineClock(name: string, pages: readonly Page[]): Finding[] {
  const check = `${name} clock`
  const offsets = pages.flatMap(({ requestedAtMs, serverDateMs }) =>
    serverDateMs === undefined ? [] : [serverDateMs - requestedAtMs],
  )
  if (offsets.length === 0)
    return [{ check, state: 'warning', text: 'the service did not state its time' }]
  const seconds = Math.round(Math.min(...offsets.map(Math.abs)) / 1000)
  if (seconds <= 30) return [{ check, state: 'ok', text: `${seconds} s from the service's` }]
  const state = seconds > 300 ? 'failed' : 'warning'
  return [
    {
      check,
      state,
      text: `${seconds} s from the service's`,
      todo: 'set the clock of this machine with NTP',
    },
  ]
}

export const SET_ADDRESS = 'set baseUrl to the root of the API, including its version, such as /v2'
