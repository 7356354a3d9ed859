import type { Clock } from '../../core/time/clock.ts'
import type { Proxy } from '../../core/values/proxy.ts'
import { sendRequest } from './http-request.ts'

/** The address is a secret: whoever knows it can keep the switch quiet. It is read when it is used. */
export interface PingSettings {
  url(): string
  timeoutMs: number
  proxy?: Proxy | undefined
}

/** Tells a dead man's switch that all is well. Rejects if the answer is not 2xx. */
export async function ping(
  { url, timeoutMs, proxy }: PingSettings,
  { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined },
): Promise<void> {
  const request = {
    tried: 'Pinging the address of alerts.ping',
    setting: 'alerts.ping',
    address: url(),
    method: 'GET' as const,
    headers: { 'user-agent': 'callsheet' },
    proxy,
  }
  await sendRequest(request, { clock, timeoutMs, signal })
}
