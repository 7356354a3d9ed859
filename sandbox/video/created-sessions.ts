import { z } from 'zod'
import { hash } from '../base/random.ts'
import { isoSecond } from '../base/wire-time.ts'
import { printInteger } from '../forms/print-integer.ts'
import { readBody } from '../protocol/body.ts'
import type { SandboxCall } from '../protocol/call.ts'
import { SITES } from '../seed-data/words.ts'

/**
 * Creates a session that nobody has joined, so no list shows it. The password is returned once and not
 * stored.
 */
export function createSession(call: SandboxCall): object {
  const { seedData, nowMs } = call
  const { session_name, session_password, settings } = readBody(call, NEW_SESSION, 300)
  const patch = { session_name, createdMs: nowMs }
  const [touched] = call.change([{ kind: 'sessions', action: 'add', patch }])
  const index = touched?.index ?? 0
  const h = hash(seedData.idSeed, 131, index)
  return {
    session_name,
    session_id: seedData.ids.sessions.of(index),
    session_number: printInteger(String((h % 2 === 0 ? 2n ** 53n : 10n ** 9n) + BigInt(h))),
    ...(session_password === undefined ? {} : { session_password }),
    passcode: String(100_000 + (h % 900_000)),
    created_at: isoSecond(nowMs),
    settings: {
      auto_recording: settings?.auto_recording ?? 'none',
      global_dial_in_countries: [...new Set(SITES.map(({ country }) => country))],
      global_dial_in_numbers: SITES.map(({ country, dialCode }, n) => ({
        country,
        country_name: COUNTRY_NAMES.of(country),
        number: `${dialCode}${String(5_550_000 + (hash(seedData.seed, 132, n) % 10_000))}`,
        type: n === 0 ? 'premium' : n % 3 === 0 ? 'tollfree' : 'toll',
      })),
    },
  }
}

const NEW_SESSION = z.strictObject({
  session_name: z.string().min(1),
  session_password: z
    .string()
    .regex(/^[A-Za-z0-9]+$/, 'must be alphanumeric')
    .optional(),
  settings: z.strictObject({ auto_recording: z.enum(['cloud', 'none']).optional() }).optional(),
})
const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' })
