import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'

/** Prints readable log lines on stderr. This is a separate file, so that only terminals load the library. */
export function prettyStderr(): DestinationStream {
  return pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
    messageKey: 'event',
    translateTime: 'UTC:HH:MM:ss',
    singleLine: true,
    // The error is text here; otherwise it would be printed twice.
    errorLikeObjectKeys: [],
  })
}
