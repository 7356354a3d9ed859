import { expect, it } from 'vitest'
import { jobs, reportJobs } from '../../src/account/catalog.ts'
import { cron } from '../../src/config/fields.ts'
import { taskSettings } from '../../src/config/serve-settings.ts'

function refusal(schedule: string): string {
  const { error } = cron().safeParse(schedule)
  return error?.issues.map(({ message }) => message).join('\n') ?? 'taken'
}

it.each([
  '0 0 13 * 5',
  '0 0 13 * FRI',
  '0 0 13 * friday',
  '30 2 1,15 * 1-5',
  '0 0 1-7 * Mon',
  '0 0 */2 * 5',
  '0 0 13 * */2',
  '0 0 13 OCT MON-FRI',
  '0 0 L * 5',
  '0 0 15W * 5',
  '0 0 13 * 5#2',
  '0 0 13 * 5L',
  // Fields that list every day: cron then runs daily, whatever the other field says.
  '0 0 1-31 * 5',
  '0 0 13 * 0-6',
  '0 0 13 * 1-7',
  '0 0 13 * *,5',
])('a schedule with both days of the month and weekdays is rejected: %s', (schedule) => {
  expect(refusal(schedule)).toMatch(/days of the month or weekdays, not both.*to \*$/)
})

it.each([
  '0 0 13 * *',
  '0 0 * * 5',
  '0 0 ? * FRI',
  '0 0 13 * ?',
  '0 0 ? * ?',
  '0 0 13 * */1',
  '0 0 */1 * 5',
  '*/5 0-6 * 1,7 MON-FRI',
])('the schedule %s is accepted, which has days of the month, weekdays or neither', (schedule) => {
  expect(refusal(schedule)).toBe('taken')
})

it.each(['0 0 1-9999999999 * 5', '0 0 13 * x', '0 0 hush-secret * 5', '0 0 0 1-9999999 * 5'])(
  'the schedule %s is rejected without quoting it',
  (schedule) => {
    const said = refusal(schedule)
    expect(said).toContain('a cron expression of five fields')
    expect(said).not.toMatch(/hush|999|13/)
  },
)

it('every default schedule is accepted', () => {
  const tasks = Object.values(taskSettings.parse({}))
  const own = [...[...jobs, ...reportJobs].map(({ schedule }) => schedule), ...tasks]
  expect(own.length).toBeGreaterThan(10)
  expect(own.filter((schedule) => refusal(schedule) !== 'taken')).toEqual([])
})
