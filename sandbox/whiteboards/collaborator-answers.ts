import { z } from 'zod'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import type { AddedMember, PeopleChanges } from '../seed-data/board-patches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { userAt, userCount, userIndexOfEmail } from '../users/users.ts'
import { collaboratorItem, collaboratorsOf, everybodyOn } from './board-people.ts'
import { grant, type RoleRequest, removeCollaborator } from './people-changes.ts'
import { contentForbidden, reachBoard } from './reach-board.ts'

const common = { parameters: [], parameterCode: 34_002 } as const
const reads = ['whiteboard_collaborator:read:admin', 'whiteboard_collaborator:read']
const writes = ['whiteboard_collaborator:write:admin', 'whiteboard_collaborator:write']

export const collaboratorAnswers: Readonly<Record<string, Answering>> = {
  'whiteboard_collaborators.list': {
    ...common,
    scopes: reads,
    granularScopes: [
      'whiteboard:read:list_collaborators:admin',
      'whiteboard:read:list_collaborators',
    ],
    answer: (call) =>
      collaboratorsOf(call.seedData, call.seedData.state, boardFor(call, 'list')).map(
        collaboratorItem,
      ),
  },
  'whiteboard_collaborators.add': {
    ...common,
    scopes: writes,
    granularScopes: ['whiteboard:write:collaborator:admin', 'whiteboard:write:collaborator'],
    status: 201,
    answer: share,
  },
  'whiteboard_collaborators.update': {
    ...common,
    scopes: writes,
    granularScopes: ['whiteboard:update:collaborator:admin', 'whiteboard:update:collaborator'],
    status: 204,
    answer: changeRoles,
  },
  'whiteboard_collaborators.remove': {
    ...common,
    scopes: writes,
    granularScopes: ['whiteboard:delete:collaborator:admin', 'whiteboard:delete:collaborator'],
    status: 204,
    answer: remove,
  },
}

/**
 * Shares a board. An existing collaborator gets the new role. All get access, and the response shows at most
 * a hundred of them. The message is ignored, because nobody is invited.
 */
function share(call: SandboxCall): object {
  const { seedData } = call
  const index = boardFor(call, 'add')
  const { collaborators } = readBody(call, SHARED, INVALID)
  const wishes = collaborators.map(({ email = '', channel_id = '', role }, place): RoleRequest => {
    const own = email === '' ? 'channel_id' : 'email'
    const who = email === '' ? channelOn(seedData, index, channel_id) : whoHas(seedData, email)
    return { who, role, field: `collaborators.${String(place)}.${own}` }
  })
  const { people, ids } = grant(seedData, index, wishes)
  change(call, index, people)
  const after = new Map(
    everybodyOn(seedData, seedData.state, index).map((person) => [person.collaborator_id, person]),
  )
  return ids
    .flatMap((id) => after.get(id) ?? [])
    .slice(0, MOST_ANSWERED)
    .map((person) => withoutEmail(collaboratorItem(person)))
}

function changeRoles(call: SandboxCall): undefined {
  const index = boardFor(call, 'update')
  const { collaborators } = readBody(call, ROLES, INVALID)
  const wishes = collaborators.map(({ collaborator_id: who, role }, place): RoleRequest => {
    return { who, role, field: `collaborators.${String(place)}.collaborator_id` }
  })
  change(call, index, grant(call.seedData, index, wishes).people)
}

function remove(call: SandboxCall): undefined {
  const index = boardFor(call, 'delete')
  change(call, index, removeCollaborator(call.seedData, index, call.path.collaboratorId ?? ''))
}

/** Changes a board's collaborators. The board's modification date, which concerns the drawing, stays. */
function change(call: SandboxCall, index: number, people: PeopleChanges): void {
  call.change([{ kind: 'boards', action: 'change', index, patch: { people } }])
}

function boardFor(call: SandboxCall, what: keyof typeof ADMIN): number {
  return reachBoard(call, { shut: contentForbidden(), admin: ADMIN[what] })
}

/**
 * Returns the user with an address. Any other person is an outsider, and so is an invited person who has not
 * joined.
 */
function whoHas(seedData: SeedData, email: string): AddedMember {
  const { state } = seedData
  const user = userIndexOfEmail(seedData, email)
  const there =
    user !== undefined &&
    user < userCount(seedData, state) &&
    !state.users.gone.has(user) &&
    userAt(seedData, state, user).status !== 'pending'
  return there ? { user } : { email: email.toLowerCase() }
}

/** Returns a channel; any ID is accepted, because no document lists channels. */
function channelOn(seedData: SeedData, index: number, channel: string): string | AddedMember {
  const people = everybodyOn(seedData, seedData.state, index)
  return people.find((one) => one.channel_id === channel)?.collaborator_id ?? { channel }
}

function withoutEmail({ email: _email, ...item }: Record<string, unknown>): object {
  return item
}

const INVALID = 34002
const MOST_ANSWERED = 100
const ROLE = z.int().min(0).max(4)
/** Of `email` and `channel_id`, the unused field may be empty. */
const SHARED = z.strictObject({
  collaborators: z
    .array(
      z
        .strictObject({
          email: z.union([z.literal(''), z.email()]).optional(),
          channel_id: z.string().optional(),
          role: ROLE,
        })
        .refine(
          ({ email = '', channel_id = '' }) => (email === '') !== (channel_id === ''),
          'must have either email or channel_id',
        ),
    )
    .min(1),
  invite_message: z.string().optional(),
  skip_notifications: z.boolean().optional(),
})
const ROLES = z.strictObject({
  collaborators: z.array(z.strictObject({ collaborator_id: z.string(), role: ROLE })).min(1),
})
const ADMIN = {
  list: ['whiteboard_collaborator:read:admin', 'whiteboard:read:list_collaborators:admin'],
  add: ['whiteboard_collaborator:write:admin', 'whiteboard:write:collaborator:admin'],
  update: ['whiteboard_collaborator:write:admin', 'whiteboard:update:collaborator:admin'],
  delete: ['whiteboard_collaborator:write:admin', 'whiteboard:delete:collaborator:admin'],
}
