/** A local time in its parts, before anyone checks that such a time exists. */
export interface TimeParts {
  year: number
  /** From 1. An ordinal or week date is a day of January, counted on past its end. */
  month: number
  day: number
  hour: number
  minute: number
  second: number
  /** The digits after the point of the smallest part that is given. */
  fraction: string
  /** As it is spelled; empty without one. */
  zone: string
  /** Three small letters, if the text names it. */
  weekday?: string | undefined
}

/** The parts of a time in any spelling of ISO 8601, RFC 3339, RFC 9557 or HTTP; undefined for other text. */
export function timeParts(text: string): TimeParts | undefined {
  const plain = text.trim().replaceAll('\u2212', '-').replace(ZONE_NAME, '$1')
  return isoParts(plain) ?? httpParts(plain)
}

function isoParts(text: string): TimeParts | undefined {
  const [, date = '', time = '', fraction = '', zone = ''] =
    ISO.exec(text) ?? RUN_TOGETHER.exec(text) ?? []
  const day = dayParts(date)
  if (day === undefined) return undefined
  const [hour = 0, minute = 0, second = 0] = (time.match(/\d\d/g) ?? []).map(Number)
  const parts = { ...day, hour, minute, second, fraction, zone }
  // A fraction may be one of an hour or of a minute.
  const unit = [3600, 3600, 60][time.replaceAll(':', '').length / 2]
  return unit === undefined || fraction === '' ? parts : withSeconds(parts, unit)
}

function dayParts(date: string): Pick<TimeParts, 'year' | 'month' | 'day'> | undefined {
  const digits = date.replace(/[-/]/g, '')
  const year = Number(digits.slice(0, 4))
  const rest = digits.slice(4)
  if (rest.length === 4 && !/^w/i.test(rest))
    return { year, month: Number(rest.slice(0, 2)), day: Number(rest.slice(2)) }
  const day = rest.length === 3 ? Number(rest) : weekDay(year, rest)
  const january = new Date(Date.UTC(year, 0, day))
  // The last days of a year may be in its successor's first week, but no ordinal date leaves its year.
  const isReal = day !== undefined && (rest.length === 4 || january.getUTCFullYear() === year)
  if (!isReal || (rest.length === 3 && day < 1)) return undefined
  return {
    year: january.getUTCFullYear(),
    month: january.getUTCMonth() + 1,
    day: january.getUTCDate(),
  }
}

/** The day of the year of `W48` and a day from 1 (Monday) to 7; week 1 holds the year's first Thursday. */
function weekDay(year: number, text: string): number | undefined {
  const [, week = 0, day = 0] = (/^w(\d\d)([1-7])$/i.exec(text) ?? []).map(Number)
  const weekdayOf = (date: number): number => new Date(Date.UTC(year, 0, date)).getUTCDay() || 7
  const last = [weekdayOf(1), new Date(Date.UTC(year, 11, 31)).getUTCDay()].includes(4) ? 53 : 52
  return week < 1 || week > last ? undefined : 4 - weekdayOf(4) + (week - 1) * 7 + day
}

function withSeconds(parts: TimeParts, unit: number): TimeParts {
  const micros = Math.round(Number(`0.${parts.fraction}`) * unit * 1e6)
  const seconds = Math.floor(micros / 1e6)
  return {
    ...parts,
    minute: parts.minute + Math.floor(seconds / 60),
    second: seconds % 60,
    fraction: String(micros % 1e6).padStart(6, '0'),
  }
}

function httpParts(text: string): TimeParts | undefined {
  const [, weekday, day, monthName = '', year = '', time = '', zone = ''] =
    HTTP_DATE.exec(text) ?? reordered(ASCTIME.exec(text))
  if (day === undefined) return undefined
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number)
  // RFC 850 has two digits: nothing that the service knows is older than 1970.
  const century = year.length === 4 ? 0 : Number(year) < 70 ? 2000 : 1900
  return {
    year: century + Number(year),
    month,
    day: Number(day),
    hour,
    minute,
    second,
    fraction: '',
    zone,
    weekday: weekday?.toLowerCase(),
  }
}

/** The groups of `ASCTIME` in the order of `HTTP_DATE`. */
function reordered(match: readonly string[] | null): (string | undefined)[] {
  const [all, weekday, month, day, time, year] = match ?? []
  return [all, weekday, day, month, year, time]
}

const DATE =
  '\\d{4}(?:-\\d\\d-\\d\\d|\\/\\d\\d\\/\\d\\d|\\d{4}|-?\\d{3}|-[Ww]\\d\\d-\\d|[Ww]\\d{3})'
const CLOCK = '\\d\\d(?:(?::\\d\\d){0,2}|(?:\\d\\d){1,2})'
const FRACTION = '(?:[.,](\\d{1,18}))?'
const ZONE = ' ?(Z|z|UTC|GMT|UT|[+-]\\d{2}(?::?\\d{2})?)'
const ISO = new RegExp(`^(${DATE})(?:(?:[Tt]| +)(${CLOCK})${FRACTION})?(?:${ZONE})?$`)
/** Of so many digits alone none is an epoch time of our centuries. */
const RUN_TOGETHER = new RegExp(`^(\\d{8})(\\d{6})${FRACTION}(?:${ZONE})?$`)
/** A zone's name beside the offset that it had (RFC 9557). */
const ZONE_NAME = /(Z|z|[+-]\d\d(?::?\d\d)?)(?:\[[^[\]]{1,64}\]){1,8}$/
const WEEKDAY = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const WEEKDAYS = `${WEEKDAY}(?:day|sday|nesday|rsday|urday)?`
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = `(${MONTHS.join('|')})`
const HTTP_CLOCK = '(\\d\\d:\\d\\d(?::\\d\\d)?)'
const HTTP_DATE = new RegExp(
  `^(?:${WEEKDAYS},? +)?(\\d{1,2})[ -]${MONTH}[ -](\\d{4}|\\d{2}) +${HTTP_CLOCK}(?:${ZONE})?$`,
  'i',
)
const ASCTIME = new RegExp(`^${WEEKDAY} +${MONTH} +(\\d{1,2}) +${HTTP_CLOCK} +(\\d{4})$`, 'i')
