import type { Words } from '../../core/define/own-words.ts'
import { EVENTS } from '../../core/events/events.ts'
import { likeEvent } from '../../core/events/words.ts'
import type { NotificationStatus } from '../../service/notices/notification-status.ts'
import { calledAs } from '../frame/called-as.ts'
import { count, duration, type Output } from '../frame/output.ts'

/** What came in by itself, and who waits to be erased; nothing where nobody has told us anything. */
export function printNotifications(
  output: Output,
  { stored, odd, unknown, lastAt, erasures }: NotificationStatus,
  { nowMs, words }: { nowMs: number; words: Words | undefined },
): void {
  if (stored > 0) {
    const remarks = odd.map(({ state, count: few }) => `${count(few)} ${WORDS[state] ?? state}`)
    const last = `the last ${since(lastAt, nowMs)} ago`
    output.line(`\nNotifications of 30 days: ${[count(stored), last, ...remarks].join(', ')}`)
  }
  // What came before its words were named stays kept as it came.
  const unnamed = unknown.filter((event) => !EVENTS.has(words?.neutral(event) ?? event))
  const [alike] = unnamed.flatMap((event) => {
    const named = likeEvent(event)
    return named === undefined ? [] : [`${event} seems to be ${named}`]
  })
  if (alike !== undefined) output.line(`${alike}: name the service's words in accounts[].words`)
  if (erasures.waiting === 0) return
  const people = erasures.waiting === 1 ? '1 person' : `${count(erasures.waiting)} persons`
  output.line(
    `${people} must be erased, the first by ${erasures.firstDueAt ?? ''}: ` +
      `${calledAs('callsheet')} erase --due --dry-run says what would go`,
  )
}

function since(instant: string | undefined, nowMs: number): string {
  return duration(Math.max(0, nowMs - Date.parse(instant ?? '')))
}

const WORDS: Readonly<Record<string, string>> = {
  ahead: 'with a time in the future',
  unknown: 'that no document names',
  foreign: 'of other accounts or apps',
  unparsed: 'that could not be read',
}
