import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { type EvidenceStage, fillStage, openEvidenceStage } from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'

let folder: string
let stage: EvidenceStage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-letter-'))
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

it('a cover letter names the file by its hash, who exported it, and what was found', async () => {
  const path = join(folder, 'whole.zip')
  const { letter, facts, bytes } = await exportStage(stage, path)
  const lines = readFileSync(letter, 'utf8').split('\n')
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
  expect(letter).toBe(join(folder, 'whole.txt'))
  expect(lines).toContain(`SHA-256      ${sha256}`)
  expect(lines).toContain(`File         whole.zip, ${bytes} bytes`)
  expect(lines).toContain(`Key          ${facts.key}`)
  expect(lines).toContain('Matter       none given')
  expect(lines).toContain(`Exported     ${facts.exported_at} by a test`)
  expect(lines.join('\n')).toContain('The export found no problem')
})

it('a cover letter lists the problems of the export, and is found by an erasure', async () => {
  rmSync(join(stage.directory, 'files', sha256Hex('file of s-1 a-2')))
  const { letter, problems } = await exportStage(stage, join(folder, 'lacking.zip'))
  expect(problems.length).toBeGreaterThan(0)
  expect(readFileSync(letter, 'utf8')).toContain(`The export found problems (${problems.length})`)
  const { rows } = await sql<{ files: { path: string }[] }>`select files
    from callsheet.published_reports order by id desc limit 1`.execute(stage.warehouse.db)
  expect(rows[0]?.files.map((file) => file.path)).toContain(letter)
})
