import { cleanKey } from '../base/clean-text.ts'
import { hash, pick } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import type { ScenarioSession } from '../seed-data/board-patches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { emptyState } from '../seed-data/state.ts'
import { FIRST_NAMES } from '../seed-data/words.ts'
import { emailOf, userAt } from '../users/users.ts'

type Json = Record<string, unknown>

/** The event and its time; `h` decides who was there. */
export interface Meeting {
  h: number
  startMs: number
  endMs: number
  told?: ScenarioSession | undefined
}

/** One stay of a person at a whiteboard; a person who returns has two. */
export interface Participant {
  user_id: string
  user_name: string
  email: string
  joinMs: number
  leaveMs: number | undefined
  /** Decides the format of the times. */
  kind: number
}

export function participantsOf(seedData: SeedData, board: Meeting): Participant[] {
  if (board.told !== undefined) return toldPeople(seedData, board, board.told)
  const people: Participant[] = []
  const count = 1 + (hash(board.h, 2, 0) % 7)
  for (let place = 0; place < count; place++) {
    const h = hash(board.h, 3, place)
    const who = h % 6 === 0 ? outsider(h) : colleague(seedData, h)
    const lengthMs = board.endMs - board.startMs
    const joinMs = board.startMs + seconds(lengthMs * ((h % 700) / 1000))
    const leaveMs = h % 30 === 2 ? undefined : joinMs + seconds((board.endMs - joinMs) / 2)
    people.push({ ...who, joinMs, leaveMs, kind: h })
    if (h % 9 === 0 && leaveMs !== undefined)
      people.push({ ...who, joinMs: leaveMs + 30_000, leaveMs: board.endMs, kind: h })
    // The person joins from two devices at once: only their position distinguishes the two stays.
    if (h % 80 === 1) people.push({ ...who, joinMs, leaveMs: undefined, kind: h })
  }
  return people
}

function toldPeople(
  seedData: SeedData,
  board: Meeting,
  { people }: ScenarioSession,
): Participant[] {
  return people.map((who, place) => ({
    ...('user' in who
      ? member(seedData, who.user)
      : { user_id: '', user_name: who.guest, email: '' }),
    joinMs: board.startMs + place * 1000,
    leaveMs: board.endMs,
    kind: hash(board.h, 3, place),
  }))
}

export function participantItem(person: Participant): Json {
  const { user_id, user_name, email, joinMs, leaveMs, kind } = person
  return {
    user_id,
    user_name,
    email,
    join_whiteboard_time: wireTime(joinMs, kind),
    ...(leaveMs === undefined ? {} : { leave_whiteboard_time: wireTime(leaveMs, 15) }),
  }
}

export function participantTruth(sessionId: string, person: Participant, ordinal: number): Json {
  const { joinMs, leaveMs, kind } = person
  return {
    session_id: sessionId,
    user_id: person.user_id,
    user_name: cleanKey(person.user_name),
    join_whiteboard_time: trueTime(joinMs, kind),
    ordinal: String(ordinal),
    email: person.email,
    joined_at: trueTime(joinMs, kind),
    leave_whiteboard_time: leaveMs === undefined ? null : trueTime(leaveMs, 15),
  }
}

/**
 * Returns a person from outside the account: without ID and address, and with a name that others may have
 * too. A few names are cut inside an emoji.
 */
function outsider(h: number): Identity {
  const name = h % 5 === 0 ? 'Guest' : `${pick(FIRST_NAMES, h >>> 8)} (guest)`
  return { user_id: '', user_name: h % 97 === 0 ? `${name} \ud83c` : name, email: '' }
}

type Identity = Pick<Participant, 'user_id' | 'user_name' | 'email'>

function colleague(seedData: SeedData, h: number): Identity {
  return member(seedData, (h >>> 4) % Math.max(1, Math.floor(seedData.sizes.users * 0.8)))
}

function member(seedData: SeedData, index: number): Identity {
  // Uses the name at that time, which later changes of the person do not affect.
  const { id, first_name, last_name } = userAt(seedData, UNCHANGED, index)
  return { user_id: id, user_name: `${first_name} ${last_name}`, email: emailOf(seedData, index) }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}

const UNCHANGED = emptyState()
