import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { verifyPage } from '../src/audit/page/verify-page.ts'
import { createDirectoryStore } from '../src/store/directory-store.ts'
import { connect, type Warehouse } from '../src/warehouse/connect.ts'
import { openBrowser } from '../test/serve/headless.ts'
import type { LargeOrder } from './bundle-large.ts'
import { runChild } from './child.ts'
import { openDatabase } from './database.ts'
import { type Figure, mebibytes, seconds } from './figures.ts'
import { limitMemory, type MemoryLimit } from './memory-limit.ts'
import type { Part, PartOptions } from './part.ts'
import type { Spent } from './spent.ts'

const FILE_BYTES = 100_000
const MOST_BYTES = 300 * 2 ** 20
const LEAST = 0.8
const MOST_BY_PAGE = 1

/** A bundle of large size is exported and verified, by the program and by its page. */
export const evidencePart: Part = {
  about:
    'a bundle of --gb gigabytes (10): exported, verified by the program and, of one, by its page',
  async measure(options) {
    const gigabytes = options.gigabytes ?? (options.quick ? 1 : 10)
    const database = await openDatabase()
    const directory = join(database.directory, 'archive')
    const path = join(database.directory, 'bundle.zip')
    try {
      await fill(database.url, directory, Math.ceil((gigabytes * 1e9) / FILE_BYTES))
      const place = { databaseUrl: database.url, directory, pem: newPem(), path }
      await step({ step: 'sign', ...place }, options)
      const exported = await withLimit({ step: 'export', ...place }, options)
      const { size } = statSync(path)
      const what = `bundle of ${mebibytes(size)}, ${exported.rows.toLocaleString('en')} entries`
      const before = sumOf(path)
      const verified = await withLimit({ step: 'verify', path }, options)
      const sumMs = (before + sumOf(path)) / 2
      // It takes minutes for each gigabyte.
      const page = gigabytes > MOST_BY_PAGE ? undefined : await byPage(path, database.directory)
      return {
        figures: [
          memory(`${what}: peak memory of the export`, exported),
          memory(`${what}: peak memory of verify`, verified),
          {
            what: `${what}: verify`,
            measured: `${(sumMs / verified.wallMs).toFixed(2)} x one sha256sum`,
            beside: `${seconds(verified.wallMs)} to ${seconds(sumMs)}`,
            target: `>= ${LEAST}`,
            met: sumMs / verified.wallMs >= LEAST,
          },
        ],
        tables: [
          {
            title: `${what}: what it takes`,
            lines: [
              ['', 'seconds', 'peak memory'],
              ['export', seconds(exported.wallMs), mebibytes(exported.peakBytes)],
              ['verify', seconds(verified.wallMs), mebibytes(verified.peakBytes)],
              ['one sha256sum', seconds(sumMs), ''],
              page === undefined
                ? ['the page, in a browser', 'not measured', '']
                : [
                    'the page, in a browser',
                    seconds(page.ms),
                    `${mebibytes(page.heapBytes)} of its heap`,
                  ],
            ],
          },
        ],
      }
    } finally {
      await database.stop()
    }
  },
}

async function step(
  order: LargeOrder,
  { nodeFlags, profileDirectory }: PartOptions,
  limit?: MemoryLimit,
): Promise<Spent> {
  const profiles = profileDirectory && `${profileDirectory}/${order.step}`
  return await runChild<LargeOrder, Spent>('bundle-large.ts', order, {
    nodeFlags,
    profileDirectory: profiles,
    limit,
  })
}

/** In no more memory than the target, where this machine lets that be said. */
async function withLimit(order: LargeOrder, options: PartOptions): Promise<Limited> {
  const limit = limitMemory(MOST_BYTES)
  try {
    return { ...(await step(order, options, limit)), limited: limit !== undefined }
  } finally {
    limit?.remove()
  }
}

interface Limited extends Spent {
  limited: boolean
}

