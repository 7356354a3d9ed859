import { z } from 'zod'
import {
  type AccountRows,
  defineDesired,
  type NamedItem,
  type Placed,
  type PlanItem,
  presentItem,
  refusedItem,
  type TextRow,
} from '../../core/define/desired.ts'
import type { Operation } from '../../core/define/operation.ts'
import { phoneNumbers } from '../../resources/phone-numbers.ts'
import {
  addSmsConsentNumbers,
  removeSmsConsentNumbers,
  smsConsentNumbers,
  smsConsents,
} from '../../resources/sms-consents.ts'
import type { ConsentWish } from './consent-wish.ts'
import { consentsSheet } from './consents-sheet.ts'
import { findNumbers, type NumberName } from './find-numbers.ts'

const entry = z
  .strictObject({
    consent_id: z.string().min(1).optional(),
    consent_name: z.string().min(1).optional(),
    numbers: z.array(z.string().min(1)),
  })
  .refine(
    ({ consent_id: id, consent_name: name }) => id !== undefined || name !== undefined,
    'consent_id or consent_name is needed',
  )

/** Plans the numbers under a consent policy, from a complete list or a sheet's additions and removals. */
export const desiredConsents = defineDesired<ConsentWish>({
  name: 'consents',
  title: 'Numbers under SMS consent policies',
  entry,
  sheet: consentsSheet,
  reads: [phoneNumbers, smsConsents, smsConsentNumbers],
  writes: [addSmsConsentNumbers, removeSmsConsentNumbers],
  // Reads the policies completely, because numbers can be exchanged without any change in the policy itself.
  full: true,
  async plan(entries, live) {
    const policies = await live.rows({
      stream: smsConsents,
      columns: ['consent_id', 'consent_name'],
    })
    const wanted = entries.flatMap(({ entry: wish }) => namesIn(wish))
    const find = await findNumbers(wanted, live, [])
    const named = entries.map((placed) => ({ placed, policy: findPolicy(placed.entry, policies) }))
    const ids = named.flatMap(({ policy }) => ('why' in policy ? [] : policy.id))
    const members = await readMembers(ids, live)
    return named.flatMap(({ placed, policy }): PlanItem[] => {
      if (!('why' in policy))
        return planPolicy(placed, {
          ...policy,
          find,
          members: members.get(policy.id) ?? new Map(),
        })
      const what = placed.entry.consent_name ?? placed.entry.consent_id ?? ''
      return [refusedItem({ key: what, what, place: placed.place }, policy.why)]
    })
  },
})

interface Policy {
  id: string
  name: string
}

type Find = Awaited<ReturnType<typeof findNumbers>>

/** The policy's numbers: their text by their ID. */
type Members = ReadonlyMap<string, string>

function planPolicy(
  { place, entry: wish }: Placed<ConsentWish>,
  policy: Policy & { find: Find; members: Members },
): PlanItem[] {
  const { find, members } = policy
  const named = namesIn(wish).map((name) => ({ name, found: find(name) }))
  const kept = new Set(named.flatMap(({ found }) => ('row' in found ? (found.row.id ?? []) : [])))
  const put = named.map(({ name, found }): PlanItem => {
    const what = `${name.number ?? name.id ?? ''} under ${policy.name}`
    if ('why' in found) return refusedItem({ key: `${policy.id} ${what}`, what, place }, found.why)
    const { id, number } = { id: found.row.id ?? '', number: found.row.number ?? '' }
    const item = { key: `${policy.id} ${id}`, what: `${number} under ${policy.name}`, place }
    if (members.has(id)) return presentItem(item)
    return moving(item, { policy, id, number, action: 'add' })
  })
  return [...put, ...removals({ place, wish }, { ...policy, kept })]
}

/** Plans the removals: for a full list, of all other numbers; for a sheet, of those that it names. */
function removals(
  { place, wish }: { place: string; wish: ConsentWish },
  policy: Policy & { members: Members; kept: ReadonlySet<string> },
): PlanItem[] {
  const { members, kept } = policy
  const dropped = 'numbers' in wish ? [...members.keys()] : wish.drop
  return dropped
    .filter((id) => !kept.has(id))
    .map((id) => {
      const number = members.get(id) ?? id
      const item = { key: `${policy.id} ${id}`, what: `${number} under ${policy.name}`, place }
      const there = members.has(id)
      return there ? moving(item, { policy, id, number, action: 'remove' }) : presentItem(item)
    })
}

const MOVES = {
  add: { operation: addSmsConsentNumbers, details: 'put under the policy' },
  remove: { operation: removeSmsConsentNumbers, details: 'taken from under the policy' },
} as const satisfies Record<string, { operation: Operation; details: string }>

function moving(
  item: NamedItem,
  move: { policy: Policy; id: string; number: string; action: keyof typeof MOVES },
): PlanItem {
  const { policy, id, number, action } = move
  const { operation, details } = MOVES[action]
  const send = {
    operation,
    args: { path: { consentId: policy.id } },
    together: policy.id,
    most: MOST_AT_ONCE,
    member: id,
    body: (ids: readonly string[]) => ({ phone_number_ids: ids }),
  }
  return { ...item, action, details, sends: [send], namedAs: number }
}

function namesIn(wish: ConsentWish): NumberName[] {
  if ('numbers' in wish)
    return wish.numbers.map((word) => (word.startsWith('+') ? { number: word } : { id: word }))
  return [...wish.put]
}

function findPolicy(wish: ConsentWish, policies: readonly TextRow[]): Policy | { why: string } {
  const { consent_id: id, consent_name: name } = wish
  const same = policies.filter((row) =>
    id === undefined ? row.consent_name === name : row.consent_id === id,
  )
  const [first, ...more] = same
  if (first === undefined) return { why: 'the account has no such consent policy' }
  if (more.length > 0)
    return { why: `${same.length} policies are called so: name it by its consent_id` }
  const found = first.consent_id ?? ''
  return { id: found, name: first.consent_name ?? found }
}

async function readMembers(
  consents: readonly string[],
  { rows }: AccountRows,
): Promise<Map<string, Members>> {
  const found = await rows({
    stream: smsConsentNumbers,
    columns: ['consent_id', 'phone_number_id', 'phone_number'],
    by: { column: 'consent_id', values: consents },
  })
  const members = new Map<string, Map<string, string>>()
  for (const { consent_id: consent, phone_number_id: id, phone_number: number } of found) {
    const own = members.get(consent ?? '') ?? new Map<string, string>()
    members.set(consent ?? '', own.set(id ?? '', number ?? id ?? ''))
  }
  return members
}

/** The service accepts fewer than 200 numbers in one request. */
const MOST_AT_ONCE = 199
