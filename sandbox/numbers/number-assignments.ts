import { hash, pick } from '../base/random.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { emptyState, type NumberPatch, type SeedState } from '../seed-data/state.ts'
import { userAt } from '../users/users.ts'

type Json = Record<string, unknown>

export interface Assignment {
  wire: Json
}

/**
 * Returns a number's assignments: most phone numbers have one, contact-center numbers have usages, named by
 * codes, and unallocated numbers have none.
 */
export function assignmentsOf(
  seedData: SeedData,
  facts: { index: number; h: number; product: string; patch: NumberPatch },
): Assignment[] {
  const { index, h, product, patch } = facts
  if (product === 'UNALLOCATED') return []
  if (patch.assignee === null || (patch.freed === true && patch.assignee === undefined)) return []
  if (product === 'SVC_CONTACT_CENTER') return contactUses(h)
  const extension_number = String(1000 + index)
  if (patch.assignee !== undefined) return [toUser(seedData, patch.assignee, extension_number)]
  if (h % 11 === 0) return []
  if (h % 4 !== 0) {
    const active = Math.floor(seedData.sizes.users * 0.8)
    // One in twelve numbers is still assigned to a deactivated user.
    const user =
      h % 12 === 5
        ? active + (hash(h, 2, 0) % Math.max(1, Math.floor(seedData.sizes.users * 0.12)))
        : hash(h, 2, 0) % Math.max(1, active)
    return [toUser(seedData, user, extension_number)]
  }
  const type = pick(OTHER_TYPES, h >>> 10)
  const wire: Json = {
    assigned_to_id: `${type.toLowerCase()}-${String(h % 500)}`,
    assigned_to_name: `${type} ${String(h % 500)}`,
    assigned_to_type: type,
  }
  return [{ wire: h % 5 === 0 ? wire : { ...wire, extension_number } }]
}

/** Misspells the field with an assignment's name, as documented for the detail. */
export function misspelling({ assigned_to_name, ...rest }: Json): Json {
  return { ...rest, assgined_to_name: assigned_to_name }
}

export function assignmentTruth(numberId: unknown, assignments: readonly Assignment[]): Json[] {
  const seen = new Map<string, number>()
  return assignments.map(({ wire }) => {
    const key = {
      phone_number_id: numberId,
      assigned_to_type: wire.assigned_to_type ?? '',
      assigned_to_id: wire.assigned_to_id ?? '',
      source_channel: wire.source_channel ?? '',
    }
    const ordinal = seen.get(JSON.stringify(key)) ?? 0
    seen.set(JSON.stringify(key), ordinal + 1)
    return {
      ...key,
      ordinal: String(ordinal),
      assigned_to_name: wire.assigned_to_name ?? null,
      extension_number: wire.extension_number ?? null,
    }
  })
}

function toUser(seedData: SeedData, user: number, extension_number: string): Assignment {
  // Uses the name at the time of the assignment, which later changes of the person do not affect.
  const { id, first_name, last_name } = userAt(seedData, UNCHANGED, user)
  return {
    wire: {
      assigned_to_id: id,
      assigned_to_name: `${first_name} ${last_name}`,
      assigned_to_type: 'User',
      extension_number,
    },
  }
}

/** Draws usages by code: 2 dial-in, 3 system SMS, 4 default caller ID, 8 agent SMS, which may occur twice. */
function contactUses(h: number): Assignment[] {
  const uses: Assignment[] = []
  const add = (code: string, name: string, source_channel: string): void => {
    uses.push({ wire: { assigned_to_id: code, assigned_to_name: name, source_channel } })
  }
  if (h % 3 !== 0) add('4', 'Default caller ID', 'Voice')
  if (h % 5 === 0) add('2', 'Dial-in', 'Voice')
  if (h % 7 === 0) add('3', 'System SMS', 'SMS')
  if (h % 20 === 0) add('8', 'Agent SMS', 'SMS')
  if (h % 60 === 0) add('8', 'Agent SMS, second desk', 'SMS')
  return uses
}

const UNCHANGED: SeedState = emptyState()

const OTHER_TYPES = [
  'CallQueue',
  'AutoReceptionist',
  'SharedLineGroup',
  'CommonArea',
  'GroupCallPickup',
  'DistributionGroup',
  'PersonalLocation',
  'LocalSurvivability',
  'LocalSurvivabilityEmergencyNumberPool',
  'PartnerResourceAccount',
  'CompanyLocation',
  'MeetingService',
  'PartnerRoom',
  'EmergencyNumberPool',
]
