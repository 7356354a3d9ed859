import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/evidence/verify-bundle.ts'
import type { AuditScope } from '../../src/warehouse/audit-selection.ts'
import {
  ACCOUNT,
  addActivity,
  addFile,
  addRun,
  addSession,
  type EvidenceStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { readMembers } from '../helpers/rewrite-zip.ts'

/** Two boards with a session each, in each an activity of u-1 and of u-2, and a session of last month. */
let stage: EvidenceStage
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-scopes-'))
  stage = await openEvidenceStage()
  const { db } = stage.warehouse
  const runId = await addRun(stage)
  for (const session of ['one', 'two', 'watched', 'before'])
    await addSession(stage, { runId, id: session })
  for (const session of ['one', 'two', 'before'])
    for (const user of ['u-1', 'u-2']) {
      await addActivity(stage, { runId, session, id: `${session} ${user}` })
      await addFile(stage, {
        runId,
        session,
        id: `${session} ${user}`,
        content: `${session} ${user}`,
      })
    }
  await sql`update svc.whiteboard_activities set user_id = 'u-2', email = 'Jana@example.org'
    where id like '%u-2'`.execute(db)
  await sql`update svc.whiteboard_sessions set whiteboard_id = 'board-2' where id = 'two'`.execute(
    db,
  )
  await sql`update svc.whiteboard_sessions set start_time = '2026-05-31T10:00:00Z'
    where id = 'before'`.execute(db)
  await sql`update svc.whiteboard_activities set create_time = '2026-05-31T10:05:00Z'
    where session_id = 'before'`.execute(db)
  await sql`insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
      join_whiteboard_time, ordinal, email, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    values (${ACCOUNT}, 'watched', 'u-2', 'Jana', '', 0, 'jana@example.org', '{}', '\\x00',
      now(), now(), ${runId})`.execute(db)
  await stage.append()
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

/** What a bundle of the scope holds, by the names of its records, each checked without the database. */
async function exported(scope: Partial<AuditScope>) {
  const path = join(folder, 'scope.zip')
  const { facts, problems } = await exportStage(stage, path, { scope })
  const { key } = stage
  expect(problems).toEqual([])
  expect((await verifyBundle(path, { key: key.publicKey.fingerprint })).findings).toEqual([])
  const members = await readMembers(path)
  const idsOf = (name: string, field: string): string[] =>
    linesOf(members.get(name))
      .map((record) => String(record[field]))
      .toSorted()
  const files = [...members.keys()].filter((name) => name.startsWith('files/')).length
  return {
    sessions: idsOf('records/whiteboard_sessions.ndjson', 'id'),
    activities: idsOf('records/whiteboard_activities.ndjson', 'id'),
    index: idsOf('files.ndjson', 'activity'),
    files,
    facts,
  }
}

function linesOf(member: Buffer | undefined): Record<string, unknown>[] {
  const text = member?.toString() ?? ''
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('a bundle', () => {
  it('holds all of a period and nothing of another', async () => {
    const all = ['one u-1', 'one u-2', 'two u-1', 'two u-2']
    expect(await exported({})).toMatchObject({
      sessions: ['one', 'two', 'watched'],
      activities: all,
      index: all,
      files: 4,
      facts: { whiteboard: null, user: null, records: 7, files: 4, entries: 11 },
    })
  })

  it('of a board holds nothing of others', async () => {
    const ofBoard = ['two u-1', 'two u-2']
    expect(await exported({ whiteboard: 'board-2' })).toMatchObject({
      sessions: ['two'],
      activities: ofBoard,
      index: ofBoard,
      files: 2,
      facts: { whiteboard: 'board-2', user: null },
    })
  })

  it.each(['u-2', 'JANA@example.org'])(
    'of a person (%s) holds what they did and the sessions that they were in',
    async (user) => {
      const theirs = ['one u-2', 'two u-2']
      expect(await exported({ user })).toMatchObject({
        sessions: ['one', 'two', 'watched'],
        activities: theirs,
        index: theirs,
        files: 2,
        facts: { user },
      })
    },
  )

  it('of a person on a board holds both bounds', async () => {
    expect(await exported({ user: 'u-2', whiteboard: 'board-2' })).toMatchObject({
      sessions: ['two'],
      activities: ['two u-2'],
      files: 1,
    })
  })

  it('of a person whom nobody knows is empty, and still proves its heads', async () => {
    expect(await exported({ user: 'u-9' })).toMatchObject({
      sessions: [],
      activities: [],
      files: 0,
    })
  })
})
