import { z } from 'zod'
import {
  defineDesired,
  type NamedItem,
  type Placed,
  type PlanItem,
  presentItem,
  refusedItem,
  type TextRow,
} from '../../core/define/desired.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { recoverRecordingFile, recoverRecordings } from '../../resources/recording-changes.ts'
import {
  recordingFiles,
  recordingParticipantFiles,
  recordingSessions,
  TRASH_DAYS,
  trashedRecordingFiles,
  trashedRecordings,
} from '../../resources/recordings.ts'

const entry = z.strictObject({
  session_id: z.string().min(1),
  recording_id: z.string().min(1).optional(),
})

export type RecordingWish = z.infer<typeof entry>

/** Plans recordings to restore from the trash. */
export const desiredRecordings = defineDesired<RecordingWish>({
  name: 'recordings',
  title: 'Recordings taken out of the trash',
  entry,
  reads: [
    recordingSessions,
    recordingFiles,
    recordingParticipantFiles,
    trashedRecordings,
    trashedRecordingFiles,
  ],
  writes: [recoverRecordings, recoverRecordingFile],
  full: true,
  async plan(entries, live) {
    const values = entries.map(({ entry: wish }) => wish.session_id)
    const by = { column: 'session_id', values }
    const columns = ['session_id', 'id', 'deleted_time']
    const [sessions, files, trashed] = await Promise.all([
      live.rows({ stream: recordingSessions, columns: ['session_id', 'trashed'], by }),
      live.rows({ stream: recordingFiles, columns, by }),
      live.rows({ stream: trashedRecordingFiles, columns, by }),
    ])
    const state: Trash = {
      sessions: new Map(sessions.map((row) => [row.session_id ?? '', row])),
      files: Map.groupBy(files, (row) => row.session_id ?? ''),
      trashed: Map.groupBy(trashed, (row) => row.session_id ?? ''),
      nowMs: live.nowMs,
    }
    return entries.flatMap((placed) => planSession(placed, state))
  },
})

interface Trash {
  sessions: ReadonlyMap<string, TextRow>
  files: ReadonlyMap<string, readonly TextRow[]>
  /** Files that were trashed one by one. */
  trashed: ReadonlyMap<string, readonly TextRow[]>
  nowMs: number
}

/** Plans one call for a session that was moved to the trash as a whole, otherwise one call per file. */
function planSession({ place, entry: wish }: Placed<RecordingWish>, state: Trash): PlanItem[] {
  const { session_id: id, recording_id: file } = wish
  const item = { key: id, what: `recordings of ${id}`, place }
  const singly = (state.trashed.get(id) ?? []).filter((row) => row.id !== null)
  const session = state.sessions.get(id)
  if (session === undefined && singly.length === 0) return [refusedItem(item, GONE)]
  const files = state.files.get(id) ?? []
  const wholly = session?.trashed === 'true' && !sameFiles(files, singly)
  if (wholly && file !== undefined) return [refusedItem(item, WHOLE)]
  if (wholly) {
    const send = sendTo(recoverRecordings, { sessionId: id })
    return [recovery(item, send, { deleted: files, nowMs: state.nowMs })]
  }
  const wanted = singly.filter((row) => file === undefined || row.id === file)
  if (wanted.length > 0)
    return wanted.map((row) => {
      const recordingId = row.id ?? ''
      const what = `recording ${recordingId} of ${id}`
      const send = sendTo(recoverRecordingFile, { sessionId: id, recordingId })
      const deleted = { deleted: [row], nowMs: state.nowMs }
      return recovery({ key: `${id} ${recordingId}`, what, place }, send, deleted)
    })
  const there = file === undefined || files.some((row) => row.id === file)
  const key = file === undefined ? id : `${id} ${file}`
  return [there ? presentItem({ ...item, key }) : refusedItem({ ...item, key }, GONE)]
}

function recovery(
  item: NamedItem,
  send: PlanItem['sends'][number],
  { deleted, nowMs }: { deleted: readonly TextRow[]; nowMs: number },
): PlanItem {
  const times = deleted.map((row) => Date.parse(row.deleted_time ?? '')).filter(Number.isFinite)
  const endsMs = Math.min(...times) + TRASH_DAYS * DAY_MS
  if (endsMs <= nowMs)
    return refusedItem(item, `it has been in the trash for more than ${TRASH_DAYS} days`)
  return { ...item, action: 'change', details: 'in the trash → recovered', sends: [send] }
}

function sendTo(
  operation: typeof recoverRecordings | typeof recoverRecordingFile,
  path: Record<string, string>,
): PlanItem['sends'][number] {
  const member = Object.values(path).join(' ')
  const body = () => ({ action: 'recover' })
  return { operation, args: { path }, together: member, most: 1, member, body }
}

/** Whether all files were moved to the trash one by one, so the session cannot be restored as a whole. */
function sameFiles(files: readonly TextRow[], singly: readonly TextRow[]): boolean {
  const ids = new Set(singly.map(({ id }) => id))
  return singly.length > 0 && files.every(({ id }) => id === null || ids.has(id))
}

const GONE = 'it is neither there nor in the trash: permanently deleted, or another ID'
const WHOLE = 'the whole session is in the trash: leave recording_id out'
