import type { Answering, Call } from './call.ts'
import { filtered } from './listing.ts'
import { answerList } from './paging.ts'
import { badParameter, refuse } from './refusal.ts'
import type { UserStatus } from './state.ts'
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

function listUsers(call: Call): Record<string, unknown> {
  const { company, query } = call
  const status = query.get('status') ?? 'active'
  const role = query.get('role_id')
  if (!isStatus(status)) throw badParameter('status', 'must be active, inactive or pending')
  const rules = { items: 'users', maximum: 300, tokenCode: 300, total: true, legacyPages: true }
  return answerList(call, rules, () => ({
    listing: (state) => {
      const all = users.usersOfStatus(company, state, status)
      if (role === undefined) return all
      return filtered(all, (index) => users.userAt(company, state, index).role_id === role)
    },
    item: (state, index) => users.userListItem(users.userAt(company, state, index)),
  }))
}

/**
 * Takes an ID or an address; an invited person who has come since answers to the address as who they are
 * now.
 */
function getUser(call: Call): Record<string, unknown> {
  const { company, path } = call
  const { state } = company
  const asked = path.userId ?? ''
  const index =
    asked === 'me'
      ? 0
      : asked.includes('@')
        ? users.userIndexOfEmail(company, asked)
        : company.ids.users.indexOf(asked)
  if (index === undefined || index >= users.userCount(company, state))
    throw refuse(404, 1001, `User does not exist: ${asked}.`)
  if (!state.users.gone.has(index))
    return users.userDetail(company, users.userAt(company, state, index))
  // The service has two ways to say that somebody has left.
  throw index % 2 === 0
    ? refuse(404, 1001, `User does not exist: ${asked}.`)
    : refuse(400, 1120, 'Invalid user: the user does not belong to this account.')
}

function isStatus(text: string): text is UserStatus {
  return text === 'active' || text === 'inactive' || text === 'pending'
}
