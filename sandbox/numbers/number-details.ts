import { hash, pick } from '../base/random.ts'
import { assignmentTruth, misspelling } from './number-assignments.ts'
import type { PhoneNumber } from './numbers.ts'

type Json = Record<string, unknown>

/** Returns the detail, which has more fields for each assignment. */
export function numberDetail(number: PhoneNumber, misspelt = true): Json {
  const assigned_list = number.assignments.map(({ wire }) => ({
    ...(misspelt ? misspelling(wire) : wire),
    ...beside(number, wire),
  }))
  return { ...number.item, assigned_list }
}

export function numberDetailTruth({ item }: PhoneNumber): Json {
  const { id, number, allocated_product, status } = item
  return { id, number, allocated_product, status }
}

export function assignmentDetailTruths(number: PhoneNumber): Json[] {
  const rows = assignmentTruth(number.item.id, number.assignments)
  return rows.map((row, at) => {
    const { display_number, label, ...rest } = beside(number, number.assignments[at]?.wire ?? {})
    const meeting = rest as Partial<ReturnType<typeof meetingFields>>
    return {
      ...row,
      display_number,
      label,
      meeting_id: meeting.meeting_id ?? null,
      greeting_id: meeting.greeting?.id ?? null,
      greeting_name: meeting.greeting?.name ?? null,
      on_hold_music_id: meeting.on_hold_music?.id ?? null,
      on_hold_music_name: meeting.on_hold_music?.name ?? null,
    }
  })
}

/**
 * Returns the fields that only the detail has. Only the meeting service has a meeting, a greeting and music.
 */
function beside({ h, item, label }: PhoneNumber, { assigned_to_type: type }: Json) {
  return {
    display_number: item.number,
    label: label ?? pick(LABELS, h >>> 6),
    ...(type === 'MeetingService' ? meetingFields(h) : {}),
  }
}

function meetingFields(h: number) {
  const music = hash(h, 3, 0) % 3
  return {
    meeting_id: String(90_000_000_000 + h),
    greeting: { id: `greet-${String(h % 4)}`, name: pick(['Standard', 'Holiday'], h) },
    // Some numbers have no music.
    ...(music === 0 ? {} : { on_hold_music: { id: `music-${String(music)}`, name: 'Waiting' } }),
  }
}

const LABELS = ['', 'Main line', 'Support', 'Front desk']
