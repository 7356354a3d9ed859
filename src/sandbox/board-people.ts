import { activeUsers, type Board, boardAt } from './boards.ts'
import { cleanText } from './clean-text.ts'
import type { Company } from './company.ts'
import { plainId } from './ids.ts'
import { hash, pick } from './random.ts'
import { emptyState, type State } from './state.ts'
import { emailOf, userAt } from './users.ts'
import { DEPARTMENTS, FIRST_NAMES } from './words.ts'

type Json = Record<string, unknown>

/** Who may open a board: a user of the account, somebody from outside, or a channel. */
interface Collaborator {
  h: number
  collaborator_id: string
  collaborator_name: string
  collaborator_type: 0 | 1 | 2
  role: number
  user_id?: string
  email?: string
  channel_id?: string
}

/** All that the list shows of a board, which ends at a thousand without a word. */
export function collaboratorsOf(company: Company, state: State, index: number): Collaborator[] {
  const board = boardAt(company, state, index)
  const patch = state.boards.patches.get(index)
  const count = patch?.collaborators ?? usualCount(board)
  return Array.from({ length: Math.min(count, MOST_SHOWN) }, (_, place) => {
    const h = hash(board.h, 6, place)
    const role =
      place === 0 ? 0 : place === 1 && h % 2 === 0 ? 1 : 2 + ((h + (patch?.roleShift ?? 0)) % 3)
    return { h, role, ...whoIs(company, board, { h, place }) }
  })
}

export function collaboratorItem(person: Collaborator): Json {
  const { h, ...fields } = person
  const empty = h % 2 === 0 ? null : undefined
  return {
    ...fields,
    user_id: fields.user_id ?? empty,
    email: fields.email ?? empty,
    channel_id: fields.channel_id ?? empty,
    ...(h % 3 === 0 ? { avatar: `https://pictures.svc.example/${String(h)}` } : {}),
  }
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
  }
}

/** One board in five hundred is open to more people than the list ever shows. */
function usualCount({ index, h }: Board): number {
  return index % 500 === 499 ? 1_100 : 1 + (hash(h, 5, 0) % 9)
}

/** The owner made the board. Colleagues follow in the order of the users, so that nobody comes twice. */
function whoIs(
  company: Company,
  board: Board,
  { h, place }: { h: number; place: number },
): Omit<Collaborator, 'h' | 'role'> {
  const id = plainId(board.h, 7, place)
  if (place > 0 && h % 12 === 1)
    return {
      collaborator_id: `chn-${id}`,
      collaborator_name: `#${pick(DEPARTMENTS, h >>> 5).toLowerCase()}`,
      collaborator_type: 2,
      channel_id: `ch-${id}`,
    }
  const users = activeUsers(company)
  if (place > 0 && (h % 5 === 0 || place >= users))
    return {
      collaborator_id: `ext-${id}`,
      collaborator_name: `${pick(FIRST_NAMES, h >>> 8)} (guest)${h % 97 === 0 ? ' \ud83c' : ''}`,
      collaborator_type: 1,
    }
  const index = (board.creator + place) % users
  const { id: user_id, first_name, last_name } = userAt(company, UNCHANGED, index)
  return {
    collaborator_id: `col-${user_id}`,
    collaborator_name: `${first_name} ${last_name}`,
    collaborator_type: 0,
    user_id,
    email: emailOf(company, index),
  }
}

const UNCHANGED = emptyState()
const MOST_SHOWN = 1_000
