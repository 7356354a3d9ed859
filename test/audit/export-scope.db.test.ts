import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditScope } from '../../src/audit/bundle/audit-selection.ts'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import {
  addActivity,
  addFile,
  addRun,
  addSession,
  type EvidenceStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { readMembers } from '../helpers/rewrite-zip.ts'

/** Two boards, each with a session with an activity of u-1 and of u-2, and a session of last month. */
let stage: EvidenceStage
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-scopes-'))
  stage = await openEvidenceStage()
  const runId = await addRun(stage)
  const jana = { user_id: 'u-2', user_name: 'Jana', email: 'jana@example.org' }
  const before = { start: '2026-05-31T10:00:00Z', end: '2026-05-31T23:59:59Z' }
  await addSession(stage, { runId, id: 'one' })
  await addSession(stage, { runId, id: 'two', board: 'board-2' })
  await addSession(stage, { runId, id: 'watched', people: [jana] })
  await addSession(stage, { runId, id: 'before', ...before })
  for (const session of ['one', 'two', 'before'])
    for (const user of ['u-1', 'u-2']) {
      const at = session === 'before' ? { at: '2026-05-31T10:05:00Z' } : {}
      const email = user === 'u-2' ? { email: 'Jana@example.org' } : {}
      const id = `${session} ${user}`
      await addActivity(stage, { runId, session, id, user, ...email, ...at })
      await addFile(stage, { runId, session, id, content: id })
    }
  await stage.append()
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

/** Exports the scope, verifies the bundle without the database, and returns the names of its records. */
async function exported(
  scope: Partial<AuditScope>,
  { told = [], from = stage }: { told?: readonly unknown[]; from?: EvidenceStage } = {},
) {
  const asked = join(folder, 'scope.zip')
  const { facts, problems, path } = await exportStage(from, asked, { scope })
  const { key } = from
  expect(problems).toEqual(told)
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

async function addMore(add: (runId: number) => Promise<unknown>): Promise<void> {
  await add(await addRun(stage))
  await stage.append()
}

describe('the content of a bundle', () => {
  it('contains everything from its period, and nothing from another period', async () => {
    const all = ['one u-1', 'one u-2', 'two u-1', 'two u-2']
    expect(await exported({})).toMatchObject({
      sessions: ['one', 'two', 'watched'],
      activities: all,
      index: all,
      files: 4,
      facts: { whiteboard: null, user: null, records: 7, files: 4, entries: 11 },
    })
  })

  it('about a board contains nothing about other boards', async () => {
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
    'about a person (%s) contains their activities and the sessions that they attended',
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

  it('about a person on a board is limited to both', async () => {
    expect(await exported({ user: 'u-2', whiteboard: 'board-2' })).toMatchObject({
      sessions: ['two'],
      activities: ['two u-2'],
      files: 1,
    })
  })

  it('about an unknown person is empty, and still proves its checkpoint', async () => {
    expect(await exported({ user: 'u-9' })).toMatchObject({
      sessions: [],
      activities: [],
      files: 0,
    })
  })

  it('contains a session that lies only partly in its days', async () => {
    const hours = { start: '2026-05-31T23:30:00Z', end: '2026-06-01T00:10:00Z' }
    await addMore((runId) => addSession(stage, { runId, id: 'over midnight', ...hours }))
    const { sessions } = await exported({})
    expect(sessions).toEqual(['one', 'over midnight', 'two', 'watched'])
    const may = { from: '2026-05-01T00:00:00Z', to: '2026-06-01T00:00:00Z' }
    expect((await exported(may)).sessions).toEqual(['before', 'over midnight'])
  })

  it('contains an activity without a time if its session is in the period', async () => {
    await addMore(async (runId) => {
      const activity = { runId, session: 'two', id: 'timeless' }
      await addActivity(stage, { ...activity, at: null, user: 'u-3' })
      await addFile(stage, { ...activity, content: 'of no time' })
    })
    const ofBoard = ['timeless', 'two u-1', 'two u-2']
    const { activities, index, files } = await exported({ whiteboard: 'board-2' })
    expect({ activities, index, files }).toEqual({ activities: ofBoard, index: ofBoard, files: 3 })
  })

  it('about a person contains records with only their ID or only their address', async () => {
    await addMore(async (runId) => {
      const known = { runId, session: 'watched' }
      await addActivity(stage, { ...known, id: 'by address', user: '', email: 'Jana@example.org' })
      await addActivity(stage, { ...known, id: 'by ID', user: 'u-2' })
    })
    for (const user of ['u-2', 'jana@example.org']) {
      const { activities } = await exported({ user })
      expect(activities).toEqual(['by ID', 'by address', 'one u-2', 'two u-2'])
    }
  })

  it('contains sessions without a start time, with their activities', async () => {
    const own = await openEvidenceStage()
    const id = await addRun(own)
    for (const [session, at] of [
      ['june', '2026-06-05'],
      ['july', '2026-07-05'],
    ] as const) {
      await addSession(own, { runId: id, id: session, start: null, people: [] })
      await addActivity(own, {
        runId: id,
        session,
        id: `${session} a`,
        user: 'u-1',
        at: `${at}T10:00:00Z`,
      })
    }
    await addSession(own, { runId: id, id: 'quiet' })
    await own.append()
    await own.tamper(`update svc.whiteboard_sessions set start_time = null where id = 'quiet'`)
    const told = [
      'the row whiteboard_sessions/quiet: row changed (a changed or inserted row)',
      expect.stringMatching(/^1 row of svc.whiteboard_sessions that batch \S+ wrote: row missing /),
    ]
    const kept = await exported({}, { from: own, told })
    expect([kept.sessions, kept.activities]).toEqual([['june', 'quiet'], ['june a']])
    await own.close()
  })

  it('reports table rows that differ from the stored bytes', async () => {
    await stage.tamper(
      `update svc.whiteboard_activities set create_time = '2026-01-01' where id = 'one u-1'`,
    )
    const told = [
      'the row whiteboard_activities/one/one u-1: row changed (a changed or inserted row)',
      expect.stringMatching(
        /^1 row of svc.whiteboard_activities that batch \S+ wrote: row missing /,
      ),
    ]
    const { activities } = await exported({}, { told })
    expect(activities).toContain('one u-2')
    expect(activities).not.toContain('one u-1')
  })
})
