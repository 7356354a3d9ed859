import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'

/** Prints log lines for people on stderr. A separate file, so that only terminals load the library. */
export function prettyStderr(): DestinationStream {
  return pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
    messageKey: 'event',
    translateTime: 'UTC:HH:MM:ss',
    singleLine: true,
    // An error is text here, and would otherwise be printed twice.
    errorLikeObjectKeys: [],
  })
}
