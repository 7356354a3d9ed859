import { afterAll, beforeAll, expect, it } from 'vitest'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { logOf, witnessesOf } from '../helpers/ask-witness.ts'
import {
  ADDED,
  addRun,
  addSession,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { type FrozenStage, freeze } from '../helpers/frozen-stage.ts'
import { runChild } from '../helpers/killed-child.ts'
import { WHOLE } from '../helpers/whole.ts'
import { startWitness, type WitnessServer } from '../helpers/witness-server.ts'

/** 27 facts to enter in batches of eight, after a first checkpoint over one entry. */
let frozen: FrozenStage
let witness: WitnessServer
const trace: string[] = []
beforeAll(async () => {
  const stage = await openEvidenceStage()
  await addSession(stage, { runId: await addRun(stage), id: 'first' })
  await stage.append()
  await fillStage(stage)
  frozen = await freeze(stage)
  const traced = await frozen.thaw()
  witness = await startWitness('w.example/1', [logOf(traced)])
  listenAtPoints((name) => void trace.push(name))
  await traced.append({ ...ORDER, witnesses: witnessesOf([witness], 1) })
  listenAtPoints(undefined)
  await traced.close()
})
afterAll(async () => {
  await witness.close()
  await frozen.drop()
})

const ORDER = { batchEntries: 8 }

it('an append reaches every failpoint', () => {
  const names = new Set(trace.filter((name) => name.startsWith('evidence:')))
  expect([...names].toSorted()).toEqual([
    'evidence:cosigned',
    'evidence:entered',
    'evidence:entering',
    'evidence:noted',
    'evidence:noting',
    'evidence:signed',
    'evidence:signing',
    'evidence:witnessed',
    'evidence:witnessing',
  ])
})

it('after a kill at any point, the next append has the result of an undisturbed one', {
  timeout: 360_000,
}, async () => {
  const hits = hitsOf(trace)
  expect(hits.length).toBeGreaterThan(WHOLE ? 30 : 9)
  for (const hit of hits) {
    const stage = await frozen.thaw()
    try {
      const { databaseUrl, directory, pem } = stage
      // A witness that has seen no other database.
      const own = await startWitness('w.example/1', [logOf(stage)])
      const witnesses = [{ url: own.url, vkey: own.vkey }]
      const order = { databaseUrl, directory, pem, ...ORDER, witnesses }
      const killed = await runChild('append', order, { PROOF_KILL_AT: hit })
      expect(killed).toMatchObject({ signal: 'SIGKILL' })
      // A killed process leaves unfinished work, but nothing wrong.
      expect((await stage.verify()).findings).toEqual([])
      const again = { ...ORDER, witnesses: witnessesOf([own], 1) }
      expect((await stage.append(again)).problems).toEqual([])
      await own.close()
      const { findings, notJudged, checked } = await stage.verify({ keyPinned: true })
      expect({ hit, findings, notJudged }).toEqual({
        hit,
        findings: [],
        notJudged: [expect.stringContaining('--checkpoint SIZE:ROOT')],
      })
      expect(checked).toMatchObject({
        entries: FILLED + ADDED,
        records: 16,
        files: 12,
        cosignatures: 1,
      })
      expect(await stage.append(ORDER)).toMatchObject({ records: 0, files: 0, signed: 0 })
    } finally {
      await stage.close()
    }
  }
})

/** Each hit of an append's own failpoints, and each commit; on a push only the first hit of each name. */
function hitsOf(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return names.flatMap((name) => {
    const hit = (counts.get(name) ?? 0) + 1
    counts.set(name, hit)
    const isOne = /^(evidence|commit):/.test(name) && (WHOLE || hit === 1)
    return isOne ? [`${name}#${hit}`] : []
  })
}
