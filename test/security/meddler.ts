import type { Sandbox } from '../../sandbox/server/server.ts'
import { jobs } from '../../src/account/catalog.ts'
import type { Answer } from '../api/fault-server.ts'
import { type Proxy, proxyTo } from './proxy.ts'

/** Whatever is a secret holds this, in any case of letters. */
export const SECRET = 'SecretCanary42'
/** Whatever is personal holds this: as a name, or as part of an address. */
export const PERSONAL = 'Personcanary'
export const PERSONAL_NUMBER = 4_711_004_711

export interface Meddler extends Proxy {
  planted: { secrets: number; personal: number; faults: number }
  /** Faults that no call has met. */
  left(): number
}

/**
 * Plants canaries in what the service says: in every personal field, as secrets that no document names in
 * every record, in tokens and page tokens, and in the words of errors.
 */
export async function meddleWith(
  sandbox: Sandbox,
  faults: readonly (readonly [path: string, after: number, fault: Answer])[],
): Promise<Meddler> {
  const planted = { secrets: 0, personal: 0, faults: 0 }
  const calls = new Map<string, number>()
  const left = new Set(faults)
  const proxy = await proxyTo(sandbox.url, {
    forget: `${SECRET}.`,
    instead(target, request, response) {
      const path = target.split('?')[0] ?? ''
      const nth = calls.get(path) ?? 0
      calls.set(path, nth + 1)
      const due = faults.find((one) => left.has(one) && path.startsWith(one[0]) && nth >= one[1])
      if (due === undefined) return false
      left.delete(due)
      planted.faults++
      due[2](request, response)
      return true
    },
    change: (_path, body) => JSON.stringify(poisoned(plant(body, planted))),
  })
  return { ...proxy, planted, left: () => left.size }
}

function plant(value: unknown, planted: Meddler['planted'], name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => plant(item, planted, name))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([inner, held]) => [inner, plant(held, planted, inner)] as const,
    )
    planted.secrets++
    // The envelope gets them too: what is not a record is not stored at all.
    return { ...SECRETS, ...Object.fromEntries(entries), ...secretOf(value) }
  }
  if (!PERSONAL_FIELDS.has(name)) return value
  planted.personal++
  if (typeof value === 'number') return PERSONAL_NUMBER
  if (typeof value !== 'string' || value === '') return value
  return value.includes('@') ? `${PERSONAL}.${value}` : `${PERSONAL} ${value}`
}

/** Tokens stay usable: the canary stands in front and is taken away on the way back. */
function secretOf(value: object): object {
  const { access_token: token, next_page_token: page } = value as Record<string, unknown>
  return {
    ...(typeof token === 'string' ? { access_token: `${SECRET}.${token}` } : {}),
    ...(typeof page === 'string' && page !== '' ? { next_page_token: `${SECRET}.${page}` } : {}),
  }
}

/** Records that cannot become rows, since quarantine keeps what it was given. */
function poisoned(body: unknown): unknown {
  const page = body as Record<string, unknown[]>
  if (Array.isArray(page.users))
    page.users.push({ ...SECRETS, first_name: PERSONAL }, [{ ...SECRETS }], deep())
  for (const session of page.sessions ?? []) {
    const files = (session as { recording_files?: unknown[] }).recording_files
    files?.push({ ...SECRETS, id: 'x'.repeat(600) }, [{ ...SECRETS }])
  }
  return page
}

function deep(): unknown {
  let value: unknown = { ...SECRETS }
  for (let level = 0; level < 70; level++) value = { inner: value }
  return { id: 'deep', email: `${PERSONAL}@example.com`, value }
}

/** What the documents call secret, and what else would be one, each inside an object as well. */
const SECRETS = Object.fromEntries(
  [
    'session_password passcode download_access_token download_url join_url start_url signature pin',
    'password host_key client_secret refresh_token sip_pin h323_passcode encryption_secret apiSecret',
  ]
    .flatMap((line) => line.split(' '))
    .map((name) => [name, `${SECRET}-${name}`])
    .concat([['access_key', { id: `${SECRET}-id`, key: `${SECRET}-key` }]] as never),
)

/** The columns that the streams call personal, whose names are the wire's, and the fields of an address. */
const PERSONAL_FIELDS = new Set([
  ...jobs.flatMap((job) => job.streams.flatMap((stream) => stream.personal)),
  ...'address_line1 address_line2 street city zip house_number street_name'.split(' '),
])
