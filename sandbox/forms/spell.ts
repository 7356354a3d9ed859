import { itemsOf, type Operation } from '../../src/core/define/operation.ts'
import { parseInstant } from '../../src/core/time/instant.ts'
import { DAY_MS, utcDay } from '../../src/core/time/time.ts'
import { rawNumber } from '../../src/core/values/json.ts'
import type { Readings } from '../readings/readings.ts'
import { rawJson } from './print-integer.ts'

type Spelling = Pick<Readings, 'timeSpelling' | 'booleanSpelling' | 'integerSpelling' | 'listOfOne'>

/** Spells the values of a response's records by the readings; free-form fields stay unchanged. */
export function spellAnswer(readings: Spelling, operation: Operation, body: object): object {
  if (
    Object.entries(AS_DOCUMENTED).every(([name, way]) => readings[name as keyof Spelling] === way)
  )
    return body
  const items = itemsOf(operation)
  if (items === undefined) return spell(readings, body, '') as object
  return { ...body, [items]: spell(readings, (body as Record<string, unknown>)[items], '') }
}

function spell(readings: Spelling, value: unknown, field: string): unknown {
  if (Array.isArray(value)) return spellList(readings, value, field)
  if (typeof value === 'boolean') return BOOLEANS[readings.booleanSpelling](value)
  const digits = typeof value === 'number' ? String(value) : rawNumber(value)
  if (digits !== undefined) return INTEGERS[readings.integerSpelling](digits, value)
  if (typeof value === 'string' && TIMES.test(field)) return spellTime(readings, value)
  if (typeof value !== 'object' || value === null || FREE_OF_FORM.has(field)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, spell(readings, inner, name)]),
  )
}

function spellList(readings: Spelling, list: readonly unknown[], field: string): unknown {
  if (FREE_OF_FORM.has(field)) return list
  const spelled = list.map((value) => spell(readings, value, field))
  return readings.listOfOne === 'single' && field !== '' && list.length === 1 ? spelled[0] : spelled
}

function spellTime({ timeSpelling: way }: Spelling, text: string): unknown {
  const utc = parseInstant(text)
  if (utc === undefined || way === 'mixed') return text
  const [second = '', fraction = ''] = utc.slice(0, -1).split('.')
  const point = fraction === '' ? '' : `.${fraction}`
  const ms = Date.parse(`${second}Z`)
  if (way === 'zulu') return utc
  if (way === 'basic') return utc.replaceAll(/[-:]/g, '')
  if (way === 'http') return fraction === '' ? new Date(ms).toUTCString() : utc
  if (way === 'day-end') return fraction === '' && ms % DAY_MS === 0 ? dayEnd(ms) : utc
  if (way === 'epoch-seconds') return Number(`${String(ms / 1000)}${point}`)
  return fraction.length > 3 ? text : ms + Number(fraction.padEnd(3, '0'))
}

/** Writes midnight as the end of the day before; for every second day, as a leap second. */
function dayEnd(ms: number): string {
  const day = utcDay(ms - DAY_MS)
  return (ms / DAY_MS) % 2 === 0 ? `${day}T24:00:00Z` : `${day}T23:59:60Z`
}

const AS_DOCUMENTED: Spelling = {
  timeSpelling: 'mixed',
  booleanSpelling: 'boolean',
  integerSpelling: 'number',
  listOfOne: 'list',
}
const BOOLEANS = {
  boolean: (value: boolean): unknown => value,
  digit: Number,
  'capital-text': (value: boolean) => (value ? 'True' : 'False'),
}
const INTEGERS = {
  number: (_digits: string, value: unknown): unknown => value,
  decimal: (digits: string) => rawJson(`${digits}.0`),
  text: (digits: string) => digits,
}
/** Fields that the documents call date-times. */
const TIMES = new RegExp(
  `^(?:${[
    'start_time|end_time|expire_time|create_time|modify_time|deleted_time|last_login_time',
    '(?:join|leave)_whiteboard_time|(?:created|modified)_date|recording_(?:start|end)',
    '(?:user_)?created_at|submission_date_time|emergency_address_update_time',
  ].join('|')})$`,
)
const FREE_OF_FORM = new Set(['content_objects', 'custom_attributes', 'emergency_address'])
