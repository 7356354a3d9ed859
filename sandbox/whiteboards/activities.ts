import { addOddText, cleanText } from '../base/clean-text.ts'
import { hash, pick } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import { plainId } from '../seed-data/ids.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { type Participant, participantsOf } from './whiteboard-people.ts'
import type { Whiteboard } from './whiteboards.ts'

type Json = Record<string, unknown>

export interface Activity {
  h: number
  id: string
  type: string
  createdMs: number
  person: Participant
  content: string | null | undefined
  object_ids: string[] | undefined
}

/**
 * Returns the number of activities of a session. With the default sizes: about a dozen on average, none for
 * some sessions, several pages for one in two hundred.
 */
export function activityCount(seedData: SeedData, state: SeedState, index: number): number {
  const { activities, whiteboards } = seedData.sizes
  const mean = whiteboards === 0 ? 0 : activities / whiteboards
  const h = hash(seedData.seed, 61, index)
  const share = (hash(seedData.seed, 62, index) + 1) / 2 ** 32
  const { moreActivities: more = 0, told } = state.whiteboards.patches.get(index) ?? {}
  if (told !== undefined) return more + told.activities
  if (h % 200 === 7) return more + Math.floor(mean * (25 + ((h >>> 9) % 45)))
  return more + Math.floor(-Math.log(share) * mean * 0.87)
}

export function activityMaker(seedData: SeedData, board: Whiteboard): (place: number) => Activity {
  const people = participantsOf(seedData, board)
  const seed = hash(seedData.seed, 63, board.index)
  const idSeed = hash(seedData.idSeed, 64, board.index)
  return (place) => {
    const h = hash(seed, 1, place)
    const type = board.told?.type ?? pick(TYPES, h >>> 5)
    const written = type.includes('text') || type.includes('note') || type.includes('comment')
    const objects = 1 + (h % 3)
    return {
      h,
      id: plainId(idSeed, 65, place),
      type,
      createdMs: createdAt(board, place, h),
      person: pick(people, h >>> 3),
      content: written
        ? addOddText(`${pick(PHRASES, h >>> 7)} ${String(place)}`, hash(h, 2, 0))
        : blank(h),
      object_ids:
        h % 10 === 0
          ? undefined
          : Array.from({ length: objects }, (_, n) => `obj-${((h >>> 2) + n).toString(36)}`),
    }
  }
}

/** Returns only the times of activities, for callers that need nothing else. */
export function activityTimes(seedData: SeedData, board: Whiteboard): (place: number) => number {
  const seed = hash(seedData.seed, 63, board.index)
  return (place) => createdAt(board, place, hash(seed, 1, place))
}

function createdAt({ startMs, endMs }: Whiteboard, place: number, h: number): number {
  const share = 1 - 1 / (1 + (place + (h % 1000) / 1000) / 12)
  return startMs + Math.floor((share * (endMs - startMs)) / 1000) * 1000
}

export function activityItem(activity: Activity, download_url: string | undefined): Json {
  const { h, person } = activity
  return {
    id: activity.id,
    type: activity.type,
    ...(download_url === undefined ? {} : { download_url }),
    create_time: wireTime(activity.createdMs, h),
    user_id: person.user_id,
    collaborator_id: collaboratorId(person),
    collaborator_name: person.user_name,
    email: person.email,
    content: activity.content,
    object_ids: activity.object_ids,
  }
}

export function activityTruth(sessionId: string, activity: Activity): Json {
  const { h, person } = activity
  return {
    session_id: sessionId,
    id: activity.id,
    type: activity.type,
    create_time: trueTime(activity.createdMs, h),
    user_id: person.user_id,
    collaborator_id: collaboratorId(person),
    collaborator_name: cleanText(person.user_name),
    email: person.email,
    content: typeof activity.content === 'string' ? cleanText(activity.content) : null,
    object_ids: activity.object_ids ?? null,
  }
}

function collaboratorId(person: Participant): string {
  return person.user_id === '' ? `ext-${String(hash(person.kind, 4, 0))}` : `col-${person.user_id}`
}

function blank(h: number): string | null | undefined {
  return h % 3 === 0 ? '' : h % 3 === 1 ? null : undefined
}

const TYPES = [
  'add shape',
  'move shape',
  'delete shape',
  'edit text',
  'add sticky note',
  'edit sticky note',
  'add comment',
  'upload image',
  'add connector',
  'change color',
  'open whiteboard',
  'close whiteboard',
]
const PHRASES = [
  'Ship it',
  'Why does this wait?',
  'Ask the depot',
  'Owner?',
  'Cut scope',
  'Überprüfen',
  '次回まで',
  'Budget\tQ3',
  'See line 2\nand line 3',
  'ok',
  '"quoted", with commas',
  'Done?',
]
