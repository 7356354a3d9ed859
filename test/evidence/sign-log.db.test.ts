import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ReadCheckpoint, readCheckpoint } from '../../src/evidence/log/checkpoint.ts'
import {
  ACCOUNT,
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  newKey,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { statingRows } from '../helpers/stated-rows.ts'
import { leafOf, mth } from './log/naive-tree.ts'

let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
})
afterEach(() => stage.close())

describe('a checkpoint', () => {
  it('is signed by each append, with the root of all entries', async () => {
    await stage.append()
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    await stage.append()
    const signed = await checkpoints()
    expect(signed.map((one) => one?.size)).toEqual([FILLED, FILLED + ADDED])
    const lines = await entryLines()
    for (const one of signed) expect(one?.root).toEqual(rootOf(lines.slice(0, one?.size)))
    const note = await stage.store.readNote(`checkpoint-0000${FILLED + ADDED}`)
    expect(note).toMatch(new RegExp(`^callsheet/main\n${FILLED + ADDED}\n`))
    expect(readCheckpoint(note ?? '')).toEqual(signed[1])
    expect((await stage.verify()).checked).toMatchObject({ checkpoints: 2 })
  })

  it('is computed from the right edge of the tree alone', async () => {
    await manySessions(500)
    await stage.append()
    await manySessions(300)
    // Damages an earlier full tile, which is not read.
    await stage.tamper(`update callsheet.tree_tiles set hashes = set_byte(hashes, 0, 0)
      where level = 0 and tile = 0`)
    expect(await stage.append()).toMatchObject({ signed: 1, problems: [] })
    const signed = await checkpoints()
    expect(signed.map((one) => one?.size)).toEqual([FILLED + 502, FILLED + 502 + 302])
    expect(signed[1]?.root).toEqual(rootOf(await entryLines()))
    expect((await stage.verify()).findings).toMatchObject([
      { code: 'tile_wrong', what: 'tile 0 of level 0' },
    ])
  })

  it('is not signed if the tiles do not match the previous checkpoint', async () => {
    await stage.append()
    const first = (await checkpointTexts())[0] ?? ''
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    await stage.append()
    await addSession(stage, { runId: await addRun(stage), id: 'latest' })
    const flip = 'hashes = set_byte(hashes, 9, get_byte(hashes, 9) # 1) where start = 0'
    for (const [tamper, back] of [
      [flip, flip],
      [`tile = 3 where start = ${FILLED}`, 'tile = 0 where tile = 3'],
      [`level = 1 where start = ${FILLED}`, 'level = 0 where level = 1'],
    ]) {
      await stage.tamper(`update callsheet.tree_tiles set ${tamper}`)
      await refused()
      await stage.tamper(`update callsheet.tree_tiles set ${back}`)
    }
    await stage.tamper(`insert into callsheet.tree_tiles
      select account, level, 3, start, hashes from callsheet.tree_tiles where start = 0`)
    await refused()
    await stage.tamper('delete from callsheet.tree_tiles where tile = 3')
    const texts = await checkpointTexts()
    for (const wrong of [
      first,
      'x',
      texts[1]?.replace(/^.{44}$/m, rootOf([]).toString('base64')),
    ]) {
      await replaceNewest(wrong ?? '')
      await refused()
    }
    expect((await checkpointTexts()).length).toBe(2)
  })

  it('is not continued by a new one if none of our keys signed it', async () => {
    await stage.append()
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    const key = newKey()
    const previousKeys = [stage.key.publicKey.fingerprint]
    expect(await stage.append({ key, previousKeys })).toMatchObject({ signed: 1, problems: [] })
    const keys = [key.publicKey.fingerprint, ...previousKeys]
    expect((await stage.verify({ keys })).findings).toEqual([])
    await addSession(stage, { runId: await addRun({ ...stage, key }), id: 'latest' })
    await replaceNewest((await checkpointTexts())[0] ?? '')
    await expect(stage.append({ key, previousKeys })).rejects.toMatchObject({
      code: 'evidence_tree_wrong',
      facts: { came: 'the newest checkpoint is unreadable, or was not signed with a known key' },
    })
  })

  it('is not signed over a hole in the entries', async () => {
    await stage.append()
    await manySessions(3)
    await stage.tamper(`insert into callsheet.manifest (account, seq, kind, subject, line)
      select account, ${FILLED + 8}, kind, subject, line from callsheet.manifest where seq = 1`)
    const { signed, problems } = await stage.append()
    expect(signed).toBe(0)
    expect(problems).toEqual([
      expect.stringMatching(
        `^no checkpoint was signed, .* \\(of ${FILLED + 1} to ${FILLED + 11}, only 6 exist\\): ` +
          'run callsheet verify',
      ),
    ])
    expect((await checkpoints()).map((one) => one?.size)).toEqual([FILLED])
  })

  it('has tiles that ordinary SQL cannot change or delete', async () => {
    await stage.append()
    for (const statement of [
      'update callsheet.tree_tiles set start = 1',
      'delete from callsheet.tree_tiles',
      'truncate callsheet.tree_tiles',
    ])
      await expect(stage.warehouse.withClient((client) => client.query(statement))).rejects.toThrow(
        'only added to',
      )
  })
})

/** Replaces the newest note in the database and in the store, so that they agree. */
async function replaceNewest(note: string): Promise<void> {
  const size = FILLED + ADDED
  await stage.tamper(`update callsheet.checkpoints set note = '${note}' where size = ${size}`)
  await stage.store.keepNote(`checkpoint-0000${size}`, note)
}

async function refused(): Promise<void> {
  await expect(stage.append()).rejects.toMatchObject({ code: 'evidence_tree_wrong' })
}

/** Adds sessions of one run, with the statements about it. */
async function manySessions(count: number): Promise<void> {
  const runId = await addRun(stage)
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql`insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash,
        _first_seen_at, _changed_at, _run_id)
      select 'main', concat('many-', ${runId}::text, '-', n), '{}', '{}', '', now(), now(), ${runId}
      from generate_series(1, ${count}) n`.execute(tx)
  })
}

async function checkpointTexts(): Promise<string[]> {
  const { rows } = await sql<{ note: string }>`
    select note from callsheet.checkpoints order by size`.execute(stage.warehouse.db)
  return rows.map(({ note }) => note)
}

async function checkpoints(): Promise<(ReadCheckpoint | undefined)[]> {
  return (await checkpointTexts()).map((text) => readCheckpoint(text))
}

async function entryLines(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select line from callsheet.manifest order by seq`.execute(stage.warehouse.db)
  return rows.map(({ line }) => line)
}

function rootOf(lines: readonly string[]): Buffer {
  return mth(lines.map(leafOf))
}
