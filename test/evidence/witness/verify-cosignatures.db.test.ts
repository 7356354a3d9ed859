import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { signCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import { logOf, witnessesOf, witnessKey } from '../../helpers/ask-witness.ts'
import {
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { startWitness, type WitnessServer } from '../../helpers/witness-server.ts'

let stage: EvidenceStage
let witness: WitnessServer
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  witness = await startWitness('w.example/1', [logOf(stage)])
  const witnesses = witnessesOf([witness], 1)
  await stage.append({ witnesses })
  await addSession(stage, { runId: await addRun(stage), id: 'later' })
  await stage.append({ witnesses })
})
afterEach(async () => {
  await witness.close()
  await stage.close()
})

const policy = () => ({ witnesses: [witnessKey(witness.vkey)], needed: 1 })
const verify = () => stage.verify({ witnesses: policy() })
const SECOND = FILLED + ADDED
const noteOf = (size: number) => `checkpoint-0000${size}.cosignature-${witness.vkey.split('+')[1]}`

describe('the verification of cosignatures', () => {
  it('finds nothing if nothing changed, and reports the log’s key', async () => {
    const { findings, checked, notJudged, log } = await verify()
    expect(findings).toEqual([])
    expect(checked.cosignatures).toBe(2)
    expect(notJudged.join()).not.toContain('witnesses')
    expect(log).toBe(logOf(stage))
  })

  it('reports too few cosignatures of the newest checkpoint', async () => {
    await addSession(stage, { runId: await addRun(stage), id: 'latest' })
    await stage.append()
    const { findings, notJudged } = await verify()
    expect(findings).toEqual([])
    expect(notJudged).toContainEqual(
      expect.stringMatching(
        /^Whether the witnesses saw the newest checkpoint.* 0 of 1 witnesses, 1 needed/,
      ),
    )
  })

  it.each([
    [
      'its line belongs to another checkpoint',
      `update callsheet.marks c set body = o.body from callsheet.marks o
        where c.size = ${FILLED} and o.size = ${SECOND}`,
      ['cosignature_wrong', 'note_differs'],
    ],
    [
      'its row names another witness',
      `update callsheet.marks set who = 'x' || who where size = ${SECOND}`,
      ['cosignature_wrong'],
    ],
    [
      'it is missing',
      `delete from callsheet.marks where size = ${FILLED}`,
      ['cosignature_missing'],
    ],
  ])('reports a cosignature if %s', async (_what, tamper, codes) => {
    await stage.tamper(tamper)
    const { findings } = await verify()
    expect(findings.map(({ code }) => code)).toEqual(codes)
    expect(findings[0]?.what).toMatch(
      /cosignature (of x?w.example\/1 )?for the checkpoint over \d+ entries$/,
    )
  })

  it('reports cosignatures that differ in the store', async () => {
    const text = (await stage.store.readNote(noteOf(SECOND))) ?? ''
    await stage.store.keepNote(noteOf(SECOND), text.replace(/.{6}\n$/, 'AAAA==\n'))
    expect((await verify()).findings).toMatchObject([{ code: 'note_differs' }])
  })
})

describe('a verification with two logs under one key', () => {
  it('reports both checkpoints, of equal sizes in the store and different ones in the database', async () => {
    const other = (size: number) =>
      signCheckpoint(stage.key, { origin: 'callsheet/main', size, root: Buffer.alloc(32, 7) })
    const ours = await stage.store.readNote(`checkpoint-0000${FILLED + ADDED}`)
    await stage.store.keepNote(`checkpoint-0000${FILLED + ADDED}`, other(FILLED + ADDED))
    const told = (note: string | undefined): unknown =>
      expect.stringContaining(JSON.stringify(note))
    const [, bySize] = (await verify()).findings
    expect(bySize).toMatchObject({ code: 'checkpoint_forked', found: told(other(FILLED + ADDED)) })
    expect(bySize?.found).toEqual(told(ours))
    await stage.tamper(
      `update callsheet.checkpoints set note = '${other(FILLED)}' where size = ${FILLED}`,
    )
    await stage.store.keepNote(`checkpoint-0000${FILLED}`, other(FILLED))
    const forked = { code: 'checkpoint_forked', expected: told(ours), found: told(other(FILLED)) }
    expect((await verify()).findings).toContainEqual(expect.objectContaining(forked))
  })
})
