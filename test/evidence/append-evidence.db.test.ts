import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeSalts } from '../../src/erasure/sql/erasure-evidence.ts'
import { addVouched } from '../../src/evidence/add-entries.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { erasureOf } from '../../src/evidence/log/erased-kinds.ts'
import {
  ACCOUNT,
  addActivity,
  addFile,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  newKey,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { named } from '../helpers/named-subject.ts'
import { statingRows } from '../helpers/stated-rows.ts'

let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
})
afterEach(() => stage.close())

describe('appending to the evidence log', () => {
  it('logs every record and file once, signs one checkpoint and saves it in the store', async () => {
    await fillStage(stage)
    const made = await stage.append({ batchEntries: 4 })
    expect(made).toMatchObject({ records: 15, files: 12, removals: 0, signed: 1, problems: [] })
    expect(made.checkpoint).toMatch(new RegExp(`^${FILLED}:`))
    expect(await stage.store.listNotes()).toEqual([`checkpoint-0000${FILLED}`])
    expect(await stage.append()).toMatchObject({
      records: 0,
      files: 0,
      signed: 0,
      checkpoint: made.checkpoint,
    })
    const verified = await stage.verify({ checkpoint: made.checkpoint ?? '' })
    expect(verified).toMatchObject({ findings: [], notJudged: [] })
    expect(verified.checked).toMatchObject({
      entries: FILLED,
      checkpoints: 1,
      records: 15,
      files: 12,
    })
  })

  it('checks each file once, and reports one with a row changed afterwards', async () => {
    await fillStage(stage)
    await stage.append({ batchEntries: 4 })
    expect(await inDoubt()).toBe(0)
    await stage.tamper('update callsheet.files set entered = false')
    expect(await stage.append({ batchEntries: 4 })).toMatchObject({ files: 0, signed: 0 })
    expect(await inDoubt()).toBe(0)
    await stage.tamper(`update callsheet.files set sha256 = sha256('other'), entered = false
      where ctid = (select min(ctid) from callsheet.files where state = 'stored')`)
    const { files, signed, problems } = await stage.append()
    expect({ files, signed }).toEqual({ files: 0, signed: 0 })
    expect(problems).toEqual([
      expect.stringMatching(/^1 file changed after being recorded.*first: whiteboard_activities/),
    ])
    expect(await inDoubt()).toBe(1)
  })

  it('checks all stored files, even if many were replaced', async () => {
    await fillStage(stage)
    await stage.append()
    await stage.tamper(`update callsheet.files set sha256 = sha256('other'), entered = false`)
    await addFile(stage, { runId: 1, session: 'z', id: 'new', content: 'new' })
    const { files, problems } = await stage.append({ batchEntries: 4 })
    expect(files).toBe(1)
    expect(problems).toEqual([expect.stringMatching(/^12 files changed after being recorded/)])
  })

  it('logs a file again that was erased and returned', async () => {
    await fillStage(stage)
    await stage.append()
    const subject = 'whiteboard_activities/s-1/a-1'
    await stage.tamper(`update callsheet.manifest m set salt = null
      where m.kind = 'file' and m.subject = ${named(subject)}`)
    await stage.vouch([{ kind: 'erasure', subject, ...erasureOf(['file']) }])
    await stage.tamper(`update callsheet.files set sha256 = sha256('other'), size = 5, entered = false
      where parent = 's-1' and item = 'a-1'`)
    await stage.store.remove(sha256Hex('file of s-1 a-1'))
    writeFileSync(join(stage.directory, 'files', sha256Hex('other')), 'other')
    const { checkpoint, ...made } = await stage.append()
    expect(made).toMatchObject({ files: 1, signed: 1, problems: [] })
    const { findings, notJudged } = await stage.verify({ checkpoint: checkpoint ?? '' })
    expect({ findings, notJudged }).toEqual({ findings: [], notJudged: [] })
  })

  it('does not log an erased file again if the store could not remove it', async () => {
    await fillStage(stage)
    await stage.append()
    const { db } = stage.warehouse
    await sql`update callsheet.files set state = 'removed', reason = 'erased' where ctid =
      (select min(ctid) from callsheet.files where state = 'stored' and kind = 'activity')`.execute(
      db,
    )
    const name = sql`'whiteboard_activities/' || callsheet.subject_part(parent) || '/' ||
      callsheet.subject_part(item)`
    const { rows } = await sql<{ subject: string }>`
      select ${name} as subject from callsheet.files where state = 'removed'`.execute(db)
    const subject = rows[0]?.subject ?? ''
    const erased = { kind: 'erasure', subject, ...erasureOf(['file']) } as const
    await stage.warehouse.transaction(async (tx) => {
      await removeSalts(tx, ACCOUNT, { subjects: [subject], kinds: ['file', 'removal'] })
      await addVouched(tx, { account: ACCOUNT, key: stage.key, basis: 'a test' }, [erased])
    })
    expect(await stage.append()).toMatchObject({ files: 0, removals: 0 })
    expect(await inDoubt()).toBe(0)
  })

  it('names each subject by percent-encoded parts', async () => {
    const runId = await addRun(stage)
    await addSession(stage, { runId, id: "a/b+c==%\u{1f600}ž '()*!~.-_" })
    await stage.append()
    const { rows } = await sql<{ subject: string }>`
      select about as subject from callsheet.manifest where about <> ''`.execute(stage.warehouse.db)
    expect(rows).toEqual([
      {
        subject: 'whiteboard_sessions/a%2Fb%2Bc%3D%3D%25%F0%9F%98%80%C5%BE%20%27%28%29%2A%21~.-_',
      },
    ])
  })

  it('logs each version of a record, and the removal of a file', async () => {
    const first = await addRun(stage)
    await addSession(stage, { runId: first, id: 's' })
    await addActivity(stage, { runId: first, session: 's', id: 'a' })
    await addFile(stage, { runId: first, session: 's', id: 'a', content: 'x' })
    await stage.append()
    const second = await addRun(stage)
    await change(second, 'two')
    await stage.removeFile({ session: 's', id: 'a' })
    expect(await stage.append()).toMatchObject({ records: 1, files: 0, removals: 1, signed: 1 })
    // Returning to the first content creates a third version.
    await change(await addRun(stage), 'Ahoj')
    expect(await stage.append()).toMatchObject({ records: 1, files: 0, removals: 0, signed: 1 })
    await stage.store.remove('2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881')
    expect((await stage.verify()).findings).toEqual([])
  })

  it('refuses a key without a known predecessor, and accepts one with it', async () => {
    await fillStage(stage)
    await stage.append()
    const key = newKey()
    await expect(stage.append({ key })).rejects.toMatchObject({ code: 'evidence_key_changed' })
    const previousKeys = [stage.key.publicKey.fingerprint]
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    expect(await stage.append({ key, previousKeys })).toMatchObject({ signed: 1 })
    const keys = [key.publicKey.fingerprint, ...previousKeys]
    expect((await stage.verify({ keys })).findings).toEqual([])
    expect((await stage.verify()).findings).toMatchObject([{ code: 'key_exchanged' }])
  })

  it('refuses to return to a replaced key, and accepts a third one', async () => {
    await fillStage(stage)
    await stage.append()
    const [second, third] = [newKey(), newKey()]
    const known = [stage.key, second, third].map(({ publicKey }) => publicKey.fingerprint)
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    await stage.append({ key: second, previousKeys: known })
    const now = { ...stage, key: second }
    await addSession(now, { runId: await addRun(now), id: 'latest' })
    await expect(stage.append({ previousKeys: known })).rejects.toMatchObject({
      code: 'evidence_key_returned',
    })
    expect(await stage.append({ key: third, previousKeys: known })).toMatchObject({ signed: 1 })
    expect((await stage.verify({ keys: known.toReversed() })).findings).toEqual([])
  })

  it('leaves verify a question if an earlier key signed last, unless its checkpoint is named', async () => {
    await fillStage(stage)
    const { checkpoint } = await stage.append()
    const keys = [newKey(), stage.key].map(({ publicKey }) => publicKey.fingerprint)
    const { findings, notJudged } = await stage.verify({ keys })
    expect(findings).toEqual([])
    expect(notJudged).toContainEqual(expect.stringContaining(`the earlier key ${keys[1]}`))
    expect((await stage.verify({ keys, checkpoint })).notJudged).toEqual([])
  })

  it('refuses to continue if the database has lost a checkpoint that the store knows', async () => {
    await fillStage(stage)
    await stage.append()
    await stage.tamper('delete from callsheet.checkpoints')
    await expect(stage.append()).rejects.toMatchObject({ code: 'evidence_cut' })
  })

  it('rejects ordinary SQL changes to the manifest and the checkpoints', async () => {
    await fillStage(stage)
    await stage.append()
    for (const table of ['manifest', 'checkpoints'])
      for (const statement of [
        `update callsheet.${table} set account = ''`,
        `delete from callsheet.${table}`,
        `truncate callsheet.${table}`,
      ])
        await expect(
          stage.warehouse.withClient((client) => client.query(statement)),
        ).rejects.toThrow('only added to')
  })

  it('logs only the rows of its own account', async () => {
    await fillStage(stage)
    const runId = await addRun(stage, 'other')
    await addSession(stage, { runId, id: 's-1', account: 'other' })
    await stage.append()
    const { rows } = await sql<{ account: string }>`
      select distinct account from callsheet.manifest`.execute(stage.warehouse.db)
    expect(rows).toEqual([{ account: ACCOUNT }])
  })
})

