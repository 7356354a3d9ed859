import { afterAll, beforeAll, expect, test } from 'vitest'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { joinKey, keyHash } from '../../../src/core/records/record-key.ts'
import { whiteboardCollaborators } from '../../../src/resources/whiteboard-collaborators.ts'
import { candidatesOf, updateCandidates } from '../../../src/sync/ledger/deletion-candidates.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'

const scope = { account: 'account-0', stream: whiteboardCollaborators, runId: 1 }
const ODD = [
  ['9007199254740993', '9007199254740992'],
  ['NULL', ''],
  ['a,"b"', '{c}\\u0000'],
  ["it's", ' ünusual\n'],
]
const MANY = Array.from({ length: 12_000 }, (_, at) => ['board', String(at)])

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url })
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

test('deletion candidates of several batches are stored, and cleared by their keys', async () => {
  const table = new FingerprintTable()
  const update = (candidates: string[][], deleted: string[][]) =>
    warehouse.transaction((tx) => updateCandidates(tx, scope, { candidates, deleted, table }))
  await update([...ODD, ...MANY], [])
  expect(await keys()).toEqual(sorted([...ODD, ...MANY]))
  await update(ODD, MANY.slice(1))
  expect(await keys()).toEqual(sorted([...ODD, ['board', '0']]))
  table.admit(keyHash(['NULL', '']), Buffer.alloc(16), 1)
  await update([], [['board', '0']])
  expect(await keys()).toEqual(sorted(ODD.filter(([first]) => first !== 'NULL')))
})

const keys = async () => [...(await candidatesOf(warehouse, scope)).keys()].sort()
const sorted = (all: string[][]) => all.map(joinKey).sort()
