import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../../src/audit/bundle/verify-bundle.ts'
import { enterBreak } from '../../../src/evidence/enter-break.ts'
import { verifierKey } from '../../../src/evidence/log/note.ts'
import { logOf, witnessesOf } from '../../helpers/ask-witness.ts'
import {
  ACCOUNT,
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'
import { type FrozenStage, freeze } from '../../helpers/frozen-stage.ts'
import { startWitness, type WitnessServer } from '../../helpers/witness-server.ts'

/** The number of entries under the second checkpoint. */
const TWO = FILLED + ADDED

/** A database with one checkpoint over `FILLED` entries, its key and its store. Each thaw makes a copy. */
let frozen: FrozenStage
beforeAll(async () => {
  const stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
  frozen = await freeze(stage)
})
afterAll(() => frozen.drop())

/** Runs a test with two copies of a database under one key, and a witness of their log. */
async function split(
  work: (both: {
    one: EvidenceStage
    other: EvidenceStage
    witness: WitnessServer
  }) => Promise<void>,
): Promise<void> {
  const [one, other] = [await frozen.thaw(), await frozen.thaw()]
  const witness = await startWitness('w.example/1', [logOf(one)])
  try {
    await work({ one, other, witness })
  } finally {
    await witness.close()
    await one.close()
    await other.close()
  }
}

async function goOn(stage: EvidenceStage, witness: WitnessServer, ids: readonly string[]) {
  for (const id of ids) await addSession(stage, { runId: await addRun(stage), id })
  return (await stage.append({ witnesses: witnessesOf([witness], 1) })).problems
}

describe('a second log under the key of the first', () => {
  it.each([
    ['as large', ['b-1']],
    ['larger', ['b-1', 'b-2', 'b-3', 'b-4', 'b-5']],
    ['much larger', Array.from({ length: 40 }, (_none, at) => `b-${at}`)],
  ])('is refused by the first log’s witness, and reported: %s', async (_what, ids) => {
    await split(async ({ one, other, witness }) => {
      expect(await goOn(one, witness, ['a-1'])).toEqual([])
      expect(await goOn(other, witness, ids)).toEqual([
        expect.stringContaining(
          'it cosigned an earlier one that this one does not continue. The database was restored from ' +
            'an older state, or a second log was signed with the evidence key',
        ),
        expect.stringContaining('entries is cosigned by 0 of 1 witnesses, 1 needed'),
      ])
      // The witness has seen only the first log, which can continue.
      expect(await goOn(one, witness, ['a-2'])).toEqual([])
    })
  })

  it('is reported if the first log is larger', async () => {
    await split(async ({ one, other, witness }) => {
      await goOn(one, witness, ['a-1', 'a-2'])
      expect(await goOn(other, witness, ['b-1'])).toEqual([
        expect.stringMatching(
          `it cosigned one of ${TWO + ADDED} entries, more than this database has\\. `,
        ),
        expect.stringContaining('entries is cosigned by 0 of 1'),
      ])
    })
  })
})

describe('a log that continues after a break', () => {
  it('is a separate log with its own name, which witnesses see from its start', async () => {
    await split(async ({ one, other: restored, witness }) => {
      await goOn(one, witness, ['a-1'])
      await goOn(one, witness, ['a-2'])
      // A restored backup of the database meets the newest store.
      const { store } = one
      const inTransaction = restored.warehouse.transaction.bind(restored.warehouse)
      const entering = { account: ACCOUNT, store, key: one.key, previousKeys: [], inTransaction }
      expect(await enterBreak(entering)).toMatchObject({
        count: 2,
        size: TWO + ADDED,
        origin: `callsheet/main/after-${TWO + ADDED}`,
      })
      expect(await enterBreak(entering)).toBeUndefined()
      await addSession(restored, { runId: await addRun(restored), id: 'after' })
      const origin = `callsheet/main/after-${TWO + ADDED}`
      const own = verifierKey(origin, one.key.publicKey)
      const ofNew = await startWitness('w.example/2', [own])
      const witnesses = witnessesOf([ofNew], 1)
      expect(await restored.append({ store, witnesses })).toMatchObject({ signed: 1, problems: [] })
      await addSession(restored, { runId: await addRun(restored), id: 'later' })
      expect(await restored.append({ store, witnesses })).toMatchObject({ signed: 1, problems: [] })
      await ofNew.close()
      expect(ofNew.asked.map((body) => body.split('\n', 1)[0])).toEqual(['old 0', `old ${TWO + 1}`])
      expect(ofNew.asked[1]).toContain(`\n${origin}\n${TWO + 1 + ADDED}\n`)
      // The previous witness does not know the new log, and so does not cosign it.
      const before = await restored.append({ store, witnesses: witnessesOf([witness], 1) })
      expect(before.problems).toEqual([
        expect.stringContaining('HTTP 404'),
        expect.stringContaining('entries is cosigned by 0 of 1'),
      ])
      expect((await restored.verify({ store })).findings).toEqual([])
      const path = join(restored.directory, 'bundle.zip')
      await exportStage({ ...restored, store }, path)
      const key = one.key.publicKey.fingerprint
      const { findings } = await verifyBundle(path, { key })
      expect(findings).toEqual([])
    })
  })
})