/** Changes the activity as a merge does: moves the previous version to the history. */
async function change(runId: number, content: string): Promise<void> {
  const columns = `account, session_id, id, type, create_time, user_id, collaborator_id, collaborator_name,
    email, content, object_ids, _raw, _bytes, _hash, _first_seen_at, _changed_at, _deleted_at, _run_id`
  const bytes = JSON.stringify({
    id: 'a',
    type: 'add',
    user_id: 'u-1',
    content,
    create_time: '2026-06-01T10:05:00Z',
  })
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql
      .raw(`insert into history.whiteboard_activities (${columns}, _valid_from, _valid_to,
        _ended_by_run, _end)
      select ${columns}, _changed_at, now(), ${runId}, 'changed' from svc.whiteboard_activities`)
      .execute(tx)
    await sql
      .raw(`update svc.whiteboard_activities set _bytes = convert_to('${bytes}', 'UTF8'),
        content = '${content}', _raw = '${bytes}', _run_id = ${runId}, _changed_at = now()`)
      .execute(tx)
  })
}

async function inDoubt(): Promise<number> {
  const { rows } = await sql<{ files: number }>`select count(*)::int as files from callsheet.files
    where state in ('stored', 'removed') and not entered`.execute(stage.warehouse.db)
  return rows[0]?.files ?? Number.NaN
}
