import { DAY_MS } from '../../src/core/time/time.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { recordingOfSessionId, sessionOfRecording } from '../protocol/links.ts'
import { filtered, type Listing, reversed } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { badParameter } from '../protocol/refusal.ts'
import { rowsBetween } from '../protocol/rows-between.ts'
import { dayWindow } from '../protocol/windows.ts'
import { bisect } from '../seed-data/calendar.ts'
import type { SeedState } from '../seed-data/state.ts'
import { audioItems } from './recording-audio.ts'
import { checkHost, nothing } from './recording-changes.ts'
import { type Shelf, shelvesOf } from './recording-fates.ts'
import * as recordings from './recordings.ts'
import { sessionStartMs } from './sessions.ts'

export const recordingAnswers: Readonly<Record<string, Answering>> = {
  'recordings.list': {
    parameters: ['from', 'to', 'trash', 'trash_type', 'page_size', 'next_page_token'],
    parameterCode: 300,
    scopes: [],
    granularScopes: [],
    needs: ['videoSessions'],
    answer: listRecordings,
  },
  'recordings.get': {
    parameters: ['include_fields', 'ttl'],
    parameterCode: 300,
    scopes: [],
    granularScopes: [],
    needs: ['videoSessions'],
    answer: getRecordings,
  },
}

function listRecordings(call: SandboxCall): Record<string, unknown> {
  const { seedData, nowMs, serial, files } = call
  const known = call.readings.trash === 'listed'
  const shelf = known ? shelfOf(call) : 'window'
  const rules = { items: 'sessions', maximum: 300, tokenCode: 300, total: true }
  const item = (state: SeedState, index: number): unknown => {
    const recording = recordings.recordingAt(seedData, state, { index, shelf, nowMs })
    if (recording === undefined)
      throw new RangeError(`recording ${String(index)} is not in the list`)
    return recordings.recordingItem(recording, { files, serial, index })
  }
  return answerList(call, rules, (settled) => {
    if (shelf !== 'window')
      return {
        item,
        listing: (state) => recordings.trashListing(seedData, state, { shelf, nowMs }),
      }
    const { from, to, fromMs, toMs } = dayWindow(call, settled, false)
    const { recordingBounds: ends } = call.readings
    // A service that ignores the trash lists the last month.
    const lastMonth = !known && call.query.get('trash') === 'true'
    const span = {
      fromMs: lastMonth ? toMs - 29 * DAY_MS : ends === 'excluded' ? fromMs + DAY_MS : fromMs,
      untilMs: ends === 'included' ? toMs + DAY_MS : toMs,
    }
    return { item, bounds: { from, to }, listing: (state) => inWindow(call, state, span) }
  })
}

/** Returns the requested shelf. The trash has no dates, and only the trash has a type. */
function shelfOf({ query }: SandboxCall): Shelf {
  const trash = query.get('trash')
  const type = query.get('trash_type')
  if (trash !== undefined && trash !== 'true' && trash !== 'false')
    throw badParameter('trash', 'must be true or false')
  if (trash !== 'true') {
    if (type !== undefined) throw badParameter('trash_type', 'needs trash=true')
    return 'window'
  }
  for (const field of ['from', 'to'])
    if (query.has(field)) throw badParameter(field, 'cannot be sent together with trash')
  if (type === undefined || type === 'session_recordings') return 'session_recordings'
  if (type === 'recording_file') return 'recording_file'
  throw badParameter('trash_type', 'must be session_recordings or recording_file')
}

/** Lists the recordings of a window by their own curve: they follow their sessions' order in time. */
function inWindow(
  call: SandboxCall,
  state: SeedState,
  span: { fromMs: number; untilMs: number },
): Listing {
  const { seedData, nowMs } = call
  const rows = seedData.sizes.recordings
  const startOf = (index: number): number =>
    sessionStartMs(seedData, state, sessionOfRecording(seedData, state, index))
  const firstAtOrAfter = (ms: number): number => bisect(rows, (index) => startOf(index) >= ms)
  const curve = { rows, startMs: startOf, firstAtOrAfter }
  const started = rowsBetween({ curve, overlay: state.recordings, startOf, span })
  return filtered(reversed(started), (index) =>
    shelvesOf(seedData, state, { index, nowMs }).has('window'),
  )
}

function getRecordings(call: SandboxCall): Record<string, unknown> {
  const { seedData, path, query, nowMs, serial, files } = call
  const ttl = query.get('ttl')
  if (ttl !== undefined && !(/^\d{1,6}$/.test(ttl) && Number(ttl) <= 604_800))
    throw badParameter('ttl', 'must be 0 to 604800')
  const index = recordingOfSessionId(seedData, path.sessionId ?? '')
  if (index === undefined) throw nothing()
  const { state } = seedData
  checkHost(state.recordings.patches.get(index))
  const recording = recordings.recordingAt(seedData, state, { index, shelf: 'window', nowMs })
  if (recording === undefined) throw nothing()
  const wantsToken = query.get('include_fields')?.split(',').includes('download_access_token')
  const signed = { files, serial, index }
  return {
    ...recordings.recordingItem(recording, signed),
    participant_audio_files: audioItems(recording, signed),
    ...(wantsToken === true ? { download_access_token: `dat.${String(serial)}` } : {}),
  }
}
