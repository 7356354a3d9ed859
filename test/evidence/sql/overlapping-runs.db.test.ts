import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sliceBatches } from '../../../src/evidence/sql/slice-lines.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { insertRun } from '../../reports/fixture.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

const at = (time: string) => `2026-06-01T${time}:00Z`

/** Adds a run that began at `begun` and recorded a slice at each of the times. */
async function enter(job: string, begun: string, entered: readonly string[]): Promise<number> {
  const slices = entered.map((time) => ({ stream: 'users', slice: `${job} ${time}` }))
  const id = await insertRun(warehouse, { account: 'a', job, finishedAt: at('23:00'), slices })
  const { db } = warehouse
  await sql`update callsheet.runs set started_at = ${at(begun)} where id = ${id}`.execute(db)
  await sql`update callsheet.slices
    set finished_at = ('2026-06-01T' || right(slice, 5) || ':00Z')::timestamptz where run_id = ${id}`.execute(
    db,
  )
  return id
}

/** The number of slices per run that a read from an instant returns. */
async function readFrom(time: string): Promise<Map<number, number>> {
  const read = new Map<number, number>()
  const wanted = { account: 'a', streams: ['users'], from: at(time) }
  await warehouse.transaction(async (tx) => {
    for await (const { subject, rows } of sliceBatches(tx, wanted)) {
      const run = Number(/\d+/.exec(subject.replace('users', ''))?.[0])
      read.set(run, (read.get(run) ?? 0) + rows)
    }
  })
  return read
}

it('the query of new batches finds those of overlapping runs, and none of earlier runs', async () => {
  const long = await enter('long', '10:00', ['10:01', '10:40'])
  const early = await enter('early', '09:50', ['09:55', '10:05'])
  const within = await enter('within', '10:10', ['10:15', '10:20'])
  expect(await readFrom('10:30')).toEqual(new Map([[long, 2]]))
  expect(await readFrom('10:20')).toEqual(
    new Map([
      [long, 2],
      [within, 2],
    ]),
  )
  expect(await readFrom('10:03')).toEqual(
    new Map([
      [long, 2],
      [early, 2],
      [within, 2],
    ]),
  )
})
