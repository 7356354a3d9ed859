import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logOf, witnessesOf, witnessKey } from '../helpers/ask-witness.ts'
import { type EvidenceStage, fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { startWitness, type WitnessServer } from '../helpers/witness-server.ts'
import { start } from './workbench.ts'

let folder: string
let stage: EvidenceStage
let servers: WitnessServer[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-witnesses-'))
  stage = await openEvidenceStage()
  await fillStage(stage)
  servers = [
    await startWitness('w.example/1', [logOf(stage)]),
    await startWitness('w.example/2', []),
  ]
  await stage.append({ witnesses: witnessesOf(servers, 1) })
  const policy = { witnesses: servers.map(({ vkey }) => witnessKey(vkey)), needed: 1 }
  await exportStage(stage, join(folder, 'bundle.zip'), { witnesses: policy })
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await stage.close()
  rmSync(folder, { recursive: true })
})

const verify = (...args: string[]) => start(['verify', ...args], { folder }).ended

describe('verify --bundle', () => {
  it('exits with 0 if enough of the named witnesses cosigned, else with 1', async () => {
    const named = servers.flatMap(({ vkey }) => ['--witness', vkey])
    const pinned = ['--bundle', 'bundle.zip', '--key', stage.key.publicKey.fingerprint, ...named]
    const enough = await verify(...pinned, '--witnesses', '1')
    expect(enough.stdout).toMatch(
      /cosigned by +1 of 2 witnesses that you named, 1 needed; w\.example\/1 \(/,
    )
    expect(enough.code).toBe(0)
    const tooFew = await verify(...pinned)
    expect(tooFew.stdout).toMatch(/cosignatures few: checkpoint\n[^]*; not w\.example\/2\n/)
    expect(tooFew.code).toBe(1)
  })

  it.each([
    [['--witness', 'w.example/1'], 'the text is not the key of a witness'],
    [['--witnesses', '1'], '--witnesses is 1'],
  ])('refuses witnesses that cannot be checked: %j', async (args, said) => {
    const { code, stderr } = await verify('--bundle', 'bundle.zip', ...args)
    expect(stderr).toContain(said)
    expect(code).toBe(2)
  })
})
