import { z } from 'zod'
import { type EventDefinition, integer, type Says, text } from './definition.ts'

const people = {
  visitor_email: text(),
  visitor_name: text(),
  host_id: text(),
  host_name: text(),
  host_email: text(),
  invite_location_id: text(),
}
const times = { start_time: integer(), end_time: integer() }
const invitation = z.looseObject({ invitation_id: text(), ...people, ...times })
const visit = z.looseObject({ ...people, ...times })

/** The documents give deletion and visit events no invitation ID. Without one they change no state. */
export const VISITOR_EVENTS: readonly EventDefinition[] = [
  { event: 'visitor_management.invitation_created', fields: invitation, says: says('open', 0) },
  { event: 'visitor_management.invitation_updated', fields: invitation, says: says('open', 1) },
  {
    event: 'visitor_management.invitation_deleted',
    fields: z.looseObject(people),
    says: says('deleted', 4),
  },
  // The documents do not give this name; `docs/readings.md` explains it.
  { event: 'visitor_management.checked_in', fields: visit, says: says('checked_in', 2) },
  { event: 'visitor_management.checked_out', fields: visit, says: says('checked_out', 3) },
]

function says(state: string, rank: number): Says {
  return { thing: 'invitation', key: ['invitation_id'], state, rank }
}
