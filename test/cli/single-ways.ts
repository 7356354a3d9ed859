import type { Asked, Told, Ways } from './altering-proxy.ts'

/** As a service that tells of the quota with each answer. */
export function tellLimit({ path }: Asked, told: Told): void {
  if (path === '/v2/users') Object.assign(told.headers, limitOf('QPS', 1_000))
}

/** An error inside an answer of success, on the recordings of one session. */
export function forbidInside({ path }: Asked, told: Told): void {
  if (!path.endsWith('/recordings') || path.endsWith('/videosdk/recordings') || told.status !== 404)
    return
  told.status = 200
  told.body = { code: 200, message: 'You do not have the right permissions' }
}

/** Two refusals: one whose headers speak of what was hit, and one of another quota. */
export function refuseTwice(): Ways {
  let refusals = 0
  return {
    tell({ path, query }, told) {
      if (path !== '/v2/users' || query.has('page_size') || refusals >= 2) return
      const limit = refusals++ === 0 ? limitOf('QPS', 20) : limitOf('Daily-limit', 9)
      told.status = 429
      told.body = { code: 429, message: 'You have reached the maximum per-second rate limit.' }
      Object.assign(told.headers, limit)
    },
  }
}

function limitOf(type: string, calls: number): Record<string, string> {
  return {
    'x-ratelimit-category': 'MEDIUM',
    'x-ratelimit-type': type,
    'x-ratelimit-limit': String(calls),
  }
}
