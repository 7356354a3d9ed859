import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { readBundleFacts, readManifestLine } from '../../../src/audit/proof/bundle-format.ts'
import { readCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import { TileProofs } from '../../../src/evidence/log/tile-proofs.ts'
import { readTiles } from '../../../src/evidence/sql/tree-tiles.ts'
import { logOf, witnessesOf } from '../../helpers/ask-witness.ts'
import {
  ACCOUNT,
  addRun,
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'
import { type Members, readMembers } from '../../helpers/rewrite-zip.ts'
import { statingRows } from '../../helpers/stated-rows.ts'
import { startWitness } from '../../helpers/witness-server.ts'

/** The sizes of the checkpoints: sessions, and two statements about each later run and its rows. */
export const SIZES = [FILLED + 1, FILLED + 1 + 502, FILLED + 1 + 502 + 302] as const

/** A bundle under the last of several checkpoints, and the log data that the database keeps. */
export interface GrownLog {
  members: Members
  /** The entries of the bundle, with their proofs. */
  entries: { line: string; index: number; path: Buffer[] }[]
  /** The earlier checkpoints, with the proofs that the newest one continues them. */
  older: { checkpoint: string; proof: Buffer[] }[]
  /** The tiles by level and number, e.g. `0/1`. */
  tiles: Map<string, Buffer>
}

/** Makes a log with three checkpoints and a witness, whose tiles are full, partial and of two levels. */
export async function grownLog(): Promise<GrownLog> {
  const stage = await openEvidenceStage()
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-log-'))
  const servers = [await startWitness('w.example/1', [logOf(stage)])]
  const witnesses = witnessesOf(servers, 1)
  try {
    await fillStage(stage)
    for (const count of [0, 500, 300]) {
      await addSessions(stage, count)
      await stage.append({ witnesses })
    }
    const path = join(folder, 'bundle.zip')
    const { problems } = await exportStage(stage, path)
    if (problems.length > 0) throw new Error(problems.join('\n'))
    const members = await readMembers(path)
    return { members, entries: entriesIn(members), ...(await keptOf(stage)) }
  } finally {
    for (const server of servers) await server.close()
    await stage.close()
    rmSync(folder, { recursive: true })
  }
}

async function addSessions(stage: EvidenceStage, count: number): Promise<void> {
  const runId = await addRun(stage)
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql`insert into svc.whiteboard_sessions (account, id, start_time, _raw, _bytes, _hash,
        _first_seen_at, _changed_at, _run_id)
      select 'main', id, '2026-06-02T10:00:00Z', record::jsonb, convert_to(record, 'UTF8'), '', now(),
        now(), ${runId}
      from generate_series(1, ${count}) n,
        lateral (select concat('many-', ${runId}::text, '-', n) as id) i,
        lateral (select json_build_object('id', id, 'start_time', '2026-06-02T10:00:00Z')::text as record)
          r`.execute(tx)
  })
}

function entriesIn(members: Members): GrownLog['entries'] {
  if (readBundleFacts(members.get('bundle.json')?.toString() ?? '') === undefined)
    throw new Error('no facts')
  const lines = members.get('manifest.ndjson')?.toString().trimEnd().split('\n') ?? []
  return lines.map((text) => {
    const { entry: line, path: told = [] } = readManifestLine(text) ?? { entry: '' }
    const { seq } = JSON.parse(line) as { seq: number }
    return { line, index: seq - 1, path: told.map((hash) => Buffer.from(hash, 'base64')) }
  })
}

async function keptOf({ warehouse }: EvidenceStage): Promise<Pick<GrownLog, 'older' | 'tiles'>> {
  const { rows: places } = await sql<{ level: number; tile: number }>`
    select distinct level, tile from callsheet.tree_tiles`.execute(warehouse.db)
  const { rows: signed } = await sql<{ checkpoint: string }>`
    select note as checkpoint from callsheet.checkpoints order by size`.execute(warehouse.db)
  return await warehouse.transaction(async (tx) => {
    const read = await readTiles(tx, ACCOUNT, places)
    const tiles = new Map(
      read.map(({ level, tile, hashes }) => [`${level}/${tile}`, hashes ?? Buffer.alloc(0)]),
    )
    const proofs = new TileProofs(({ level, tile }) =>
      Promise.resolve(tiles.get(`${level}/${tile}`) ?? Buffer.alloc(0)),
    )
    const sizes = signed.map(({ checkpoint }) => readCheckpoint(checkpoint)?.size ?? 0)
    const older = signed.slice(0, -1).map(async ({ checkpoint }, at) => {
      const proof = await proofs.consistency(sizes[at] ?? 0, sizes.at(-1) ?? 0)
      return { checkpoint, proof: proof ?? [] }
    })
    return { tiles, older: await Promise.all(older) }
  })
}
