import { hash } from '../base/random.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { type FileTruth, fileBytes, SandboxFile, sha256Of } from '../protocol/file-bytes.ts'
import { SEAL } from '../protocol/file-host.ts'
import { noFile } from '../protocol/refusal.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { type Activity, activityCount, activityMaker } from './activities.ts'
import { archivesShown } from './shown-archives.ts'
import { whiteboardAt } from './whiteboards.ts'

export const activityFileAnswers: Readonly<Record<string, Answering>> = {
  'whiteboard_sessions.download': {
    parameters: ['signature', 'until', 'hop', ...SEAL],
    parameterCode: 34002,
    scopes: ['whiteboard_content:read', 'whiteboard_content:read:admin'],
    granularScopes: ['whiteboard:read:archived_file', 'whiteboard:read:archived_file:admin'],
    answer: downloadActivity,
  },
}

/** Returns the part of the address that names the file. */
export function activityPath(index: number, place: number, activity: Activity): string {
  return `${index}.${place}.${activity.id}`
}

/** Whether an activity has a file; a quarter have none. */
export function hasFile({ h }: Activity): boolean {
  return h % 4 !== 0
}

export function* activityFileTruths(seedData: SeedData): Generator<FileTruth> {
  const { sizes, state } = seedData
  for (let index = 0; index < sizes.whiteboards + state.whiteboards.added; index++) {
    const board = whiteboardAt(seedData, state, index)
    const make = activityMaker(seedData, board)
    for (let place = 0; place < activityCount(seedData, state, index); place++) {
      const activity = make(place)
      const bytes = bytesOf(seedData, activity)
      yield {
        parent: board.id,
        item: activity.id,
        sha256: hasFile(activity) ? sha256Of(bytes) : undefined,
        size: bytes.length,
        expiresMs: board.expireMs,
      }
    }
  }
}

function downloadActivity(call: SandboxCall): SandboxFile {
  const { seedData, path, query, nowMs } = call
  const [, index, place, id] = /^(\d{1,9})\.(\d{1,9})\.(\w+)$/.exec(path.path ?? '') ?? []
  const { sizes, state } = seedData
  const known = Number(index) < sizes.whiteboards + state.whiteboards.added
  if (!known || state.whiteboards.gone.has(Number(index))) throw missing(call)
  if (!(Number(query.get('until')) >= nowMs) || !query.has('signature')) throw missing(call)
  const board = whiteboardAt(seedData, state, Number(index))
  if (board.expireMs <= nowMs || Number(place) >= activityCount(seedData, state, Number(index)))
    throw missing(call)
  const activity = activityMaker(seedData, board)(Number(place))
  const shown = archivesShown(call, ['whiteboard:read:archived_file:admin'])
  if (shown !== 'all' && !shown(board)) throw missing(call)
  if (activity.id !== id || !hasFile(activity)) throw missing(call)
  return new SandboxFile(bytesOf(seedData, activity))
}

/** Makes half a kilobyte to ten kilobytes. Accounts share IDs, but not contents. */
function bytesOf({ seed }: SeedData, { h, id }: Activity): Buffer {
  const own = hash(seed, h, id.length)
  return fileBytes(own, 500 + (own % 9_500))
}

function missing({ readings }: SandboxCall): Error {
  return noFile(readings.missingFile, 34000, 'Resource, session or file not found or expired.')
}

/** How long an address is valid: 15 minutes. */
export const ADDRESS_LIFE_MS = 900_000
