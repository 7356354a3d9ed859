import { z } from 'zod'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { recordingOfSessionId } from '../protocol/links.ts'
import { badParameter, refuse, SandboxRefusal } from '../protocol/refusal.ts'
import type { RecordingPatch } from '../seed-data/state.ts'
import { isGoingOn } from './live-sessions.ts'
import {
  allFilesOf,
  FOR_GOOD,
  fateOf,
  type Place,
  placesOf,
  RECOVERY_MS,
} from './recording-fates.ts'
import type { RecordingFile } from './recording-files.ts'

const common: Omit<Answering, 'answer'> = {
  parameters: [],
  parameterCode: 300,
  scopes: [],
  granularScopes: [],
  status: 204,
  needs: ['videoSessions'],
}

export const recordingChangeAnswers: Readonly<Record<string, Answering>> = {
  'recordings.delete': {
    ...common,
    parameters: ['action'],
    needs: ['videoSessions', 'cloudRecording'],
    answer: deleteRecordings,
  },
  'recordings.recover': { ...common, answer: recoverRecordings },
  'recording_files.delete': {
    ...common,
    parameters: ['action'],
    needs: ['videoSessions', 'hostMayDelete'],
    answer: deleteFile,
  },
  'recording_files.recover': { ...common, answer: recoverFile },
}

/** A session's recording with all its files, for a call that names the session. */
interface Met {
  index: number
  files: readonly { file: RecordingFile; place: Place }[]
  singly: Readonly<Record<string, number>>
  wholeMs: number | undefined
}

/** Trashes all files outside the trash. A permanent deletion also removes the files in the trash. */
function deleteRecordings(call: SandboxCall): undefined {
  const forGood = isForGood(call)
  const met = meet(call, { ended: true })
  if (!met.files.some(({ place }) => place.shelf === 'window' || (forGood && place.shelf)))
    throw nothing()
  if (forGood) call.change([{ kind: 'recordings', action: 'remove', index: met.index }])
  else keep(call, met, { wholeMs: secondOf(call) })
}

/** Recovers all trashed files of the session that are not deleted yet. */
function recoverRecordings(call: SandboxCall): undefined {
  readBody(call, RECOVER, 300)
  const met = meet(call, { ended: false })
  if (call.seedData.state.recordings.patches.get(met.index)?.unrecoverable === true)
    throw new SandboxRefusal(200, { code: 200, message: 'You do not have the right permissions.' })
  if (!met.files.some(({ place }) => place.shelf !== undefined && place.shelf !== 'window'))
    throw nothing()
  const past = Object.entries(met.singly).filter(([, ms]) => call.nowMs > ms + RECOVERY_MS)
  keep(call, met, { wholeMs: undefined, singly: Object.fromEntries(past) })
}

/** Deletes one file; participants' files have no trash, and this call cannot name them. */
function deleteFile(call: SandboxCall): undefined {
  const forGood = isForGood(call)
  const met = meet(call, { ended: true })
  const { id, shelf } = fileOf(call, met)
  if (forGood ? shelf === undefined : shelf !== 'window') throw nothing()
  keep(call, met, { singly: { ...met.singly, [id]: forGood ? FOR_GOOD : secondOf(call) } })
}

/** Recovers a file to the shelf that has the rest of its session. */
function recoverFile(call: SandboxCall): undefined {
  readBody(call, RECOVER, 300)
  const met = meet(call, { ended: false })
  const { id, shelf } = fileOf(call, met)
  if (shelf !== 'recording_file') throw nothing()
  const { [id]: _, ...others } = met.singly
  keep(call, met, { singly: others })
}

function meet(call: SandboxCall, { ended }: { ended: boolean }): Met {
  const { seedData, nowMs, path } = call
  const { state } = seedData
  const session = path.sessionId ?? ''
  if (ended && isGoingOn(seedData, session, nowMs))
    throw refuse(400, 3303, 'The recording of a session that is not completed cannot be deleted.')
  const index = recordingOfSessionId(seedData, session)
  if (index === undefined || state.recordings.gone.has(index)) throw nothing()
  checkHost(seedData.state.recordings.patches.get(index))
  const files = allFilesOf(seedData, state, index)
  const fate = fateOf(seedData, state, index)
  const places = placesOf(files, fate, nowMs)
  return {
    index,
    files: files.map((file, n) => ({ file, place: places[n] as Place })), // one for each file
    ...fate,
  }
}

/** Throws if the host is no longer a user of the account. */
export function checkHost(patch: RecordingPatch | undefined): void {
  if (patch?.host === 'missing') throw refuse(404, 1001, 'The user does not exist.')
  if (patch?.host === 'elsewhere') throw refuse(400, 1010, 'The user is not in this account.')
}

function fileOf({ path }: SandboxCall, { files }: Met): { id: string; shelf: Place['shelf'] } {
  const asked = path.recordingId ?? ''
  const found = files.find(({ file }) => file.id === asked)
  if (found === undefined) throw nothing()
  return { id: asked, shelf: found.place.shelf }
}

function keep(
  call: SandboxCall,
  { index, ...before }: Met,
  changed: Partial<Pick<Met, 'wholeMs' | 'singly'>>,
): void {
  const { wholeMs, singly } = { ...before, ...changed }
  const patch: RecordingPatch =
    wholeMs === undefined
      ? { trash: 'none', singly }
      : { trash: 'session', deletedMs: wholeMs, singly }
  call.change([{ kind: 'recordings', action: 'change', index, patch }])
}

function isForGood({ query }: SandboxCall): boolean {
  const action = query.get('action') ?? 'trash'
  if (action !== 'trash' && action !== 'delete')
    throw badParameter('action', 'must be trash or delete')
  return action === 'delete'
}

function secondOf({ nowMs }: SandboxCall): number {
  return Math.floor(nowMs / 1000) * 1000
}

export function nothing(): SandboxRefusal {
  return refuse(404, 3301, 'There is no recording for this session.')
}

const RECOVER = z.strictObject({ action: z.literal('recover') })
