import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FingerprintTable } from '../src/core/records/fingerprint-table.ts'
import { hashOf } from '../src/core/records/record-hash.ts'
import { type Figure, mebibytes } from './figures.ts'
import type { Part } from './part.ts'

export const memoryPart: Part = {
  about: 'what a row costs in the table of fingerprints, the only thing that grows with the rows',
  measure: async ({ rows = 1_000_000, quick }) => ({
    figures: [await tableFigure(quick ? rows / 10 : rows)],
  }),
}

/** Typed arrays lie outside the heap, so that their bytes can be counted. */
async function tableFigure(rows: number): Promise<Figure> {
  const before = await bytesSince(0)
  const table = new FingerprintTable()
  for (let row = 0; row < rows; row++)
    table.add(Buffer.concat([hashOf(`key ${row}`), hashOf(`content ${row}`)]))
  const seen = hashOf('content 7')
  if (table.show(seen, 0, 1) !== 'unchanged') throw new Error('The table forgot a row')
  const unchanged = await bytesSince(before)
  if (table.judge(hashOf('key 8'), seen, 2) !== 'changed') throw new Error('The table lost a key')
  const changed = await bytesSince(before)
  const perRow = unchanged / table.size
  return {
    what: `fingerprints of ${rows.toLocaleString('en')} rows`,
    measured: `${perRow.toFixed(1)} bytes a row`,
    beside: `${mebibytes(unchanged)}; once a row differs, ${(changed / table.size).toFixed(1)} bytes a row`,
    target: 'about 40, at most 45',
    met: perRow <= 45,
  }
}

/** What is garbage goes first, or it would count. */
async function bytesSince(before: number): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    collect()
    // What a collection frees outside the heap is given back a turn later.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().arrayBuffers - before
}

setFlagsFromString('--expose-gc')
/** V8's own full collection, which it shows to contexts that are made from here on. */
const collect = runInNewContext('gc') as () => void