function newPem(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

function memory(what: string, { peakBytes, limited }: Limited): Figure {
  return {
    what,
    measured: mebibytes(peakBytes),
    beside: limited ? 'with no more to be had' : 'with all that the machine has',
    target: `<= ${mebibytes(MOST_BYTES)}`,
    met: peakBytes <= MOST_BYTES,
  }
}

/** Sessions of a thousand activities, each with a file that the store has. */
async function fill(url: string, directory: string, files: number): Promise<void> {
  const store = createDirectoryStore(directory)
  await store.open()
  const warehouse = connect({ url, poolSize: 1 })
  const content = randomBytes(FILE_BYTES)
  for (let from = 0; from < files; from += PER_SESSION) {
    const digests: string[] = []
    for (let n = from; n < Math.min(files, from + PER_SESSION); n++) {
      content.writeUInt32LE(n)
      const digest = createHash('sha256').update(content).digest('hex')
      const draft = await store.receive()
      await draft.write(content)
      await draft.keep(digest)
      digests.push(digest)
    }
    await enter(warehouse, `session-${from}`, digests)
  }
  await store.flush()
  await store.close()
  await warehouse.close()
}

async function enter({ db }: Warehouse, session: string, digests: string[]): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
    values ('bench', 'whiteboard-archives', 1, 'complete', now(), now()) returning id`.execute(db)
  const run = rows[0]?.id ?? 0
  const meta = sql`'\\x00', now(), now(), ${run}`
  const bytes = Buffer.from(JSON.stringify({ id: session }))
  await sql`insert into svc.whiteboard_sessions (account, id, start_time, whiteboard_id, whiteboard_name,
      _raw, _bytes, _hash, _first_seen_at, _changed_at, _run_id)
    values ('bench', ${session}, '2026-06-01T10:00:00Z', 'board', 'Plans',
      jsonb_build_object('id', ${session}::text), ${bytes}, ${meta})`.execute(db)
  await sql`insert into svc.whiteboard_activities (account, session_id, id, type, create_time, _raw, _bytes,
      _hash, _first_seen_at, _changed_at, _run_id)
    select 'bench', ${session}, digest, 'add', '2026-06-01T10:05:00Z', jsonb_build_object('id', digest),
      convert_to('{"id":"' || digest || '"}', 'UTF8'), ${meta}
    from unnest(${digests}::text[]) digest`.execute(db)
  await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at, run_id)
    select 'bench', 'activity', ${session}, digest, 'stored', decode(digest, 'hex'), ${FILE_BYTES}, now(),
      ${run}
    from unnest(${digests}::text[]) digest`.execute(db)
}

/** What one sha256sum takes for the bundle, in milliseconds. */
function sumOf(path: string): number {
  const startedMs = performance.now()
  execFileSync('sha256sum', [path])
  return performance.now() - startedMs
}

interface FileField {
  uploadFile(path: string): Promise<void>
}

/** The page of the bundle as a person opens it, from the choice of the file to the verdict. */
async function byPage(path: string, directory: string): Promise<{ ms: number; heapBytes: number }> {
  const address = join(directory, 'verify.html')
  writeFileSync(address, await verifyPage())
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(pathToFileURL(address).href)
    const input = (await page.$('#file')) as unknown as FileField
    const startedMs = performance.now()
    await input.uploadFile(path)
    // Each wait is one call of the browser's protocol, which has a limit of its own.
    for (let waited = false; !waited; )
      waited = await page.waitForFunction(DONE, { timeout: 60_000, polling: 200 }).then(
        () => true,
        () => false,
      )
    const ms = performance.now() - startedMs
    const look = (await page.evaluate(
      `document.querySelector('#result .note').className`,
    )) as string
    if (/bad/.test(look)) throw new Error('the page finds fault with a whole bundle')
    const { JSHeapUsedSize: heapBytes = 0 } = await page.metrics()
    return { ms, heapBytes }
  } finally {
    await browser.close()
  }
}

const PER_SESSION = 1_000
const DONE = `document.querySelector('#result .note') &&
  !/^Reading/.test(document.getElementById('result').innerText)`
