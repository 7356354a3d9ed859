import type { DestinationStream } from 'pino'
import pretty from 'pino-pretty'

/** Prints readable log lines on stderr. A separate file, so that the library is loaded only when needed. */
export function prettyStderr(): DestinationStream {
  return pretty({
    destination: 2,
    sync: true,
    colorize: process.stderr.isTTY && process.stderr.hasColors(),
    messageKey: 'event',
    translateTime: 'UTC:HH:MM:ss',
    singleLine: true,
    // The error is already text here. With the default keys, it would be printed twice.
    errorLikeObjectKeys: [],
  })
}
