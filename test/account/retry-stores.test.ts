import { expect, test } from 'vitest'
import { retryLedger, retryTokens } from '../../src/account/retry-stores.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { LoadError } from '../../src/core/errors.ts'
import { memoryLedger, memoryTokens } from '../api/memory-stores.ts'
import { manualClock } from '../helpers/manual-clock.ts'

const lost = () => new LoadError('connection_lost', { tried: 'querying', came: 'nothing' })

/** A port whose methods each fail at the first call. */
function failingOnce<T extends object>(port: T, asked: string[]): T {
  const failed = new Set<string>()
  return new Proxy(port, {
    get: (target, name: string & keyof T) => {
      const work = target[name] as (...given: unknown[]) => unknown
      return (...given: unknown[]) => {
        asked.push(name)
        if (failed.has(name)) return work.apply(target, given)
        failed.add(name)
        return Promise.reject(lost())
      }
    },
  })
}

/** Advances the clock until the work has ended. */
async function passing<T>(clock: ReturnType<typeof manualClock>, work: Promise<T>): Promise<T> {
  let ended = false
  const end = () => {
    ended = true
  }
  work.then(end, end)
  while (!ended) await clock.advance(500)
  return await work
}

test('the queries for token and quota are retried after a brief failure of the database', async () => {
  const clock = manualClock(0)
  const deps = { clock, observer: silentObserver }
  const asked: string[] = []
  const tokens = retryTokens(deps, failingOnce(memoryTokens(clock), asked))
  expect(await passing(clock, tokens.claimRenewal(0, 30_000))).toBe(true)
  const token = { accessToken: 'a', expiresAtMs: 1, scope: [] }
  expect(await passing(clock, tokens.save(token, 0))).toMatchObject({ version: 1 })
  expect(await passing(clock, tokens.read())).toMatchObject({ version: 1 })
  const ledger = retryLedger(deps, failingOnce(memoryLedger(), asked))
  expect(await passing(clock, ledger.reserve('LIGHT', '2026-07-08', 5, 10))).toBe(5)
  expect(await passing(clock, ledger.spent('LIGHT', '2026-07-08'))).toBe(5)
  await passing(clock, ledger.holdLabel('LIGHT', 7, 'rate'))
  expect(await passing(clock, ledger.readLabel('LIGHT'))).toMatchObject({ retryAtMs: 7 })
  const names = ['claimRenewal', 'save', 'read', 'reserve', 'spent', 'holdLabel', 'readLabel']
  expect(asked).toEqual(names.flatMap((name) => [name, name]))
})

test('the release of reserved calls is not retried, because it could release them twice', async () => {
  const clock = manualClock(0)
  const asked: string[] = []
  const ledger = retryLedger(
    { clock, observer: silentObserver },
    failingOnce(memoryLedger(), asked),
  )
  await expect(ledger.giveBack('LIGHT', '2026-07-08', 5)).rejects.toThrow(LoadError)
  expect(asked).toEqual(['giveBack'])
})
