import { cleanText } from '../base/clean-text.ts'
import { hash, hashText, pick } from '../base/random.ts'
import type { AddedMember, PeopleChanges } from '../seed-data/board-patches.ts'
import { plainId } from '../seed-data/ids.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { emptyState, type SeedState } from '../seed-data/state.ts'
import { DEPARTMENTS, FIRST_NAMES } from '../seed-data/words.ts'
import { emailOf, userAt } from '../users/users.ts'
import { activeUsers, type Board, boardAt } from './boards.ts'

type Json = Record<string, unknown>

/** A collaborator of a board: a user of the account, a person from outside, or a channel. */
export interface Collaborator extends Who {
  role: number
}

interface Who {
  h: number
  collaborator_id: string
  collaborator_name: string
  collaborator_type: 0 | 1 | 2
  user_id?: string
  email?: string
  channel_id?: string
}

/** Returns the collaborators that the list shows, silently truncated at a thousand. */
export function collaboratorsOf(
  seedData: SeedData,
  state: SeedState,
  index: number,
): Collaborator[] {
  return everybodyOn(seedData, state, index).slice(0, MOST_SHOWN)
}

/** Returns all collaborators, even those that no list shows. Exactly one of them is the owner. */
export function everybodyOn(seedData: SeedData, state: SeedState, index: number): Collaborator[] {
  const board = boardAt(seedData, state, index)
  const patch = state.boards.patches.get(index)
  const count = patch?.collaborators ?? usualCount(board)
  const usual = Array.from({ length: count }, (_, place) => {
    const h = hash(board.h, 6, place)
    const who = whoIs(seedData, board, { h, place })
    // Only a user of the account can be a co-owner.
    const second = place === 1 && h % 2 === 0 && who.collaborator_type === MEMBER
    const usually = 2 + ((h + (patch?.roleShift ?? 0)) % 3)
    return { role: place === 0 ? OWNER : second ? CO_OWNER : usually, ...who }
  })
  return patch?.people === undefined ? usual : changed(seedData, usual, patch.people)
}

/** Returns a collaborator added by a call. */
export function newcomer(seedData: SeedData, who: AddedMember): Who {
  if ('user' in who) return colleague(seedData, who.user, hash(seedData.seed, 131, who.user))
  const outside = 'email' in who
  const h = hashText(seedData.idSeed, outside ? 132 : 133, outside ? who.email : who.channel)
  const id = plainId(h, 7, 0)
  if (!outside)
    return {
      h,
      collaborator_id: `chn-${id}`,
      collaborator_name: `#${pick(DEPARTMENTS, h >>> 5).toLowerCase()}`,
      collaborator_type: 2,
      channel_id: who.channel,
    }
  return {
    h,
    collaborator_id: `ext-${id}`,
    collaborator_name: `${pick(FIRST_NAMES, h >>> 8)} (guest)`,
    collaborator_type: 1,
  }
}

export function collaboratorItem(person: Collaborator): Json {
  const { h, ...fields } = person
  const empty = h % 2 === 0 ? null : undefined
  return {
    ...fields,
    user_id: fields.user_id ?? empty,
    email: fields.email ?? empty,
    channel_id: fields.channel_id ?? empty,
    ...(avatarOf(h) === undefined ? {} : { avatar: avatarOf(h) }),
  }
}

function avatarOf(h: number): string | undefined {
  return h % 3 === 0 ? `https://pictures.svc.example/${String(h)}` : undefined
}

export function collaboratorTruth(boardId: string, person: Collaborator): Json {
  return {
    whiteboard_id: boardId,
    collaborator_id: person.collaborator_id,
    collaborator_name: cleanText(person.collaborator_name),
    collaborator_type: String(person.collaborator_type),
    role: String(person.role),
    user_id: person.user_id ?? null,
    email: person.email ?? null,
    channel_id: person.channel_id ?? null,
    avatar: avatarOf(person.h) ?? null,
  }
}

/**
 * Applies the changes. `owner` takes precedence over a recorded role, because the previous owner has since
 * received another role.
 */
function changed(
  seedData: SeedData,
  usual: readonly Collaborator[],
  { owner, roles, removed, added }: PeopleChanges,
): Collaborator[] {
  const gone = new Set(removed)
  const all = new Map(usual.map((person) => [person.collaborator_id, person]))
  for (const id of gone) all.delete(id)
  for (const who of added) {
    const person = newcomer(seedData, who)
    const { collaborator_id: id } = person
    if (!all.has(id)) all.set(id, { ...person, role: VIEWER })
  }
  const ownerId = owner === undefined ? undefined : seedData.ids.users.of(owner)
  return [...all.values()].map((person) => {
    const { collaborator_id: id, user_id } = person
    if (ownerId !== undefined && user_id === ownerId) return { ...person, role: OWNER }
    return { ...person, role: roles[id] ?? person.role }
  })
}

/** Returns the number of collaborators: on one board in five hundred, more than the list ever shows. */
function usualCount({ index, h }: Board): number {
  return index % 500 === 499 ? 1_100 : 1 + (hash(h, 5, 0) % 9)
}

/**
 * Returns who a collaborator is: the owner made the board, and colleagues follow in the order of users, so
 * that nobody occurs twice.
 */
function whoIs(seedData: SeedData, board: Board, { h, place }: { h: number; place: number }): Who {
  const id = plainId(board.h, 7, place)
  if (place > 0 && h % 12 === 1)
    return {
      h,
      collaborator_id: `chn-${id}`,
      collaborator_name: `#${pick(DEPARTMENTS, h >>> 5).toLowerCase()}`,
      collaborator_type: 2,
      channel_id: `ch-${id}`,
    }
  const users = activeUsers(seedData)
  if (place > 0 && (h % 5 === 0 || place >= users))
    return {
      h,
      collaborator_id: `ext-${id}`,
      collaborator_name: `${pick(FIRST_NAMES, h >>> 8)} (guest)${h % 97 === 0 ? ' \ud83c' : ''}`,
      collaborator_type: 1,
    }
  return colleague(seedData, (board.creator + place) % users, h)
}

function colleague(seedData: SeedData, index: number, h: number): Who {
  const { id: user_id, first_name, last_name } = userAt(seedData, UNCHANGED, index)
  return {
    h,
    collaborator_id: `col-${user_id}`,
    collaborator_name: `${first_name} ${last_name}`,
    collaborator_type: 0,
    user_id,
    email: emailOf(seedData, index),
  }
}

export const OWNER = 0
export const CO_OWNER = 1
export const MEMBER = 0
export const OUTSIDER = 1
const VIEWER = 4
const UNCHANGED = emptyState()
const MOST_SHOWN = 1_000
