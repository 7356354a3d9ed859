import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { fileRows, incidentsOf, storedFiles, untrueFiles } from '../helpers/archive-files.ts'
import { TEMPLATE } from '../helpers/database-url.ts'
import { WHOLE } from '../helpers/whole.ts'
import { runAndKill, traceOf } from './kill/child-process.ts'
import { FILE_POINTS } from './kill/scenarios.ts'
import { archiveOf, type Order, runOrder } from './run-order.ts'
import { ACCOUNT, openStage, type Stage } from './stage.ts'

const SIZES = { users: 5, sessions: 4, whiteboards: 8, activities: 40, recordings: 2, numbers: 4 }
let stage: Stage
let trace: string[]
beforeAll(async () => {
  stage = await openStage(
    { url: inject('serverUrl'), template: TEMPLATE },
    { seed: 12, sizes: SIZES, archive: { files: true } },
  )
  const database = await stage.clone()
  const traced = await traceOf(orderFor(database), stage.directory)
  if (traced.states !== 'complete complete')
    throw new Error(`the run to be traced ended ${traced.states}`)
  trace = traced.trace
  await stage.drop(database)
})
afterAll(() => stage.close())

const orderFor = (database: string): Order =>
  stage.order(database, { jobs: ['whiteboard-archives'] })

/** A push kills at each name once, in turn the first time and the last. */
const CASES = FILE_POINTS.flatMap((name, at) =>
  (['first', 'last'] as const)
    .filter((_which, place) => WHOLE || place === at % 2)
    .map((which) => [name, which] as const),
)

describe('an archive process that is killed', () => {
  it.each(CASES)('at %s (%s occurrence) is completed by the next run', async (name, which) => {
    const hits = trace.filter((hit) => hit.startsWith(`${name}#`))
    expect(hits.length).toBeGreaterThan(0)
    const at = which === 'first' ? 0 : hits.length - 1
    const database = await stage.clone()
    const order = orderFor(database)
    const warehouse = connect({ url: order.databaseUrl, poolSize: 2, frozenNow: order.nowMs })
    try {
      const { killed } = await runAndKill(order, hits[at] ?? '')
      expect(killed).toBe(true)
      // What has its name is whole, and what has a state says the truth, at any moment.
      const folder = join(archiveOf(order), ACCOUNT)
      mkdirSync(folder, { recursive: true })
      const before = storedFiles(folder)
      expect(before.wrong).toEqual([])
      const known = new Set(before.names)
      for (const { state, sha256 } of await fileRows(warehouse))
        expect(state !== 'stored' || known.has(sha256 ?? '')).toBe(true)

      const [run] = await runOrder(order)
      expect(run).toMatchObject({ state: 'complete', problems: [] })
      const rows = await fileRows(warehouse)
      expect(rows.length).toBeGreaterThan(20)
      expect(await untrueFiles(warehouse, stage.sandbox)).toEqual({
        looked: rows.length,
        untrue: [],
      })
      const after = storedFiles(folder)
      expect({ wrong: after.wrong, left: after.left }).toEqual({ wrong: [], left: [] })
      const stored = rows.flatMap(({ sha256 }) => sha256 ?? [])
      expect(after.names).toEqual([...new Set(stored)].toSorted())
      expect(await incidentsOf(warehouse)).toEqual([])
    } finally {
      await warehouse.close()
      await stage.drop(database)
    }
  })
})
