import { addOddText } from '../base/clean-text.ts'
import { pick } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import { plainId } from '../seed-data/ids.ts'
import { FIRST_NAMES, LAST_NAMES } from '../seed-data/words.ts'
import type { Happening, Scenario, Scene } from './happening.ts'

/** A visitor is invited, gets another time, comes and goes. */
const visit: Scenario = (scene) => {
  const [first, moved] = [invitation(scene, 0), invitation(scene, 1)]
  const { invitation_id: _id, ...there } = moved
  return [
    { ...told(scene, 'invitation_created'), object: first, now: standing(first, 'open') },
    { ...told(scene, 'invitation_updated'), object: moved, now: standing(first, 'open') },
    { ...told(scene, 'checked_in'), object: there },
    { ...told(scene, 'checked_out'), object: there },
  ]
}

/** The deletion event does not say which invitation it concerns. */
const calledOff: Scenario = (scene) => {
  const invited = invitation(scene, 0)
  const { invitation_id: _id, start_time: _start, end_time: _end, ...people } = invited
  return [
    { ...told(scene, 'invitation_created'), object: invited, now: standing(invited, 'open') },
    { ...told(scene, 'invitation_deleted'), object: people },
  ]
}

export const VISITS = { visit, 'called-off-visit': calledOff }

function told({ operator }: Scene, name: string): Omit<Happening, 'object'> {
  return { event: `visitor_management.${name}`, timed: 'integer', operator }
}

function standing({ invitation_id }: { invitation_id: string }, state: string) {
  return { thing: 'invitation', key: [invitation_id], state }
}

function invitation({ seedData, index, h, host, nowMs }: Scene, movedHours: number) {
  const name = `${pick(FIRST_NAMES, h >>> 3)} ${pick(LAST_NAMES, h >>> 7)}`
  const startMs = nowMs + (24 + movedHours) * HOUR_MS
  return {
    invitation_id: plainId(seedData.idSeed, 0xe1, index),
    visitor_email: `Visitor.${index}@Guests.example`,
    visitor_name: addOddText(name, h),
    host_id: host.id,
    host_name: host.display_name,
    host_email: host.email,
    invite_location_id: plainId(seedData.idSeed, 0xe2, index % 9),
    start_time: startMs,
    end_time: startMs + HOUR_MS,
  }
}
