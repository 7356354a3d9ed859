import { createHmac } from 'node:crypto'
import type { Clock } from '../../src/core/time/clock.ts'
import { translateHeaders } from '../forms/translate-words.ts'
import type { Readings } from '../readings/readings.ts'

/** A subscriber, as entered by an administrator on the app page. */
export interface Subscription {
  account: string
  url: string
  secret: string
}

/**
 * Posts a message. Returns undefined without a response within three seconds. The documents do not say how
 * long the service waits.
 */
export async function post(
  { url, secret }: Subscription,
  { body, clock, readings }: { body: string; clock: Clock; readings: Pick<Readings, 'words'> },
): Promise<{ status: number; text: string } | undefined> {
  const timestamp = String(Math.floor(clock.now() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  const late = new AbortController()
  const cancel = clock.alarm(ANSWER_WITHIN_MS, () => late.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: translateHeaders(readings, {
        'content-type': 'application/json',
        'x-svc-request-timestamp': timestamp,
        'x-svc-signature': `v0=${signature}`,
      }),
      body,
      redirect: 'manual',
      signal: late.signal,
    })
    return { status: response.status, text: await response.text() }
  } catch {
    // The sender treats a failed connection, a reset and a late response in the same way.
    return undefined
  } finally {
    cancel()
  }
}

/** Checks that the endpoint knows the secret: it must return the token and its HMAC. */
export async function challenge(
  subscription: Subscription,
  { token, clock, readings }: { token: string; clock: Clock; readings: Pick<Readings, 'words'> },
): Promise<boolean> {
  const event = 'endpoint.url_validation'
  const body = JSON.stringify({ event, event_ts: clock.now(), payload: { plainToken: token } })
  const answer = await post(subscription, { body, clock, readings })
  if (answer?.status !== 200) return false
  const due = createHmac('sha256', subscription.secret).update(token).digest('hex')
  try {
    const { plainToken, encryptedToken } = JSON.parse(answer.text) as Record<string, unknown>
    return plainToken === token && encryptedToken === due
  } catch {
    return false
  }
}

const ANSWER_WITHIN_MS = 3_000
