import { afterEach, expect, it } from 'vitest'
import { type Night, openNight } from '../../helpers/night.ts'

let night: Night
afterEach(() => night.close())

const HOURS_MS = 3_600_000

it('alerts once to a wrong secret, over a reboot and all night, and once to its end', async () => {
  night = await openNight()
  night.start()
  await night.hours(1)
  await night.stop()
  night.setSecret('a wrong one')
  night.start()
  await night.hours(9)
  // The machine is started anew, with the alert open.
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
    /^- main: the service accepts the client secret again \(blocked for \d+ h\)\.$/m,
  )
  expect(await causesOf(night)).toEqual([])
})

/** As the metrics count them. */
async function causesOf({ url }: Night): Promise<string[]> {
  const text = await (await fetch(`${url()}/metrics`)).text()
  return [...text.matchAll(/^callsheet_causes(\{.*)$/gm)].map(([, series = '']) => series)
}
