import { z } from 'zod'
import type { Op } from '../protocol/apply-ops.ts'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { findRow, rowsOf } from '../protocol/find-row.ts'
import { answerList } from '../protocol/paging.ts'
import { refuse } from '../protocol/refusal.ts'
import { consentAt, consentDetail, consentItem } from './consents.ts'
import * as rules from './number-rules.ts'

const granular = (verb: string) => [`number_management:${verb}:sms_consent:admin`]

export const consentAnswers: Readonly<Record<string, Answering>> = {
  'sms_consents.list': {
    ...rules.numberReads,
    parameters: rules.PAGE,
    granularScopes: granular('read'),
    answer: (call) => {
      if (call.readings.consentList === 'elsewhere') throw refuse(404, 404, 'No such path.')
      return answerList(call, rules.pageRules('sms_consent', 300), () => ({
        listing: (state) => rowsOf(call.seedData, state, 'consents'),
        item: (state, index) => consentItem(consentAt(call.seedData, state, index)),
      }))
    },
  },
  'sms_consents.create': {
    ...rules.numberWrites,
    granularScopes: granular('write'),
    status: 201,
    answer: createConsent,
  },
  'sms_consents.delete': {
    ...rules.numberWrites,
    granularScopes: granular('delete'),
    status: 204,
    answer: deleteConsents,
  },
  'sms_consents.get': {
    ...rules.numberReads,
    parameters: [],
    granularScopes: granular('read'),
    answer: (call) => detailOf(call, consentOf(call, call.path.consentId)),
  },
  'sms_consents.update': {
    ...rules.numberWrites,
    granularScopes: granular('update'),
    status: 204,
    answer: updateConsent,
  },
}

export function consentOf(call: SandboxCall, id: string | undefined): number {
  const index = findRow(call, 'consents', id)
  if (index === undefined) throw refuse(404, 1002013, 'The consent does not exist.')
  return index
}

function detailOf({ seedData }: SandboxCall, index: number): object {
  return consentDetail(seedData, consentAt(seedData, seedData.state, index))
}

function createConsent(call: SandboxCall): object {
  const fields = readBody(call, NEW, MISMATCH)
  const times = { createdMs: call.nowMs, modifiedMs: call.nowMs }
  const [touched] = call.change([
    { kind: 'consents', action: 'add', patch: { ...fields, ...times } },
  ])
  return detailOf(call, touched?.index ?? 0)
}

function deleteConsents(call: SandboxCall): undefined {
  const { consent_ids } = readBody(call, IDS, rules.INVALID)
  const indexes = new Set(consent_ids.map((id) => consentOf(call, id)))
  call.change([...indexes].map((index): Op => ({ kind: 'consents', action: 'remove', index })))
  return undefined
}

/** Changes the given fields of a policy and its messages; omitted fields stay unchanged. */
function updateConsent(call: SandboxCall): undefined {
  const { seedData, nowMs } = call
  const index = consentOf(call, call.path.consentId)
  const { in_out_bound: said, ...fields } = readBody(call, CHANGES, rules.INVALID)
  const { in_out_bound: before } = consentAt(seedData, seedData.state, index).fields
  const messages = said === undefined ? {} : { in_out_bound: overlaid(before, said) }
  const patch = { ...fields, ...messages, modifiedMs: nowMs }
  call.change([{ kind: 'consents', action: 'change', index, patch }])
  return undefined
}

function overlaid(before: Record<string, unknown>, said: Record<string, object | undefined>) {
  const after = { ...before }
  for (const [part, fields] of Object.entries(said))
    after[part] = { ...(before[part] as object), ...fields }
  return after
}

/** The code for an invalid body. Only the creation of a policy has it. */
const MISMATCH = 1002
const keywords = z.array(z.string())
const optIn = z.strictObject({ prompt: z.string(), keywords, confirmation_message: z.string() })
const reply = z.strictObject({ message: z.string(), keywords })
const disclaimer = z.strictObject({ enable: z.boolean(), message: z.string() })
const NEW = z.strictObject({
  consent_name: z.string().min(1),
  description: z.string().optional(),
  status: z.boolean(),
  in_out_bound: z.strictObject({
    opt_in_message: optIn,
    opt_out_message: reply,
    help_message: reply,
    disclaimer,
  }),
})
const CHANGES = NEW.extend({
  in_out_bound: z
    .strictObject({
      opt_in_message: optIn.partial(),
      opt_out_message: reply.partial(),
      help_message: reply.partial(),
      disclaimer: disclaimer.partial(),
    })
    .partial(),
}).partial()
const IDS = z.strictObject({ consent_ids: z.array(z.string()).min(1) })
