import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import type { WitnessPolicy } from '../../src/evidence/log/witness-policy.ts'
import { WITNESSED } from '../evidence/catalogue/bundle-witnessed.ts'
import { asFound } from '../evidence/catalogue/tamper.ts'
import { signSums } from '../evidence/sign-anew.ts'
import { logOf, witnessesOf, witnessKey } from '../helpers/ask-witness.ts'
import { type EvidenceStage, fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'
import { startWitness, type WitnessServer } from '../helpers/witness-server.ts'

let folder: string
let stage: EvidenceStage
let servers: WitnessServer[]
let policy: WitnessPolicy
let members: Members
/** Signs a checkpoint that the first two of three witnesses cosign. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-witnessed-'))
  stage = await openEvidenceStage()
  await fillStage(stage)
  servers = []
  for (const name of ['w.example/1', 'w.example/2', 'w.example/3'])
    servers.push(await startWitness(name, [logOf(stage)]))
  servers[2]?.misbehave('HTTP 500')
  await stage.append({ witnesses: witnessesOf(servers, 2) })
  policy = { witnesses: servers.map(({ vkey }) => witnessKey(vkey)), needed: 2 }
  await exportStage(stage, join(folder, 'whole.zip'), { witnesses: policy })
  members = await readMembers(join(folder, 'whole.zip'))
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await stage.close()
  rmSync(folder, { recursive: true })
})

const pins = () => ({ key: stage.key.publicKey.fingerprint })
const verify = (more: { witnesses?: WitnessPolicy } = {}, name = 'whole') =>
  verifyBundle(join(folder, `${name}.zip`), { ...pins(), ...more })

describe('a bundle cosigned by witnesses', () => {
  it('contains their cosignatures of its checkpoint and their names', () => {
    const names = textOf('checkpoint').match(/(?<=^\u2014 )\S+/gm)
    expect(names).toEqual(['callsheet/main', 'w.example/1', 'w.example/2'])
    expect(textOf('witnesses')).toBe(
      `log ${logOf(stage)}
${servers.map(({ vkey }, at) => `witness w${at + 1} ${vkey}\n`).join('')}group needed 2 w1 w2 w3
quorum needed
`,
    )
  })

  it('is judged by the witnesses that the user names and the number that the user requires', async () => {
    const { findings, witnesses, notJudged } = await verify({ witnesses: policy })
    expect(findings).toEqual([])
    expect(witnesses).toMatchObject({
      needed: 2,
      cosigned: [{ name: 'w.example/1' }, { name: 'w.example/2' }],
      missing: ['w.example/3'],
      named: true,
    })
    expect(notJudged.join()).not.toContain('witness')
    const three = await verify({ witnesses: { ...policy, needed: 3 } })
    expect(three.findings).toEqual([
      {
        code: 'cosignatures_few',
        what: 'checkpoint',
        expected: 'cosignatures of 3 of the witnesses that you named',
        found: expect.stringMatching(/^2 of 3 witnesses, 3 needed; .*; not w.example\/3$/),
      },
    ])
  })

  it('is not judged by its own list of witnesses, because its maker wrote the list', async () => {
    const { findings, witnesses, notJudged } = await verify()
    expect(findings).toEqual([])
    expect(witnesses?.named).toBe(false)
    expect(notJudged).toContainEqual(
      expect.stringMatching(
        /according to its own list, it is cosigned by 2 of 3 witnesses, 2 needed.*--witness KEY/,
      ),
    )
  })

  it('is reported if the user names a witness of the same name with another key', async () => {
    const other = await startWitness('w.example/1', [])
    const { findings } = await verify({
      witnesses: { witnesses: [witnessKey(other.vkey)], needed: 1 },
    })
    await other.close()
    expect(findings).toMatchObject([{ code: 'cosignatures_few' }])
  })

  it.each(WITNESSED)(
    'reveals a change by the holder of the signing key: %s',
    async (_what, change, expected) => {
      const all = new Map(members)
      change(all, { key: stage.key, older: members, others: members })
      signSums(all, stage.key)
      await writeMembers(join(folder, 'changed.zip'), all)
      const { findings } = await verify({ witnesses: policy }, 'changed')
      expect(findings.map(({ code, what }) => ({ code, what }))).toEqual(asFound(expected))
    },
  )
})

function textOf(name: string): string {
  return members.get(name)?.toString() ?? ''
}
