import { DAY_MS } from '../../src/core/time/time.ts'
import { hash, pick } from '../base/random.ts'
import { HOUR_MS, isoSecond } from '../base/wire-time.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { TEAMS } from '../seed-data/words.ts'

/** Returns a minimal meeting, because the documents show no meeting. */
export function meetingItem(seedData: SeedData, state: SeedState, index: number): object {
  const h = hash(seedData.seed, 141, index)
  const patch = state.meetings.patches.get(index) ?? {}
  const createdMs = patch.createdMs ?? seedData.originMs - (1 + (h % 20)) * DAY_MS
  return {
    id: seedData.ids.meetings.of(index),
    host_id: seedData.ids.users.of(0),
    topic: patch.topic ?? `Weekly of ${pick(TEAMS, h >>> 5)}`,
    start_time: patch.start_time ?? isoSecond(createdMs + (24 + (h % 200)) * HOUR_MS),
    duration: patch.duration ?? 30,
    timezone: patch.timezone ?? 'UTC',
    agenda: patch.agenda ?? '',
    created_at: isoSecond(createdMs),
    join_url: `https://meet.example/m/${seedData.ids.meetings.of(index)}`,
  }
}
