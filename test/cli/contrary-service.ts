import type { Asked, Told, Ways } from './altering-proxy.ts'

type Json = Record<string, unknown>

const DAY_MS = 86_400_000

/** A service that does everything otherwise than it is assumed, in one way or another. */
export function contraryService(): Ways {
  const tokensUsed = new Set<string>()
  return {
    ask(asked) {
      const { path, query } = asked
      if (path === '/v2/users' && !query.has('status')) query.set('status', 'inactive')
      if (path === '/v2/users' && isMadeUp(query)) query.delete('next_page_token')
      if (path === '/v2/videosdk/sessions' && !query.has('type')) query.set('type', 'past')
      if (path === '/v2/whiteboards' && !query.has('from')) {
        query.set('from', new Date(Date.now() - 27 * DAY_MS).toISOString())
        query.set('to', new Date().toISOString())
      }
      if (path.includes('/sip_groups') && !query.has('allocated_product'))
        query.set('allocated_product', 'SVC_PHONE')
    },
    tell(asked, told) {
      delete told.headers['x-svc-trackingid']
      delete told.headers.date
      Object.assign(told.headers, {
        'x-ratelimit-category': 'Medium',
        'x-ratelimit-type': 'QPS',
        'x-ratelimit-limit': '7',
      })
      if (asked.path === '/oauth/token') Object.assign(told.body as Json, GRANT)
      else if (asked.headers.authorization?.includes('no-such-token') === true)
        refuse(told, 400, 999)
      else alter(asked, told, tokensUsed)
    },
  }
}

function alter(asked: Asked, told: Told, tokensUsed: Set<string>): void {
  const { path, query } = asked
  const token = query.get('next_page_token')
  if (isMadeUp(query) && path !== '/v2/users') return refuse(told, 401, 999)
  if (token !== null && tokensUsed.has(token)) return refuse(told, 400, 300)
  if (token !== null && told.status === 200) tokensUsed.add(token)
  if (told.status === 400 && path.includes('/orders/')) Object.assign(told, HTML)
  else if (told.status === 400 || told.status === 404) {
    if (path.endsWith('/recordings') && !path.includes('%25')) Object.assign(told, FOUND)
    else refuse(told, told.status, 9999)
  }
  if (told.status === 200) alterPage(asked, told.body as Json)
  alterWindow(asked, told)
}

/**
 * A service that wants the account's token for everything, says otherwise which scopes are missing, and
 * answers with success where it has nothing to say. `signed` makes the bearer that is behind it.
 */
export function oddService(signed: () => Promise<string>): Ways {
  return {
    async ask({ path, headers }) {
      if (!path.startsWith('/v2/videosdk')) return
      const own = headers.authorization?.startsWith('Bearer sbx.') === true
      headers.authorization = own ? `Bearer ${await signed()}` : 'Bearer refused'
    },
    tell({ path }, told) {
      if (path.includes('/classification_labels')) refuse(told, 403, 4711, SCOPES)
      if (path.endsWith('/sms_consent')) told.body = { note: 'nothing here' }
    },
  }
}

/** Pages that are smaller, last pages with an odd token, and records of other forms. */
function alterPage({ path, query }: Asked, body: Json): void {
  const { next_page_token: token } = body
  if (token === '' || token === null) body.next_page_token = false
  if (typeof body.page_size === 'number') body.page_size = Math.min(SMALL_PAGE, body.page_size)
  if (typeof body.page_size === 'number' && query.get('page_size') === '1') body.page_size = 1
  for (const list of Object.values(body)) if (Array.isArray(list)) list.splice(SMALL_PAGE)
  const records = (body.users ?? body.sessions ?? []) as Json[]
  if (query.get('status') === 'pending') for (const one of records) one.id = 'already-here'
  if (path === '/v2/videosdk/sessions' && records[0] !== undefined) {
    records.push({ ...records[0], start_time: '2026-01-01T00:00:00Z' })
    records[1] = { ...records[0], id: 'another', start_time: 'yesterday' }
  }
  if (path.endsWith('/sip_trunks')) body.total_records = 40
  if (path.endsWith('/number_management/numbers'))
    for (const one of body.numbers as Json[]) one.allocated_product = 'ACME_PHONE'
}

function alterWindow({ path, query }: Asked, told: Told): void {
  const [from, to] = [query.get('from'), query.get('to')]
  const body = told.body as Json
  if (from === null && ['/v2/whiteboards/sessions', '/v2/videosdk/recordings'].includes(path))
    body.from = '2026-01-01'
  if (from === null || to === null || told.status !== 200) return
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  const future = Date.parse(to) > Date.now() + DAY_MS
  if (path === '/v2/videosdk/sessions' && days > 40) refuse(told, 400, 300)
  else if (path === '/v2/videosdk/recordings' && days === 0) refuse(told, 400, 300)
  else if (path === '/v2/videosdk/sessions' && days === 0) body.sessions = []
  else if (path === '/v2/whiteboards' && days > 40)
    told.body = { ...body, whiteboards: [{ modified_date: from }, { modified_date: to }] }
  else if (path === '/v2/whiteboards/sessions' && days > 40)
    body.to = new Date(Date.parse(from) + 7 * DAY_MS).toISOString()
  else if (path === '/v2/whiteboards/sessions' && future) refuse(told, 400, 300)
  else if (days > 40 || future) Object.assign(body, { from, to })
}

function refuse(told: Told, status: number, ...[code, message = 'Bad.']: [number, string?]): void {
  Object.assign(told, { status, body: { code, message } })
}

function isMadeUp(query: URLSearchParams): boolean {
  return query.get('next_page_token')?.startsWith('bm8tc3VjaC') === true
}

const GRANT = { expires_in: 600, api_url: 'https://api-eu.svc.example' }
const SMALL_PAGE = 20
const SCOPES = 'Invalid access token, does not contain scopes:[a, b].'
const HTML = { status: 400, body: '<html>No</html>' }
const FOUND = { status: 200, body: { session_id: 'made up' } }
