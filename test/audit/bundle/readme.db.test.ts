import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../../src/audit/bundle/verify-bundle.ts'
import { stateDecision } from '../../../src/evidence/enter-rows.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { leafHash, rootFromProof } from '../../../src/evidence/log/merkle.ts'
import { readTlogProof } from '../../evidence/log/tlog-proof.ts'
import {
  ACCOUNT,
  type EvidenceStage,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'
import { readMembers } from '../../helpers/rewrite-zip.ts'

const ALTERED = sha256Hex('file of s-1 a-1')
const LOST = sha256Hex('file of s-1 a-2')

let folder: string
let stage: EvidenceStage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-readme-'))
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

/** Exports and unpacks a bundle, and runs the steps of its `CHECK.txt` with the tools that they name. */
async function followed(name: string, scope: { whiteboard?: string } = {}, of = stage) {
  const path = join(folder, `${name}.zip`)
  const { problems, facts } = await exportStage(of, path, { scope })
  const members = await readMembers(path)
  for (const [member, content] of members) {
    mkdirSync(dirname(join(folder, name, member)), { recursive: true })
    writeFileSync(join(folder, name, member), content)
  }
  const readme = members.get('README.txt')?.toString() ?? ''
  const [, steps = ''] = String(members.get('CHECK.txt')).split('CHECK IT.')
  const commands = steps
    .split('\n')
    .filter((line) => line.startsWith('     '))
    .map((line) => line.replace(/ {8,}must .*$/, ''))
  const options = { cwd: join(folder, name), encoding: 'utf8' } as const
  const said = execFileSync('bash', ['-c', commands.join('\n')], options).split('\n')
  const { findings } = await verifyBundle(path, { key: facts.key })
  return { problems, facts, members, readme, steps, said, findings }
}

describe('a bundle’s README', () => {
  it('describes a check with commonly available tools', async () => {
    const { problems, facts, members, readme, said } = await followed('whole')
    expect(problems).toEqual([])
    expect(readme).not.toContain('PROBLEMS FOUND DURING THE EXPORT')
    const line = members.get('manifest.ndjson')?.toString().split('\n')[0] ?? ''
    const { entry, subject } = JSON.parse(line) as {
      entry: { commitment: string; subject: string }
      subject: string
    }
    const [stream, digest] = entry.subject.split('/')
    expect(subject).toMatch(`${stream}/`)
    const proof = said.splice(said.indexOf('c2sp.org/tlog-proof@v1')).join('\n')
    expect(provenBy(proof, JSON.stringify(entry))).toBe(true)
    expect(proof).toContain(`\n\n${members.get('checkpoint')?.toString()}`)
    const [, root = ''] = facts.checkpoint.split(':')
    expect(said).toEqual([
      `${facts.key}  -`,
      'Signature Verified Successfully',
      String(members.size),
      ...facts.checkpoint.split(':'),
      'Signature Verified Successfully',
      String(members.get('checkpoint.vkey')).trimEnd().slice(-44),
      `${entry.commitment}  -`,
      JSON.stringify(entry),
      subject,
      `${digest}  -`,
      root,
      root,
    ])
    const index = members.get('files.ndjson')?.toString().trimEnd().split('\n') ?? []
    expect(index.map((text) => JSON.parse(text) as object)).toMatchObject(
      index.map(() => ({ state: 'stored', reason: null, state_at: expect.any(String) as string })),
    )
    const sums = members.get('SHA256SUMS')?.toString().trimEnd().split('\n') ?? []
    expect(sums).toHaveLength(members.size - 2)
  })

  it('explains on one page the bundle, its check, and what it proves and does not prove', async () => {
    const { readme, facts } = await followed('page')
    expect(readme.match(/^[A-Z ]+$/gm)?.filter((line) => line.trim() !== '')).toEqual([
      'WHAT IT IS',
      'HOW TO CHECK IT',
      'WHAT TO CONCLUDE',
      'WHAT IT DOES NOT PROVE',
    ])
    expect(readme).toContain(facts.key)
    // One printed page, which takes two minutes to read.
    expect(readme.split('\n').length).toBeLessThan(60)
    expect(readme.split(/\s+/).length).toBeLessThan(450)
  })

  it('traces a record even if the first entry is a statement', async () => {
    const other = await openEvidenceStage()
    try {
      await other.append()
      await other.warehouse.transaction(async (tx) => {
        const { rows } = await sql<{ id: number }>`
          insert into callsheet.audit_settings (account, at, noted_by, settings)
          values (${ACCOUNT}, now(), 'a test', '{"jobs": [], "files": [], "retention": []}')
          returning id`.execute(tx)
        const own = { account: ACCOUNT, key: () => other.key, ledger: 'settings' } as const
        await stateDecision(tx, own, [rows[0]?.id ?? 0])
      })
      await fillStage(other)
      await other.append()
      const { members, said, facts } = await followed('stated', {}, other)
      const lines = members.get('manifest.ndjson')?.toString().split('\n') ?? []
      expect(lines[0]).toContain('"kind":"statement"')
      const { subject } = JSON.parse(lines.find((line) => line.includes('"record"')) ?? '{}') as {
        subject: string
      }
      expect(said).toContain(subject)
      const [, root = ''] = facts.checkpoint.split(':')
      expect(said.filter((line) => line === root)).toHaveLength(4)
      expect(said).toContain(`${facts.key}  -`)
    } finally {
      await other.close()
    }
  })

  it('has no tracing step if there is nothing to trace', async () => {
    const { facts, steps, said, findings } = await followed('empty', {
      whiteboard: 'no-such-board',
    })
    expect([facts.entries, findings]).toEqual([0, []])
    expect(steps).toContain('manifest.ndjson is empty')
    expect(said.filter((line) => line === 'Signature Verified Successfully')).toHaveLength(2)
  })

  it('names an altered or lost file, and its steps detect the altered one', async () => {
    writeFileSync(join(stage.directory, 'files', ALTERED), 'gile of s-1 a-1')
    rmSync(join(stage.directory, 'files', LOST))
    const { problems, readme, said, findings } = await followed('altered')
    const came = sha256Hex('gile of s-1 a-1')
    const altered =
      `the file ${ALTERED} was altered in the store, where its SHA-256 is now ${came}: ` +
      'run callsheet verify'
    const lost = `the store has no file ${LOST}, which the log names: run callsheet verify`
    expect(problems.toSorted()).toEqual([altered, lost])
    const [, warnings = ''] = readme.split('PROBLEMS FOUND DURING THE EXPORT')
    for (const problem of problems) expect(warnings).toContain(`  - ${problem}\n`)
    expect(said.filter((line) => line.endsWith('CHANGED'))).toEqual([`files/${ALTERED} CHANGED`])
    expect(findings.map(({ code, what }) => `${code} ${what}`).toSorted()).toEqual([
      `file_changed files/${ALTERED}, of whiteboard_activities/s-1/a-1`,
      `file_missing files/${LOST}, of whiteboard_activities/s-1/a-2`,
      expect.stringMatching(/^index_wrong files.ndjson, line \d+$/),
    ])
  })
})

function provenBy(proof: string, entry: string): boolean {
  const { index = 0, path = [], checkpoint } = readTlogProof(proof) ?? {}
  const { size = 0, root = Buffer.alloc(0) } = checkpoint ?? {}
  return rootFromProof(leafHash(entry), { index, size }, path)?.equals(root) === true
}
