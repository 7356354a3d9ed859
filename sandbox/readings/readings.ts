import { hash, randomFrom } from '../base/random.ts'
import { ACCESS_READINGS } from './access-readings.ts'
import { ANSWER_READINGS } from './answer-readings.ts'
import { ASK_READINGS } from './ask-readings.ts'
import { FILE_READINGS } from './file-readings.ts'
import { FORM_READINGS } from './form-readings.ts'
import { ID_READINGS } from './id-readings.ts'
import { LIST_READINGS } from './list-readings.ts'
import { NUMBER_READINGS } from './number-readings.ts'
import { PAGE_READINGS } from './page-readings.ts'
import type { Reading } from './reading.ts'
import { SPELLING_READINGS } from './spelling-readings.ts'
import { TOKEN_READINGS } from './token-readings.ts'
import { WINDOW_READINGS } from './window-readings.ts'

/** All readings of the documents that the sandbox can play. `docs/readings.md` is generated from them. */
export const READINGS = {
  ...PAGE_READINGS,
  ...FORM_READINGS,
  ...ACCESS_READINGS,
  ...FILE_READINGS,
  ...SPELLING_READINGS,
  ...WINDOW_READINGS,
  ...NUMBER_READINGS,
  ...ID_READINGS,
  ...ASK_READINGS,
  ...ANSWER_READINGS,
  ...TOKEN_READINGS,
  ...LIST_READINGS,
}

export type ReadingName = keyof typeof READINGS

/** The chosen variant of each reading. */
export type Readings = {
  readonly [Name in ReadingName]: keyof (typeof READINGS)[Name]['variants'] & string
}

/** Readings by name, as pairs. */
export const EACH_READING: readonly (readonly [ReadingName, Reading])[] = Object.entries(
  READINGS,
) as [ReadingName, Reading][]

/** Returns the chosen variants; for all other readings the usual variant, or one drawn from the seed. */
export function chooseReadings(seed: number, chosen: Partial<Readings>): Readings {
  const random = randomFrom(hash(seed, 0x4ab, 0))
  // Skips the first draw, which the limiter uses.
  random()
  const readings = EACH_READING.map(([name, { variants, usual }]) => {
    const ways = Object.keys(variants)
    return [name, usual ?? ways[Math.floor(random() * ways.length)]]
  })
  return { ...(Object.fromEntries(readings) as Readings), ...chosen }
}

/** Returns one variant of each reading: the strictest, or the most lenient. */
export function allReadings(which: 'strict' | 'lenient'): Readings {
  const readings = EACH_READING.map(([name, reading]) => [name, reading[which]])
  return Object.fromEntries(readings) as Readings
}
