import { describe, expect, it } from 'vitest'
import { FORM_READINGS } from '../../sandbox/readings/form-readings.ts'
import { ID_READINGS } from '../../sandbox/readings/id-readings.ts'
import { LIST_READINGS } from '../../sandbox/readings/list-readings.ts'
import type { ReportedReading } from '../../sandbox/readings/reading.ts'
import { allReadings, EACH_READING, type Readings } from '../../sandbox/readings/readings.ts'
import { SPELLING_READINGS } from '../../sandbox/readings/spelling-readings.ts'
import { syncUnder } from './readings-stage.ts'

interface Case {
  name: string
  readings: Partial<Readings>
  told: readonly ReportedReading[]
  notes?: string | undefined
  again: boolean
}

/** Of these a record may be written otherwise each time, so that all is read once more. */
const OF_RECORDS = new Set(
  Object.keys({ ...SPELLING_READINGS, ...FORM_READINGS, ...ID_READINGS, ...LIST_READINGS }),
)
const WHOLE = { green: true, said: '', untrue: [], falselyWhole: [], writtenAgain: [] }

/** Each variant alone but the usual ones, which every other test plays. */
export const ALONE: Case[] = EACH_READING.flatMap(([name, { variants, usual }]) =>
  Object.entries(variants)
    .filter(([variant]) => variant !== usual)
    .map(([variant, { told, notes }]) => ({
      name: `${name}=${variant}`,
      readings: { [name]: variant },
      told: told === undefined ? [] : [told],
      notes,
      again: OF_RECORDS.has(name),
    })),
)
export const AT_ONCE: Case[] = (['strict', 'lenient'] as const).map((which) => {
  const readings = allReadings(which)
  const told = EACH_READING.flatMap(([name, { variants }]) => variants[readings[name]]?.told ?? [])
  return { name: `all ${which} at once`, readings, told, again: true }
})

/** Tests of a whole sync under each: the tables equal the truth, or the run is not green and says why. */
export function testSyncsUnder(cases: readonly Case[]): void {
  describe('a whole sync', () => {
    const equal = cases.filter(({ told }) => told.length === 0)
    it.each(equal)('makes the tables equal to the service under $name', async (one) => {
      const said = one.notes === undefined ? '' : expect.stringContaining(one.notes)
      expect(await syncUnder(one.readings, one)).toEqual({ ...WHOLE, said })
    })

    const red = cases.filter(({ told }) => told.length > 0)
    it.each(red)('is not green under $name, and says why', async ({ readings, told }) => {
      const { green, said, falselyWhole } = await syncUnder(readings, { again: false })
      expect({ green, said, falselyWhole }).toMatchObject({ green: false, falselyWhole: [] })
      for (const { says } of told) expect(said).toContain(says)
    })

    const mended = red.filter(({ told }) => told.every(isMended))
    it.each(mended)(
      'makes the tables equal under $name with the setting that it names',
      async (one) => {
        const adopt = one.told.map((told) => told.adopt ?? {})
        const account = Object.assign({}, ...adopt.map((part) => part.account ?? {})) as object
        const archive = Object.assign({}, ...adopt.map((part) => part.archive ?? {})) as object
        const passesMs = Math.max(...one.told.map((told) => told.passesMs ?? 0))
        const given = { ...one, adopt: { account, archive }, passesMs }
        expect(await syncUnder(one.readings, given)).toEqual(WHOLE)
      },
    )
  })
}

/** Whether a setting, or time, makes it green. */
function isMended({ adopt, passesMs }: ReportedReading): boolean {
  return adopt !== undefined || passesMs !== undefined
}
