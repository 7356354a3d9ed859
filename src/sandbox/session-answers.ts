import { DAY_MS } from '../core/time.ts'
import type { Answering, Call } from './call.ts'
import { arrayListing, filtered } from './listing.ts'
import { answerList } from './paging.ts'
import { hash } from './random.ts'
import { badParameter } from './refusal.ts'
import { liveItem, sessionAt, sessionItem, sessionsBetween } from './sessions.ts'
import { dayWindow, sixMonthsBack } from './windows.ts'

export const sessionAnswers: Readonly<Record<string, Answering>> = {
  'session_reports.list': {
    parameters: [
      'type',
      'from',
      'to',
      'session_key',
      'session_name',
      'page_size',
      'next_page_token',
    ],
    parameterCode: 300,
    scopes: [],
    granularScopes: [],
    answer: listSessions,
  },
}

/** One month at most, six months back at most, and no total. Without a type only what is live is shown. */
function listSessions(call: Call): Record<string, unknown> {
  const { company, query } = call
  const type = query.get('type') ?? 'live'
  if (type !== 'past' && type !== 'live') throw badParameter('type', 'must be past or live')
  const rules = { items: 'sessions', maximum: 300, tokenCode: 300, total: false }
  return answerList(call, rules, (settled) => {
    const { from, to, fromMs, toMs } = dayWindow(call, settled, true)
    if (from < sixMonthsBack(call.nowMs))
      throw badParameter('from', 'must lie within the last six months')
    const bounds = { from, to }
    if (type === 'live') {
      const count = 3 + (hash(company.seed, 29, 0) % 4)
      return {
        bounds,
        listing: () => arrayListing(Array.from({ length: count }, (_, ordinal) => ordinal)),
        item: (_state, index) => liveItem(company, index, call.nowMs),
      }
    }
    return {
      bounds,
      listing: (state) => {
        const all = sessionsBetween(company, state, { fromMs, untilMs: toMs + DAY_MS })
        const key = query.get('session_key')
        const name = query.get('session_name')
        if (key === undefined && name === undefined) return all
        return filtered(all, (index) => {
          const session = sessionAt(company, state, index)
          const named = name === undefined || session.session_name === name
          return named && (key === undefined || session.session_key === key)
        })
      },
      item: (state, index) => sessionItem(sessionAt(company, state, index)),
    }
  })
}
