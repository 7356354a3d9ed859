import type { Answering, SandboxCall } from '../protocol/call.ts'
import { isTimeless } from '../protocol/list-ways.ts'
import { arrayListing, filtered } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { badParameter } from '../protocol/refusal.ts'
import { sixMonthsBack } from '../protocol/windows.ts'
import type { SeedState } from '../seed-data/state.ts'
import { createSession } from './created-sessions.ts'
import { liveItem, liveSessions } from './live-sessions.ts'
import { sessionWindow } from './session-windows.ts'
import { sessionAt, sessionItem, sessionsBetween } from './sessions.ts'

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
    needs: ['videoSessions', 'paidAccount', 'dashboard'],
    answer: listSessions,
  },
  'sessions.create': {
    parameters: [],
    parameterCode: 300,
    scopes: [],
    granularScopes: [],
    needs: ['videoSessions'],
    status: 201,
    answer: createSession,
  },
}

/** Lists sessions, by default only live ones: at most one month, six months back, without a total. */
function listSessions(call: SandboxCall): Record<string, unknown> {
  const { seedData, query } = call
  const type = query.get('type') ?? 'live'
  if (type !== 'past' && type !== 'live') throw badParameter('type', 'must be past or live')
  const rules = { items: 'sessions', maximum: 300, tokenCode: 300, total: false }
  return answerList(call, rules, (settled) => {
    const { bounds, ...span } = sessionWindow(call, settled)
    const silent = call.readings.sessionEcho === 'silent' ? { silent: true as const } : {}
    if (bounds.from < sixMonthsBack(call.nowMs))
      throw badParameter('from', 'must lie within the last six months')
    if (type === 'live') {
      const all = (state: SeedState) =>
        liveSessions(seedData, state, call.nowMs).filter((session) => isAsked(call, session))
      return {
        bounds,
        ...silent,
        listing: (state) => arrayListing([...all(state).keys()]),
        // The session exists, since the index comes from the listing of this state.
        item: (state, index) => liveItem(all(state)[index]!, call.nowMs),
      }
    }
    return {
      bounds,
      ...silent,
      listing: (state) => {
        const all = sessionsBetween(seedData, state, { ...span, nowMs: call.nowMs })
        if (!query.has('session_key') && !query.has('session_name')) return all
        return filtered(all, (index) => isAsked(call, sessionAt(seedData, state, index)))
      },
      item: (state, index) => {
        const item = sessionItem(sessionAt(seedData, state, index))
        return isTimeless(call.readings, item.id) ? { ...item, start_time: 'unknown' } : item
      },
    }
  })
}

function isAsked(
  { query }: SandboxCall,
  session: { session_name: string; session_key: string | null | undefined },
): boolean {
  return (['session_name', 'session_key'] as const).every(
    (field) => !query.has(field) || query.get(field) === session[field],
  )
}
