import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createS3Store } from '../../src/store/s3-store.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { retain, statesOf } from '../archive/retained.ts'
import { testDatabase } from '../helpers/database.ts'
import { POINTS } from '../helpers/kill-points.ts'
import { runChild } from '../helpers/killed-child.ts'
import { WHOLE } from '../helpers/whole.ts'
import { type Bucket, openBucket } from '../store/bucket.ts'
import { all, hashOf } from '../store/store-contract.ts'

test('a prune killed at any point is completed by the next one, and every removal is logged', {
  timeout: 300_000,
}, async () => {
  const stage = await openStage()
  try {
    const undisturbed = await stage.account('undisturbed')
    const { trace, said } = await stage.prune('undisturbed', { PROOF_TRACE: stage.traceFile })
    expect(said).toBe('5 0')
    expect(await undisturbed.end()).toEqual(ENDED)
    const names = new Set(trace.map((hit) => hit.split('#')[0]))
    const prunePoints = POINTS.filter((name) => name.startsWith('prune:'))
    expect(prunePoints.filter((name) => !names.has(name))).toEqual([])
    // The first and the last hit of each failpoint, and one between for the prune's own. On a push only the
    // first.
    const targets = [...Map.groupBy(trace, (hit) => hit.split('#')[0] ?? '')].flatMap(
      ([name, hits]) => {
        const between = name.startsWith('prune:') ? [hits.at(hits.length >> 1)] : []
        const chosen = WHOLE ? [hits[0], ...between, hits.at(-1)] : [hits[0]]
        return [...new Set(chosen)].filter((hit) => hit !== undefined)
      },
    )
    let killed = 0
    for (const [n, hit] of targets.entries()) {
      const account = `killed-${n}`
      const one = await stage.account(account)
      const { signal } = await stage.prune(account, { PROOF_KILL_AT: hit })
      if (signal !== 'SIGKILL') continue
      killed++
      expect({ hit, unentered: await one.unentered() }).toEqual({ hit, unentered: [] })
      const again = await stage.prune(account)
      expect({ hit, code: again.code, said: again.said }).toMatchObject({ code: 0 })
      expect({ hit, ...(await one.end()) }).toEqual({ hit, ...ENDED })
    }
    expect(killed).toBeGreaterThan(prunePoints.length + (WHOLE ? 12 : 4))
  } finally {
    await stage.close()
  }
})

/** Five files with four contents are due; one file is young, and one shares its content. */
const FILES = [
  { session: 's1', item: 'a', content: 'one', age: 100 },
  { session: 's1', item: 'b', content: 'two', age: 100 },
  { session: 's2', item: 'c', content: 'same', age: 90 },
  { session: 's3', item: 'd', content: 'same', age: 80 },
  { session: 's3', item: 'e', content: 'three', age: 80 },
  { session: 's4', item: 'f', content: 'young', age: 10 },
  { session: 's5', item: 'g', content: 'shared', age: 50 },
  { session: 's6', item: 'h', content: 'shared', age: 5 },
]
const ENDED = {
  states: [
    ...['a', 'b', 'c', 'd', 'e'].map((item) => `${item} removed`),
    ...['f', 'g', 'h'].map((item) => `${item} stored`),
  ],
  sizes: [5, 6],
  entries: ['a', 'b', 'c', 'd', 'e'],
}

async function openStage() {
  const database = await testDatabase()
  const bucket = await openBucket()
  const warehouse = connect({ url: database.url })
  const traceFile = join(bucket.folder, 'trace.json')
  return {
    traceFile,
    account: (account: string) => openAccount({ warehouse, bucket, account }),
    async prune(account: string, environment: Record<string, string> = {}) {
      const { endpoint, folder } = bucket
      const order = { databaseUrl: database.url, endpoint, folder, account }
      const end = await runChild('prune', order, environment)
      const traced = environment.PROOF_TRACE !== undefined
      const trace = traced ? (JSON.parse(readFileSync(traceFile, 'utf8')) as string[]) : []
      return { ...end, trace }
    },
    async close() {
      await warehouse.close()
      await bucket.close()
      await database.drop()
    },
  }
}

async function openAccount({
  warehouse,
  bucket,
  account,
}: {
  warehouse: Warehouse
  bucket: Bucket
  account: string
}) {
  const store = createS3Store(bucket.options(account))
  await store.open()
  for (const file of FILES) await retain({ warehouse, store, account }, file)
  const entries = async (): Promise<string[]> => {
    const { rows } = await sql<{ subject: string }>`select about as subject
      from callsheet.manifest where account = ${account} and about is not null order by 1`.execute(
      warehouse.db,
    )
    return rows.map(({ subject }) => subject.split('/').at(-1) ?? '')
  }
  return {
    /** Files without bytes and without a removal entry in the manifest. */
    async unentered(): Promise<string[]> {
      const there = new Set((await all(store)).map(({ sha256 }) => sha256))
      const entered = new Set(await entries())
      return FILES.filter(({ content }) => !there.has(hashOf(Buffer.from(content))))
        .map(({ item }) => item)
        .filter((item) => !entered.has(item))
    },
    async end() {
      const sizes = (await all(store)).map(({ size }) => size).toSorted((a, b) => a - b)
      return { states: await statesOf(warehouse, account), sizes, entries: await entries() }
    },
  }
}
