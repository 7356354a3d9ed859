import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createDirectoryStore } from '../src/store/directory-store.ts'
import { connect } from '../src/warehouse/connect.ts'
import { runChild } from './child.ts'
import { openDatabase } from './database.ts'
import { type Figure, mebibytes, type Table } from './figures.ts'
import type { Part, PartOptions } from './part.ts'
import type { Verified, VerifyOrder } from './verify-evidence.ts'

/** Bytes of a file: a million of the first have ten gigabytes; and large ones. */
const SIZES = [10_000, 1_000_000]
const LEAST = 0.8
const ROUNDS = 3

export const verifyPart: Part = {
  about:
    'verify of stored files, by threads, beside one sha256sum (--gb of each size, 10 by default)',
  async measure(options) {
    const gigabytes = options.gigabytes ?? (options.quick ? 1 : 10)
    const figures: Figure[] = []
    const lines: string[][] = []
    for (const size of SIZES) {
      const { ours, theirs, bytes } = await measureSize(options, gigabytes * 1e9, size)
      for (let round = 0; round < ours.length; round++)
        lines.push([String(size), rate(bytes, ours[round]), rate(bytes, theirs[round])])
      const [mine, other] = [middle(ours), middle(theirs)]
      figures.push({
        what: `verify of ${(bytes / size).toLocaleString('en')} entries, ${mebibytes(bytes)}`,
        measured: `${(other / mine).toFixed(2)} x one sha256sum`,
        beside: `${rate(bytes, mine)} to ${rate(bytes, other)}`,
        target: `>= ${LEAST}`,
        met: other / mine >= LEAST,
      })
    }
    const tables: Table[] = [
      {
        title: 'verify, rounds in turns',
        lines: [['bytes a file', 'verify, by threads', 'one sha256sum'], ...lines],
      },
    ]
    return { figures, tables }
  },
}

async function measureSize(
  { nodeFlags, profileDirectory }: PartOptions,
  wanted: number,
  size: number,
) {
  const database = await openDatabase()
  const directory = join(database.directory, 'archive')
  try {
    const bytes = await fill({
      url: database.url,
      directory,
      size,
      files: Math.ceil(wanted / size),
    })
    const order = { databaseUrl: database.url, directory }
    const ours: number[] = []
    const theirs: number[] = []
    // In turns, so that what else the machine does weighs on both alike.
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push(sumAll(directory))
      const verified = await runChild<VerifyOrder, Verified>('verify-evidence.ts', order, {
        nodeFlags,
        profileDirectory: profileDirectory && `${profileDirectory}/verify-${size}-${round}`,
      })
      if (verified.findings > 0 || verified.bytes !== bytes)
        throw new Error(
          `verify read ${verified.bytes} of ${bytes} bytes, ${verified.findings} findings`,
        )
      ours.push(verified.ms)
    }
    return { ours, theirs, bytes }
  } finally {
    await database.stop()
  }
}

/** Stores files as the archive does and enters them in the ledger; the first verification signs them. */
async function fill({
  url,
  directory,
  size,
  files,
}: {
  url: string
  directory: string
  size: number
  files: number
}): Promise<number> {
  const store = createDirectoryStore(directory)
  await store.open()
  const warehouse = connect({ url, poolSize: 1 })
  const content = randomBytes(size)
  for (let from = 0; from < files; from += 1000) {
    const digests: string[] = []
    for (let n = from; n < Math.min(files, from + 1000); n++) {
      content.writeUInt32LE(n)
      const digest = createHash('sha256').update(content).digest('hex')
      const draft = await store.receive()
      await draft.write(content)
      await draft.keep(digest)
      digests.push(digest)
    }
    await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
      select 'bench', 'activity', 'session', digest, 'stored', decode(digest, 'hex'), ${size}, now()
      from unnest(${digests}::text[]) digest`.execute(warehouse.db)
  }
  await store.flush()
  await store.close()
  await warehouse.close()
  return files * size
}

/** The time that one sha256sum, which has one thread, takes for all files, in milliseconds. */
function sumAll(directory: string): number {
  const files = join(directory, 'files')
  statSync(files)
  const startedMs = performance.now()
  execFileSync('sh', ['-c', `find "$0" -type f -print0 | xargs -0 sha256sum > /dev/null`, files])
  return performance.now() - startedMs
}

function rate(bytes: number, ms = Number.NaN): string {
  return `${Math.round(bytes / 1e6 / (ms / 1000))} MB/s`
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
