import { createTask, validateDetailed } from 'node-cron'
import { ConfigurationError } from '../../core/errors/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'

/** When a job is due: a cron expression, read in a time zone. */
export interface Due {
  schedule: string
  timezone: string
}

/** Refuses an expression that node-cron would, by the name of the job that it belongs to. */
export function checkSchedule(job: string, { schedule }: Due): void {
  const { valid, errors } = validateDetailed(schedule)
  if (valid) return
  throw new ConfigurationError('schedule_invalid', {
    tried: `Reading the schedule of job ${job}`,
    expected: 'minute hour day month weekday, e.g. "0 2 * * *"',
    came:
      errors.map(({ message }) => message.replace('is a invalid', 'is not a valid')).join('; ') ||
      'something else',
    todo: `change jobs.${job}.schedule`,
  })
}

/** The last due time at or before `nowMs`, if there was one within a year and a month. */
export function lastDue({ schedule, timezone }: Due, nowMs: number): number | undefined {
  const task = createTask(schedule, () => {}, { timezone })
  try {
    // Backwards minute by minute: 10 µs each, so a daily job takes some milliseconds and a yearly one some
    // seconds.
    for (let ms = nowMs - (nowMs % MINUTE_MS); ms > nowMs - 400 * DAY_MS; ms -= MINUTE_MS)
      if (task.match(new Date(ms))) return ms
    return undefined
  } finally {
    void task.destroy()
  }
}

const MINUTE_MS = 60_000
