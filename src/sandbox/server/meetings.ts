import { DAY_MS } from '../../core/time/time.ts'
import { hash, pick } from '../base/random.ts'
import { HOUR_MS, isoSecond } from '../base/wire-time.ts'
import type { Company } from '../company/company.ts'
import type { State } from '../company/state.ts'
import { TEAMS } from '../company/words.ts'

/** The documents do not show what a meeting looks like: this is the least that makes one. */
export function meetingItem(company: Company, state: State, index: number): object {
  const h = hash(company.seed, 141, index)
  const patch = state.meetings.patches.get(index) ?? {}
  const createdMs = patch.createdMs ?? company.originMs - (1 + (h % 20)) * DAY_MS
  return {
    id: company.ids.meetings.of(index),
    host_id: company.ids.users.of(0),
    topic: patch.topic ?? `Weekly of ${pick(TEAMS, h >>> 5)}`,
    start_time: patch.start_time ?? isoSecond(createdMs + (24 + (h % 200)) * HOUR_MS),
    duration: patch.duration ?? 30,
    timezone: patch.timezone ?? 'UTC',
    agenda: patch.agenda ?? '',
    created_at: isoSecond(createdMs),
    join_url: `https://meet.example/m/${company.ids.meetings.of(index)}`,
  }
}
