import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type Night, openNight } from '../../helpers/night.ts'

let night: Night
afterEach(() => night.close())

const HOURS_MS = 3_600_000

it('serve alerts once about a wrong secret, even if restarted, and once when it is accepted', async () => {
  night = await openNight()
  night.start()
  await night.hours(1)
  await night.stop()
  night.setSecret('a wrong one')
  night.start()
  await night.hours(9)
  // The machine restarts while the alert is open.
  await night.stop()
  night.clock.suspend(0.2 * HOURS_MS)
  night.start()
  await night.hours(4)
  const [text, ...more] = night.texts()
  expect(more).toEqual([])
  expect(text).toContain(
    'main: the service rejects the client secret (HTTP 400 invalid_client). The job whiteboard-archives ' +
      'is blocked. Update `clientSecret`, then run `callsheet doctor`.',
  )
  expect(await causesOf(night)).toEqual(['{account="main",code="job_failing",state="red"} 1'])
  await night.stop()
  night.setSecret('client-secret-1')
  night.start()
  await night.hours(0.5)
  expect(night.alerts().map(({ event, subject }) => `${event} ${subject}`)).toEqual([
    'new invalid_client',
    'recovered invalid_client',
  ])
  expect(night.texts()[1]).toMatch(
    /^- main: the service accepts the client secret again \(blocked for \d+ h( \d+ min)?\)\.$/m,
  )
  expect(await causesOf(night)).toEqual([])
})

it('serve alerts once about an unreadable secret, even if restarted, and once when it is back', async () => {
  night = await openNight({ account: ['clientSecret: file:client-secret'] })
  const file = join(night.folder, 'client-secret')
  const place = () => writeFileSync(file, 'client-secret-1\n', { mode: 0o600 })
  place()
  night.start()
  await night.hours(1)
  rmSync(file)
  await night.hours(9)
  await night.stop()
  night.clock.suspend(0.2 * HOURS_MS)
  night.start()
  await night.hours(4)
  const [text, ...more] = night.texts()
  expect(more).toEqual([])
  expect(text).toMatch(
    /main: reading the secret of \S+config\.yaml:\d+:\d+ \(accounts\[0\]\.clientSecret\): the file /,
  )
  expect(text).toMatch(/client-secret cannot be read: there is no such file\. .* blocked\. /)
  expect(text).toContain('Restore the file, readable by this user, or change the setting.')
  expect(await causesOf(night)).toEqual(['{account="main",code="job_failing",state="red"} 1'])
  await night.stop()
  place()
  night.start()
  await night.hours(0.5)
  expect(night.alerts().map(({ event, subject }) => `${event} ${subject}`)).toEqual([
    'new secret_unavailable',
    'recovered secret_unavailable',
  ])
  expect(night.texts()[1]).toMatch(
    /^- main: the secret can be read again \(blocked for \d+ h( \d+ min)?\)\.$/m,
  )
  expect(await causesOf(night)).toEqual([])
})

it('serve alerts once when a database is down, once when it is back, and about no late job', async () => {
  night = await openNight()
  night.start()
  await night.hours(1)
  await night.door.shut()
  await night.hours(10)
  expect(night.alerts().map(({ event, code }) => `${event} ${code}`)).toEqual(['new database_away'])
  expect(night.texts()[0]).toMatch(
    /The database does not answer the machine \S+ \(.*ECONNREFUSED.*\): its accounts are not synced\. /,
  )
  await night.door.open()
  await night.hours(2)
  expect(night.alerts().map(({ event, code }) => `${event} ${code}`)).toEqual([
    'new database_away',
    'recovered database_away',
  ])
  expect(await causesOf(night)).toEqual([])
})

it('serve runs jobs that were due while the machine slept, and does not report them as late', async () => {
  night = await openNight()
  night.start()
  await night.hours(1)
  night.clock.suspend(9 * HOURS_MS)
  await night.hours(2)
  expect(night.texts()).toEqual([])
  expect(await causesOf(night)).toEqual([])
})

/** The open causes in the metrics. */
async function causesOf({ url }: Night): Promise<string[]> {
  const text = await (await fetch(`${url()}/metrics`)).text()
  return [...text.matchAll(/^callsheet_causes(\{.*)$/gm)].map(([, series = '']) => series)
}
