import { ConfigurationError } from '../errors.ts'
import { DAY_MS, utcDay } from './time.ts'

/** Local date and time of an instant, `yyyy-mm-ddThh:mm:ss`. Not for rows: SQL converts those. */
export function zonedInstant(epochMs: number, timeZone: string): string {
  const parts = Object.fromEntries(
    formatter(timeZone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute, second } = parts
  return `${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`
}

/** The instant at which a local day `yyyy-mm-dd` begins. */
export function zonedDayStartMs(day: string, timeZone: string): number {
  return zonedMs(`${day}T00:00:00`, timeZone)
}

/** The instant of a local time: the first if clocks repeat that time, the first after it if they skip it. */
export function zonedMs(local: string, timeZone: string): number {
  const wanted = Date.parse(`${local}Z`)
  let guess = wanted
  // Two corrections settle every offset; the offset after a jump may need the second.
  for (let i = 0; i < 2; i++) guess += wanted - Date.parse(`${zonedInstant(guess, timeZone)}Z`)
  const shown = (epochMs: number): string => zonedInstant(epochMs, timeZone)
  const first = JUMPS_MS.map((jump) => guess - jump).find((ms) => shown(ms) === local)
  const begun = (epochMs: number): boolean => shown(epochMs) >= local
  return first ?? firstSecond(begun, guess - LARGEST_JUMP_MS, guess + LARGEST_JUMP_MS)
}

/** The amounts by which clocks anywhere are set back; the first match gives the earlier of two instants. */
const JUMPS_MS = [7_200_000, 3_600_000, 1_800_000, 0]
/** How far around a skipped local time to search: a zone may skip a whole day. */
const LARGEST_JUMP_MS = 172_800_000

/** The first full second after `beforeMs`, at most `afterMs`, from which on `holds` is true. */
function firstSecond(holds: (ms: number) => boolean, beforeMs: number, afterMs: number): number {
  let [before, after] = [beforeMs, afterMs]
  while (after - before > 1_000) {
    const middle = before + Math.floor((after - before) / 2_000) * 1_000
    if (holds(middle)) after = middle
    else before = middle
  }
  return after
}

/** `month` is `yyyy-mm`; `count` may be negative. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

/**
 * Whether a text is a zone name that means the same in SQL. Offsets are excluded although JavaScript accepts
 * them, since SQL inverts their sign. So are names of letters only, which SQL treats as abbreviations: CET
 * would have no summer time, and IST could be another country's.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name) || (/^[a-z]+$/i.test(name) && !/^(utc|gmt)$/i.test(name))) return false
  try {
    return formatter(name).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export function checkTimeZone(timeZone: string): string {
  if (isTimeZone(timeZone)) return timeZone
  throw new ConfigurationError('time_zone', {
    tried: 'Reading the time zone',
    expected: 'an IANA name such as Europe/Berlin',
    came: `${JSON.stringify(timeZone)} is not a time zone`,
    todo: 'correct timezone in the configuration, or the option --timezone',
  })
}

/** Cached, because making one takes as long as formatting a dozen instants. */
function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATTERS.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  FORMATTERS.set(timeZone, made)
  return made
}

const FORMATTERS = new Map<string, Intl.DateTimeFormat>()

/** The first and last day of the month before an instant's month, in a time zone. */
export function monthBefore(atMs: number, timeZone: string): { from: string; to: string } {
  const month = zonedInstant(atMs, timeZone).slice(0, 7)
  return { from: `${addMonths(month, -1)}-01`, to: utcDay(Date.parse(`${month}-01`) - DAY_MS) }
}
