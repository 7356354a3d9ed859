import { z } from 'zod'
import { defineOperation } from '../core/define/define-operation.ts'

/** Calls for the token's own user. The documents show no request and no answer, so any field is allowed. */
const common = {
  scopes: [],
  granularScopes: [],
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.looseObject({}),
  response: z.unknown(),
} as const

export const updateMe = defineOperation({
  ...common,
  id: 'me.update',
  summary: 'Change the user who owns the token',
  method: 'PATCH',
  path: '/users/me',
  body: z.looseObject({}),
  success: { status: 204 },
})

export const getMyToken = defineOperation({
  ...common,
  id: 'me.token',
  summary: 'Read a token of the user who owns this one',
  method: 'GET',
  path: '/users/me/token',
})

export const listMyMeetings = defineOperation({
  ...common,
  id: 'me.meetings.list',
  summary: 'List the meetings of the user who owns the token',
  method: 'GET',
  path: '/users/me/meetings',
})

export const createMyMeeting = defineOperation({
  ...common,
  id: 'me.meetings.create',
  summary: 'Create a meeting of the user who owns the token',
  method: 'POST',
  path: '/users/me/meetings',
  body: z.looseObject({}),
  success: { status: 201 },
})
