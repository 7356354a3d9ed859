import { translateEvent } from '../forms/translate-words.ts'
import type { Readings } from '../readings/readings.ts'

type Spelling = Pick<Readings, 'eventNames' | 'words'>

/** Renames the event of a message by the readings. */
export function spellNotice(readings: Spelling, body: string): string {
  return body.replace(/"event":"([^"]+)"/, (_all, name: string) => {
    const listed = readings.eventNames === 'listed'
    const event = listed ? name : (IN_EXAMPLES[name] ?? name)
    return `"event":"${translateEvent(readings, event)}"`
  })
}

const IN_EXAMPLES: Readonly<Record<string, string>> = {
  'workspace.reservation_update': 'workspace.reservation_updated',
  'visitor_management.checked_in': 'visitor_management.invitation_checked_in',
}
