import { type Page } from '../../src/api/answers/payload.ts'
import type { Bearer } from '../../src/api/call/authorize.ts'
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts'
import { createGovernor, type Governor } from '../../src/api/quota/governor.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { QUOTA_PRESETS } from '../../src/core/define/quota.ts'
import { type HastyClock, hastyClock } from './hasty-clock.ts'
import { memoryLedger } from './memory-stores.ts'

export interface ClientUnderTest {
  client: Client
  governor: Governor
  clock: HastyClock
  ledger: ReturnType<typeof memoryLedger>
  replacements: () => number
  close(): Promise<void>
}

/** A client with a clock that never waits. Its token is `token-1`, then `token-2` and so on. */
export function clientUnderTest(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): ClientUnderTest {
  const clock = hastyClock()
  const ledger = memoryLedger()
  const random = (): number => 0.5
  const observer = silentObserver
  const governor = createGovernor({
    quotas: QUOTA_PRESETS.business,
    reserve: 0,
    ledger,
    clock,
    random,
    observer,
  })
  const { bearer, replacements } = countingBearer()
  const client = createClient({
    baseUrl,
    authorities: { oauth: bearer },
    governor,
    clock,
    random,
    observer,
    ...options,
  })
  const close = async (): Promise<void> => {
    await governor.close()
    await client.close()
  }
  return { client, governor, clock, ledger, replacements, close }
}

function countingBearer(): { bearer: Bearer; replacements: () => number } {
  let version = 1
  const current = async () => ({ value: `token-${version}`, version })
  const bearer: Bearer = {
    current,
    replace: async (refused) => {
      if (refused === version) version++
      return current()
    },
  }
  return { bearer, replacements: () => version - 1 }
}

export type ReadPage = Omit<Page, 'records'> & { records: unknown[] }

/** The page with its records parsed, or the error instead. */
export async function readPage<E extends Error>(page: Promise<Page | E>): Promise<ReadPage | E> {
  const answer = await page
  if (answer instanceof Error) return answer
  const { records } = answer
  return { ...answer, records: Array.from({ length: records.count }, (_, at) => records.parse(at)) }
}
