import { validateDetailed } from 'node-cron'
import { z } from 'zod'
import type { FileSource } from '../core/define/file-source.ts'
import type { Report } from '../core/define/report.ts'
import type { Stream } from '../core/define/stream.ts'
import { isTimeZone } from '../core/time/zone.ts'
import { isLoopbackHost } from './loopback.ts'
import { Secret } from './secret.ts'

/** A job's name and its default schedule. */
export interface JobDefaults {
  name: string
  schedule: string
}

/** The jobs, reports and streams that the configuration can name. */
export interface Catalog {
  streams?: readonly Stream[]
  files?: readonly FileSource[]
  jobs: readonly JobDefaults[]
  reportJobs?: readonly (JobDefaults & { report?: Pick<Report, 'cut'> })[]
  /** The reports, some with settings; each setting has a default. */
  reports?: readonly {
    name: string
    settings?: z.ZodObject
    sharedSettings?: Readonly<Record<string, readonly string[]>>
  }[]
}

/** A setting that is null unless it is given. */
export const orNull = <T extends z.ZodType>(type: T, about: string) =>
  z.nullable(type).default(null).describe(about)

export const flag = (byDefault: boolean, about: string) =>
  z.boolean().default(byDefault).describe(about)

/** A whole number in this range, which includes both ends. */
export const whole = (least: number, most: number) => z.int().min(least).max(most)

/** A secret, as `env:NAME` or `file:path`; a literal value is accepted with a warning. */
export const secret = () =>
  z
    .string({ error: 'env:NAME, file:path or text in quotes' })
    .min(1)
    .max(4096)
    .transform((reference) => new Secret(reference))

/**
 * An identifier. Digits alone need quotes, because YAML reads a number otherwise. A text that begins
 * like a reference to a secret (`env:`) is refused: it would be sent literally, and the service would only
 * reject it.
 */
export const identifier = () =>
  z
    .string({ error: 'text; put an identifier made of digits in quotes' })
    .regex(/^\S{1,200}$/, { error: 'an identifier without blanks, of at most 200 characters' })
    .refine((text) => !/^(env|file):/.test(text), {
      error: 'the identifier itself, as only secrets are named by env: or file:',
    })

/** A host name, with or without a port. The URL parser refuses ports above 65535, the pattern does not. */
export const host = () =>
  z
    .string()
    .regex(/^[a-z0-9.-]{1,253}(:\d{1,5})?$/, { error: HOST })
    .refine((text) => URL.canParse(`https://${text}`), { error: HOST })
export const HOST = 'a host in lower case, with its port where that is not 443'

export const path = () => z.string({ error: 'a path' }).min(1).max(4096)

export const timeZone = () =>
  z.string({ error: 'a time zone' }).refine(isTimeZone, {
    error: 'a time zone such as UTC or Europe/Berlin',
  })

/**
 * A schedule: a cron expression or never. A wrong field is reported when the file is read, not on the night
 * that would be missed.
 */
export const cron = () =>
  z
    .string({ error: 'a cron expression in quotes' })
    .regex(CRON, { error: EXPECTED_CRON, abort: true })
    .superRefine((text, { addIssue }) => {
      if (text === NEVER) return
      const wrong = validateDetailed(text).errors.map(({ field }) =>
        field.replace('dayOf', 'day of '),
      )
      const [, , day = '', , weekday = ''] = text.split(' ')
      if (wrong.length > 0)
        addIssue(`${EXPECTED_CRON}; not valid: ${wrong.join(', ').toLowerCase()}`)
      else if (!EVERY.test(day) && !EVERY.test(weekday)) addIssue(DAYS_TWICE)
    })

/** Disables a schedule: the job then runs only when called by name. */
export const NEVER = 'never'

/** Matches a cron expression or the word `never`. Refuses three digits in a row, as in very long ranges. */
const CRON = /^(?!.*\d{3})\S{1,200}(?: \S{1,200}){4}$|^never$/
const EVERY = /^(?:\*|\?|\*\/0*1)$/
const DAYS_TWICE =
  'days of the month or weekdays, not both: in cron such a job runs when either matches, here it would run ' +
  'when both do. Set one of the two fields to *'
const EXPECTED_CRON = 'a cron expression of five fields, e.g. "0 2 * * *", or never'

/** An address with TLS or on this machine, because tokens and secrets are sent to it. */
export const serviceUrl = () =>
  z.string({ error: 'an https URL' }).refine(isServiceUrl, {
    error: 'an https URL without a user, query or fragment (http only for the machine itself)',
  })

/** The address on this machine to which a browser is redirected. */
export const loopbackUrl = () =>
  z.string({ error: 'an address on this machine' }).refine(isLoopbackUrl, {
    error: 'an http address of 127.0.0.1, localhost or [::1] with a port, without a query',
  })

function isServiceUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.search !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false
  return url.protocol === 'http:' && isLoopbackHost(url.hostname) && url.port !== ''
}

/** An address of this machine to listen at. */
export const ownAddress = () =>
  z
    .string({ error: 'an address of this machine' })
    .regex(/^[\w.:-]{1,100}$/, { error: 'an address of this machine' })
    .default('127.0.0.1')

/** A name that is used in rows, paths and commands. */
export function shortName() {
  return z.string({ error: 'a name' }).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, {
    error: 'a name of lower-case letters, digits and hyphens, at most 40',
  })
}
