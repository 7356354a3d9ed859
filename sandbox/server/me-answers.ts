import { z } from 'zod'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { rowsOf } from '../protocol/find-row.ts'
import { answerList } from '../protocol/paging.ts'
import { refuse } from '../protocol/refusal.ts'
import { plainId } from '../seed-data/ids.ts'
import { CALLER } from '../users/users.ts'
import { meetingItem } from './meetings.ts'

const common = { parameters: [], parameterCode: 300, scopes: [], granularScopes: [] }

/**
 * Answers four operations for which the documents show no requests, responses or scopes. The fields are
 * invented.
 */
export const meAnswers: Readonly<Record<string, Answering>> = {
  'me.update': { ...common, status: 204, answer: updateMe },
  'me.token': { ...common, answer: tokenOfMine },
  'me.meetings.list': {
    ...common,
    parameters: ['page_size', 'next_page_token'],
    answer: listMeetings,
  },
  'me.meetings.create': { ...common, status: 201, answer: createMeeting },
}

/** Changes the given fields; omitted fields stay unchanged. */
function updateMe(call: SandboxCall): undefined {
  const index = callerOf(call)
  const patch = readBody(call, z.strictObject(CHANGES).partial(), 300)
  call.change([{ kind: 'users', action: 'change', index, patch }])
}

function tokenOfMine(call: SandboxCall): object {
  const index = callerOf(call)
  return { token: `sbx-user.${plainId(call.seedData.idSeed + index, 0x3e, call.serial)}` }
}

function listMeetings(call: SandboxCall): object {
  callerOf(call)
  const { seedData } = call
  const rules = { items: 'meetings', maximum: 300, tokenCode: 300, total: true }
  return answerList(call, rules, () => ({
    listing: (state) => rowsOf(seedData, state, 'meetings'),
    item: (state, index) => meetingItem(seedData, state, index),
  }))
}

function createMeeting(call: SandboxCall): object {
  callerOf(call)
  const fields = readBody(call, z.strictObject(NEW_MEETING), 300)
  const patch = { ...fields, createdMs: call.nowMs }
  const [touched] = call.change([{ kind: 'meetings', action: 'add', patch }])
  return meetingItem(call.seedData, call.seedData.state, touched?.index ?? 0)
}

function callerOf({ seedData }: SandboxCall): number {
  if (seedData.state.users.gone.has(CALLER)) throw refuse(404, 1001, 'User does not exist: me.')
  return CALLER
}

const CHANGES = {
  first_name: z.string().min(1),
  last_name: z.string().min(1),
  display_name: z.string().min(1),
  dept: z.string(),
  job_title: z.string(),
  company: z.string(),
  location: z.string(),
  language: z.string().min(1),
  timezone: z.string().min(1),
}
const NEW_MEETING = {
  topic: z.string().min(1),
  start_time: z.iso.datetime({ offset: true }).optional(),
  duration: z.int().min(1).optional(),
  timezone: z.string().min(1).optional(),
  agenda: z.string().optional(),
}
