import { AuthenticationError, CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { DEVICE_GRANT } from './grant.ts'
import type { DeviceCode, GrantedToken, TokenEndpoint } from './token-endpoint.ts'

/**
 * Polls until the person has allowed or refused the device or the code expires: every `interval` seconds,
 * which grows by five after each `slow_down` (RFC 8628). Retries after passing faults, such as a lost answer.
 */
export async function awaitDevice(
  endpoint: Pick<TokenEndpoint, 'grant'>,
  code: DeviceCode,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<GrantedToken> {
  const startedMs = clock.elapsed()
  let intervalMs = Math.max(1, code.intervalSeconds) * 1000
  for (;;) {
    await clock.sleep(intervalMs, signal)
    if (clock.elapsed() - startedMs >= code.expiresInSeconds * 1000) throw tooLate()
    await point('device:polling')
    try {
      const granted = await endpoint.grant(DEVICE_GRANT, { device_code: code.deviceCode })
      await point('device:granted')
      return granted
    } catch (error) {
      if (!(error instanceof CallsheetError)) throw error
      if (error.code === 'slow_down') intervalMs += SLOWER_MS
      else if (error.code !== 'authorization_pending' && error.retry.kind === 'never') throw error
    }
  }
}

function tooLate(): AuthenticationError {
  return new AuthenticationError('expired_token', {
    tried: 'Waiting for the device code to be approved',
    came: 'nobody approved the code in time',
    todo: 'log in again',
  })
}

const SLOWER_MS = 5_000
