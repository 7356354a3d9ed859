import type { Readings } from '../readings/readings.ts'

/** A message with its event named as the readings have it. */
export function spellNotice({ eventNames }: Pick<Readings, 'eventNames'>, body: string): string {
  if (eventNames === 'listed') return body
  return body.replace(/"event":"([^"]+)"/, (whole, name: string) => {
    const other = IN_EXAMPLES[name]
    return other === undefined ? whole : `"event":"${other}"`
  })
}

const IN_EXAMPLES: Readonly<Record<string, string>> = {
  'workspace.reservation_update': 'workspace.reservation_updated',
  'visitor_management.checked_in': 'visitor_management.invitation_checked_in',
}
