import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { statesHold } from '../../src/account/state-decisions.ts'
import { placeHold, readHolds } from '../../src/archive/sql/holds.ts'
import { openedOf } from '../erasure/stage.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'
let world: World
let elsewhere: string
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  elsewhere = mkdtempSync(join(tmpdir(), 'callsheet-elsewhere-'))
})
afterAll(async () => {
  await world.close()
  rmSync(elsewhere, { recursive: true })
})

/** Places a hold from a machine whose state directory lacks the evidence key. */
async function holdElsewhere(name: string): Promise<unknown> {
  const { wiring } = openedOf(world)
  const other = { ...wiring, config: { ...wiring.config, stateDirectory: elsewhere } }
  const hold = { account, name, reason: 'a case', placedBy: 'a test' }
  const onDecided = statesHold(other, account)
  return await placeHold(world.warehouse, { ...hold, onDecided }).catch((error: unknown) => error)
}

test('a hold needs no evidence key before the account’s first signed entry', async () => {
  expect(await holdElsewhere('early')).toEqual({ tooLate: 0 })
  expect(existsSync(join(elsewhere, 'evidence.key'))).toBe(false)
})

test('a hold is refused without the evidence key, and nothing is created or changed', async () => {
  await world.sync()
  const refused = await holdElsewhere('late')
  expect(refused).toMatchObject({ code: 'evidence_key_absent' })
  expect(String(refused)).toContain('evidence.signingKey')
  expect(existsSync(join(elsewhere, 'evidence.key'))).toBe(false)
  const names = (await readHolds(world.warehouse, account)).map(({ name }) => name)
  expect(names).toEqual(['early'])
  expect((await world.sync()).at(-1)?.evidence).toMatchObject({ signed: 1, unexplained: 0 })
})
