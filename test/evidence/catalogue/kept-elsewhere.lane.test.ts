import { X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../../src/audit/bundle/verify-bundle.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { insertMark, type MarkRow } from '../../../src/evidence/sql/marks.ts'
import { createTimestamp } from '../../../src/evidence/witness/timestamp.ts'
import { logOf, witnessesOf, witnessKey } from '../../helpers/ask-witness.ts'
import { type CastStage, type FrozenCast, freezeCast } from '../../helpers/cast-stage.ts'
import { ACCOUNT, addRun, addSession, fillStage, newKey } from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'
import { startTimestampServer, type TimestampServer } from '../../helpers/timestamp-server.ts'
import { startWitness, type WitnessServer } from '../../helpers/witness-server.ts'
import { FORMER, SET_BACK, SIGNED_ANEW } from './signed-anew.ts'
import { asFound } from './tamper.ts'

let frozen: FrozenCast
let witness: WitnessServer
let stamps: TimestampServer
/** The newest checkpoint, as a person saved it, and the time stamp of that time. */
let noted: string
let stamp: MarkRow
beforeAll(async () => {
  stamps = await startTimestampServer()
  frozen = await freezeCast(async (stage) => {
    witness = await startWitness('w.example/1', [logOf(stage)])
    await fillStage(stage)
    await stage.append()
    for (const id of ['later', 'latest']) {
      await addSession(stage, { runId: await addRun(stage), id })
      noted = (await stage.append(asking())).checkpoint ?? ''
    }
    stamp = await stage.warehouse.db
      .selectFrom('callsheet.marks')
      .select(['origin', 'size', 'kind', 'who', 'body', 'chain'])
      .where('kind', '=', 'stamp')
      .orderBy('size', 'desc')
      .executeTakeFirstOrThrow()
  })
})
afterAll(async () => {
  await frozen.drop()
  await witness.close()
  await stamps.close()
})

const asking = () => ({
  witnesses: witnessesOf([witness], 1),
  timestamp: createTimestamp({ url: stamps.url, clock: systemClock }),
  timestampRoots: roots(),
})
const roots = () => [new X509Certificate(stamps.authority.root.certificate)]
const policy = () => ({ witnesses: [witnessKey(witness.vkey)], needed: 1 })
const codes = ({ findings }: { findings: readonly { code: string }[] }): string[] =>
  findings.map(({ code }) => code)

async function onStage(work: (stage: CastStage) => Promise<void>): Promise<void> {
  const stage = await frozen.thaw()
  try {
    await work(stage)
  } finally {
    await stage.close()
  }
}

/** The findings in a new bundle for a reader with the given checkpoint and witnesses. */
async function ofBundle(stage: CastStage, kept: Parameters<typeof verifyBundle>[1]) {
  const path = join(stage.directory, 'bundle.zip')
  await exportStage(stage, path, { witnesses: policy() })
  const checked = await verifyBundle(path, { key: stage.key.publicKey.fingerprint, ...kept })
  rmSync(path)
  return codes(checked)
}

describe('evidence that somebody else keeps', () => {
  it('reveals nothing if nothing was tampered with', async () => {
    await onStage(async (stage) => {
      const stampTrust = { roots: roots(), nowMs: Date.now() }
      const whole = await stage.verify({ checkpoint: noted, witnesses: policy(), stampTrust })
      expect(whole.findings).toEqual([])
      // Leaves one question open, which only the time-stamp service can answer.
      expect(whole.notJudged).toEqual([expect.stringContaining('was revoked')])
      expect(await ofBundle(stage, { checkpoint: noted, witnesses: policy() })).toEqual([])
    })
  })

  it.each([...SET_BACK, ...SIGNED_ANEW])(
    'is needed to reveal %s, and is enough',
    async (_name, does) => {
      await onStage(async (stage) => {
        await does(stage)
        expect((await stage.verify()).findings).toEqual([])
        expect(await ofBundle(stage, {})).toEqual([])
        // A saved checkpoint reveals the tamper.
        expect(codes(await stage.verify({ checkpoint: noted }))).toEqual(['rolled_back'])
        expect(await ofBundle(stage, { checkpoint: noted })).toEqual(['rolled_back'])
        // So does the witness at the next append, and a reader who names the witness.
        await addSession(stage, { runId: await addRun(stage), id: 'next' })
        const { problems } = await stage.append({ witnesses: witnessesOf([witness], 1) })
        expect(problems[0]).toMatch(
          /^the witness w.example\/1 refuses the checkpoint of \d+ entries/,
        )
        expect(await ofBundle(stage, { witnesses: policy() })).toEqual(['cosignatures_few'])
        // So does the time stamp, if the service or somebody else kept it.
        await stage.tamper('delete from callsheet.marks')
        await insertMark(stage.warehouse.db, ACCOUNT, stamp)
        expect(codes(await stage.verify())).toContainEqual(
          expect.stringMatching(/^(anchor_wrong|end_cut)$/),
        )
      })
    },
  )
})

describe('a successor key', () => {
  it.each(FORMER)('reveals %s', async (_name, does, expected) => {
    await onStage(async (stage) => {
      const next = newKey()
      const [key, before] = [next.publicKey.fingerprint, stage.key.publicKey.fingerprint]
      await addSession(stage, { runId: await addRun(stage), id: 'next' })
      await stage.append({ key: next, previousKeys: [before] })
      expect((await stage.verify({ keys: [key, before] })).findings).toEqual([])
      await does(stage)
      const { findings } = await stage.verify({ keys: [key, before] })
      const found = findings.map(({ code, what }) => ({ code, what }))
      expect(found.toSorted((a, b) => (a.code < b.code ? -1 : 1))).toEqual(asFound(expected))
    })
  })
})
