import { type Answering, isGranted, type SandboxCall } from '../protocol/call.ts'
import { filtered, joined } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import type { UserStatus } from '../seed-data/state.ts'
import { userDetail } from './user-details.ts'
import * as users from './users.ts'

export const userAnswers: Readonly<Record<string, Answering>> = {
  'users.list': {
    parameters: ['status', 'role_id', 'page_size', 'next_page_token', 'page_number'],
    parameterCode: 300,
    scopes: ['user:read:admin', 'user:read'],
    granularScopes: ['user:read:list_users:admin'],
    answer: listUsers,
  },
  'users.get': {
    parameters: [],
    parameterCode: 300,
    scopes: ['user:read:admin', 'user:read'],
    granularScopes: ['user:read:user:admin', 'user:read:user'],
    answer: getUser,
  },
}

/** Lists users. Without an admin scope it shows only the token's owner. */
function listUsers(call: SandboxCall): Record<string, unknown> {
  const { seedData, query } = call
  const status = query.get('status')
  const role = query.get('role_id')
  if (status !== undefined && !isStatus(status))
    throw badParameter('status', 'must be active, inactive or pending')
  const { moreStatuses, statusFilter } = call.readings
  const heeded = statusFilter === 'heeded' || statusFilter === 'unsaid'
  const usual: readonly UserStatus[] = moreStatuses === 'active' ? ['active'] : ALL
  const shown = !heeded ? ALL : status !== undefined ? [status] : usual
  const everyone = isGranted(call, ['user:read:admin', 'user:read:list_users:admin'])
  const rules = { items: 'users', maximum: 300, tokenCode: 300, total: true, legacyPages: true }
  return answerList(call, rules, () => ({
    listing: (state) => {
      const all = joined(shown.map((one) => users.usersOfStatus(seedData, state, one)))
      const own = everyone ? all : filtered(all, (index) => index === users.CALLER)
      if (role === undefined) return own
      return filtered(own, (index) => users.userAt(seedData, state, index).role_id === role)
    },
    item: (state, index) => {
      const user = users.userAt(seedData, state, index)
      const item = users.userListItem(user)
      if (statusFilter === 'heeded') return item
      return { ...item, status: statusFilter === 'unheeded' ? user.status : undefined }
    },
  }))
}

/** Finds a user by ID or address. An invited person has the same address before and after joining. */
function getUser(call: SandboxCall): Record<string, unknown> {
  const { seedData, path } = call
  const { state } = seedData
  const asked = path.userId ?? ''
  const index =
    asked === 'me'
      ? users.CALLER
      : asked.includes('@')
        ? users.userIndexOfEmail(seedData, asked)
        : seedData.ids.users.indexOf(asked)
  if (index === undefined || index >= users.userCount(seedData, state))
    throw refuse(404, 1001, `User does not exist: ${asked}.`)
  if (index !== users.CALLER && !isGranted(call, ['user:read:admin', 'user:read:user:admin']))
    throw refuse(403, 403, 'Without an admin scope only the user of the token can be read.')
  if (!state.users.gone.has(index))
    return userDetail(seedData, users.userAt(seedData, state, index))
  // The service has two refusals for a user who has left.
  throw index % 2 === 0
    ? refuse(404, 1001, `User does not exist: ${asked}.`)
    : refuse(400, 1120, 'Invalid user: the user does not belong to this account.')
}

const ALL: readonly UserStatus[] = ['active', 'inactive', 'pending', 'suspended']

function isStatus(text: string): text is UserStatus {
  return text === 'active' || text === 'inactive' || text === 'pending'
}
