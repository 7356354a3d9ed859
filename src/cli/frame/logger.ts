import { type DestinationStream, destination, pino } from 'pino'
import type { Observer } from '../../core/define/observer.ts'
import type { Clock } from '../../core/time/clock.ts'
import { plainText } from '../../core/values/text.ts'
import { type Fields, safeFields } from './log-fields.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LoggerOptions {
  level: Level
  clock: Clock
  /** Receives the lines, each one JSON object; default: stderr. */
  stream?: DestinationStream | undefined
}

/** Writes events as lines to the stream. `log-fields.ts` lists the fields that they may contain. */
export function createLogger({ level, clock, stream }: LoggerOptions): Observer {
  const output = stream ?? destination({ dest: 2, sync: true })
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

/** Returns the event's level, or derives it from the event's name, so that few rooms need levels. */
function levelOf(name: string, stated: Fields['level']): Exclude<Level, 'silent'> {
  if (stated === 'debug' || stated === 'info' || stated === 'warn' || stated === 'error')
    return stated
  if (/\b(request|answer|page|batch)\b/.test(name)) return 'debug'
  if (/\b(failed|error|fenced)\b/.test(name)) return 'error'
  if (WARNING.test(name)) return 'warn'
  return 'info'
}

const WARNING =
  /\b(warning|retry|retried|limited|held|hold|quarantined?|drift|guard|lost|not_allowed|mismatch)\b/
