import { isGranted, type SandboxCall } from '../protocol/call.ts'
import { refuse, type SandboxRefusal } from '../protocol/refusal.ts'
import { everybodyOn } from './board-people.ts'
import { boardAt, boardCount, isWithheld, ownerOf } from './boards.ts'

/** The token's owner, who is the account's first user. */
export const CALLER = 0

/**
 * Returns the board that the path names, or throws the refusal. `admin` names the scopes that open every
 * board of the account; without any of them, a caller reaches their own boards and those shared with them.
 */
export function reachBoard(
  call: SandboxCall,
  rules: { shut: SandboxRefusal; admin?: readonly string[] | undefined },
): number {
  const { seedData, path } = call
  const { state } = seedData
  const index = seedData.ids.boards.indexOf(path.whiteboardId ?? '')
  const known = index !== undefined && index < boardCount(seedData, state)
  if (!known || state.boards.gone.has(index)) throw refuse(404, 34007, 'Whiteboard not found.')
  if (isWithheld(state, index)) throw rules.shut
  const all = rules.admin === undefined || isGranted(call, rules.admin)
  if (!all && !isCallers(call, index)) throw rules.shut
  return index
}

/** Returns the refusal for collaborators and content of a board. */
export function contentForbidden(): SandboxRefusal {
  return refuse(403, 111804, 'You need permission to access this document.')
}

/** Returns the refusal for changes of the board itself. */
export function changeForbidden(): SandboxRefusal {
  return refuse(403, 34009, 'You have no permission on this whiteboard.')
}

function isCallers({ seedData }: SandboxCall, index: number): boolean {
  const { state, ids } = seedData
  if (ownerOf(state, boardAt(seedData, state, index)) === CALLER) return true
  const id = ids.users.of(CALLER)
  return everybodyOn(seedData, state, index).some(({ user_id }) => user_id === id)
}
