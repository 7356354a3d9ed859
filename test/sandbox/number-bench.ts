import { expect } from 'vitest'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { declaredStreams } from '../../src/resources/declared.ts'
import { type Answered, type Caller, oauthCaller } from './caller.ts'
import { byKey, readStream, truthRows } from './read-stream.ts'
import { SMALL_SIZES } from './sizes.ts'

export type Item = Record<string, unknown>

export const NOW_MS = Date.parse('2026-06-10T09:00:00Z')
export const NUMBERS = '/number_management/numbers'
export const ALLOCATION = '/number_management/allocation'

export async function withCaller(
  options: SandboxOptions,
  work: (caller: Caller, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: SMALL_SIZES, ...options })
  try {
    await work(await oauthCaller(sandbox), sandbox)
  } finally {
    await sandbox.close()
  }
}

export async function numbersOf(caller: Caller): Promise<Item[]> {
  return (await caller.drain(NUMBERS, 'numbers', { page_size: '200' })) as Item[]
}

/** Returns the first of these numbers that has these values. */
export function numberWith(numbers: readonly Item[], values: Item): Item {
  const found = numbers.find((number) =>
    Object.entries(values).every(([name, value]) => number[name] === value),
  )
  if (found === undefined) throw new Error(`no number with ${JSON.stringify(values)}`)
  return found
}

/** Returns the status and the code of a response. */
export async function told(answer: Promise<Answered>): Promise<{ status: number; code: unknown }> {
  const { status, body } = await answer
  return { status, code: body.code }
}

/** Returns the failed items of a refusal, whose message is a list or the list's JSON. */
export function failuresOf({ status, body }: Answered): unknown {
  expect({ status, code: body.code }).toEqual({ status: 400, code: 1000 })
  const { message } = body
  return typeof message === 'string' ? (JSON.parse(message) as unknown) : message
}

/** Expects that lists and truth are equal. Returns a new caller, because reading ends all earlier tokens. */
export async function expectTruth(sandbox: Sandbox): Promise<Caller> {
  const names = ['phone_numbers', 'phone_number_assignments', 'sms_consents', 'sms_consent_numbers']
  for (const stream of declaredStreams.filter(({ name }) => names.includes(name))) {
    const truth = byKey(stream, await truthRows(sandbox, stream))
    expect(truth.length).toBeGreaterThan(0)
    expect(byKey(stream, await readStream(sandbox, stream))).toEqual(truth)
  }
  return oauthCaller(sandbox)
}
