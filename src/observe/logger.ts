import { type DestinationStream, destination, pino } from 'pino'
import pretty from 'pino-pretty'
import type { Observer } from '../core/declare/observer.ts'
import type { Clock } from '../core/time/clock.ts'
import { type Fields, safeFields } from './log-fields.ts'
import { plainText } from './plain-text.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LoggerOptions {
  level: Level
  /** `pretty` for people; `json`, one object a line, for machines. */
  format: 'json' | 'pretty'
  clock: Clock
  /** Where lines go instead of stderr, for tests. */
  stream?: DestinationStream
}

/** Writes events as lines to stderr. What may stand in them is decided by name in `log-fields.ts`. */
export function createLogger({ level, format, clock, stream }: LoggerOptions): Observer {
  const output =
    stream ?? (format === 'json' ? destination({ dest: 2, sync: true }) : prettyStderr())
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    output,
  )
  return {
    event(name, { level: stated, ...fields }: Fields) {
      logger[levelOf(name, stated)](safeFields(fields), plainText(name, 100))
    },
  }
}

/** An event says how serious it is, or its name does, so that most layers need not know of levels. */
function levelOf(name: string, stated: Fields['level']): Exclude<Level, 'silent'> {
  if (stated === 'debug' || stated === 'info' || stated === 'warn' || stated === 'error')
    return stated
  if (/\b(request|answer|page|batch)\b/.test(name)) return 'debug'
  if (/\b(failed|error|fenced)\b/.test(name)) return 'error'
  if (WARNING.test(name)) return 'warn'
  return 'info'
}

function prettyStderr(): DestinationStream {
  return pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
    messageKey: 'event',
    translateTime: 'UTC:HH:MM:ss',
    singleLine: true,
    // An error here is a text, and would otherwise be written twice.
    errorLikeObjectKeys: [],
  })
}

const WARNING =
  /\b(warning|retry|retried|limited|held|hold|quarantined?|drift|guard|lost|not_allowed|mismatch)\b/
