import { isGranted, type SandboxCall } from '../protocol/call.ts'
import { CALLER } from '../users/users.ts'
import { participantsOf } from './whiteboard-people.ts'
import type { Whiteboard } from './whiteboards.ts'

/**
 * Returns which archived sessions a caller may see: all with `whiteboard_content:read:admin` or one of the
 * `admin` scopes, otherwise those in which the token's owner, the account's first user, took part.
 */
export function archivesShown(
  call: SandboxCall,
  admin: readonly string[],
): 'all' | ((board: Whiteboard) => boolean) {
  if (isGranted(call, ['whiteboard_content:read:admin', ...admin])) return 'all'
  const { seedData } = call
  const own = seedData.ids.users.of(CALLER)
  return (board) => participantsOf(seedData, board).some(({ user_id }) => user_id === own)
}
