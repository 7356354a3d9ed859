import { parseInstant } from './time.ts'

/**
 * The instant that a service may mean by what it echoes of a bound: besides the ways of its records also
 * those of HTTP, of ISO without separators or seconds, and seconds or milliseconds of the epoch.
 */
export function readEcho(text: string): number | undefined {
  const value = text.trim()
  if (/^\d{10}(?:\.\d+)?$/.test(value)) return Math.round(Number(value) * 1_000)
  if (/^\d{13}$/.test(value)) return Number(value)
  if (HTTP_DATE.test(value)) return numberOf(Date.parse(value))
  const compact = COMPACT.exec(value)
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] = compact ?? []
  const iso =
    compact === null
      ? value.replace(/^(\d{4})\/(\d{2})\/(\d{2})/, '$1-$2-$3').replace(/\s+(UTC|GMT)$/, 'Z')
      : `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`
  return instantOf(
    iso.replace(/([+-]\d{2})$/, (offset) => (iso.length > 10 ? `${offset}:00` : offset)),
  )
}

export function instantOf(value: string): number | undefined {
  const instant = parseInstant(value)
  return instant === undefined ? undefined : Date.parse(instant)
}

function numberOf(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? .*\d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/
const COMPACT =
  /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(?:(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/
