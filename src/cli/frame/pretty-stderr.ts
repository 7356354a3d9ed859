import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'

/** Log lines for people, on stderr. It is a file of its own so that only terminals load the library. */
export function prettyStderr(): DestinationStream {
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
