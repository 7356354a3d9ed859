import { type Observer, silentObserver } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import type { ConnectionLimits, Listening } from '../../src/serve/listen.ts'
import { listen } from '../../src/serve/notifications/notifications.ts'
import { NOW_MS } from './stage.ts'

export interface Opened {
  clock?: Clock
  observer?: Observer
  receive?: (bytes: Uint8Array) => Promise<'stored' | 'repeated'>
  limits?: ConnectionLimits
}

/** Only the receiver's HTTP server, at `/n/main` with the secret `s`; `receive` gets what it accepts. */
export function opened({
  clock = { ...systemClock, now: () => NOW_MS },
  observer = silentObserver,
  receive = () => Promise.resolve('stored'),
  limits,
}: Opened): Promise<Listening> {
  return listen({
    setting: 'notifications',
    host: '127.0.0.1',
    port: 0,
    path: '/n',
    maxBodyBytes: 4096,
    clock,
    observer,
    endpoints: [{ account: 'main', secrets: ['s'], receive }],
    ...(limits === undefined ? {} : { limits }),
  })
}
