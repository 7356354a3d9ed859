import type { Answering, SandboxCall } from '../protocol/call.ts'
import { filtered } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import { instantWindow } from '../protocol/windows.ts'
import { activityCount, activityItem, activityMaker, activityTimes } from './activities.ts'
import { ADDRESS_LIFE_MS, activityPath, hasFile } from './activity-files.ts'
import { archivesShown } from './shown-archives.ts'
import { whiteboardAt, whiteboardHead, whiteboardItem, whiteboardsBetween } from './whiteboards.ts'

const shared = {
  parameterCode: 34002,
  scopes: ['whiteboard_content:read', 'whiteboard_content:read:admin'],
}

const codes = { tokenCode: 34002, parameterCode: 34002 }

export const whiteboardAnswers: Readonly<Record<string, Answering>> = {
  'whiteboard_sessions.list': {
    ...shared,
    parameters: ['from', 'to', 'page_size', 'next_page_token'],
    granularScopes: ['whiteboard:read:list_sessions', 'whiteboard:read:list_sessions:admin'],
    answer: listWhiteboards,
  },
  'whiteboard_sessions.get': {
    ...shared,
    parameters: ['from', 'to', 'page_size', 'next_page_token'],
    granularScopes: ['whiteboard:read:session', 'whiteboard:read:session:admin'],
    answer: listActivities,
  },
}

function listWhiteboards(call: SandboxCall): Record<string, unknown> {
  const { seedData, nowMs, readings } = call
  const shown = archivesShown(call, ['whiteboard:read:list_sessions:admin'])
  const rules = { items: 'sessions', maximum: 300, ...codes, total: true }
  return answerList(call, rules, (settled) => {
    const { from, to, fromMs, toMs } = instantWindow(call, settled)
    return {
      bounds: { from, to },
      listing: (state) => {
        const all = whiteboardsBetween(seedData, state, {
          fromMs,
          toMs,
          nowMs,
          bounds: readings.archiveBounds,
        })
        if (shown === 'all') return all
        return filtered(all, (index) => shown(whiteboardAt(seedData, state, index)))
      },
      item: (state, index) => whiteboardItem(seedData, whiteboardAt(seedData, state, index)),
    }
  })
}

/**
 * Lists activities. Without bounds it lists only today's, and the response does not say so. Expired and
 * unknown sessions get equal responses.
 */
function listActivities(call: SandboxCall): Record<string, unknown> {
  const { seedData, path, nowMs, serial } = call
  const { sizes } = seedData
  const index = seedData.ids.whiteboards.indexOf(path.seesionId ?? '')
  const known = index !== undefined && index < sizes.whiteboards + seedData.state.whiteboards.added
  if (!known || seedData.state.whiteboards.gone.has(index)) throw missing()
  const board = whiteboardAt(seedData, seedData.state, index)
  const shown = archivesShown(call, ['whiteboard:read:session:admin'])
  if (board.expireMs <= nowMs || (shown !== 'all' && !shown(board))) throw missing()
  const make = activityMaker(seedData, board)
  const madeMs = activityTimes(seedData, board)
  const files = `${call.files.url}/whiteboards/sessions/activity/download`
  const rules = { items: 'activities', maximum: 300, ...codes, total: true }
  const bounded = call.readings.activityBounds === 'taken'
  for (const name of ['from', 'to'])
    if (!bounded && call.query.has(name))
      throw badParameter(name, 'is not a parameter of this operation', shared.parameterCode)
  return answerList(call, rules, (settled) => {
    const asked = bounded ? instantWindow(call, settled) : undefined
    return {
      ...(asked === undefined ? {} : { bounds: { from: asked.from, to: asked.to } }),
      silent: true,
      rest: { session_id: board.id, ...whiteboardHead(board) },
      listing: (state) => {
        const length = activityCount(seedData, state, index)
        const all = { length, at: (place: number) => place }
        return asked === undefined ? all : filtered(all, (place) => isBetween(madeMs(place), asked))
      },
      item: (_state, place) => {
        const activity = make(place)
        const url = `${files}/${activityPath(index, place, activity)}`
        const until = String(nowMs + ADDRESS_LIFE_MS)
        const signed = `signature=${String(serial)}&until=${until}${call.files.seal}`
        return activityItem(activity, hasFile(activity) ? `${url}?${signed}` : undefined)
      },
    }
  })
}

function isBetween(ms: number, { fromMs, toMs }: { fromMs: number; toMs: number }): boolean {
  return ms >= fromMs && ms <= toMs
}

function missing(): Error {
  return refuse(404, 34000, 'Resource, session or file not found or expired.')
}
