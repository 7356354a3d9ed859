import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jobs, reports } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Config } from '../../src/config/schema.ts'
import type { Cause } from '../../src/core/define/cause.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { readHealth } from '../../src/serve/health/account-health.ts'
import type { ReadShownHealth } from '../../src/serve/health/read-snapshot.ts'
import type { Listening } from '../../src/serve/listen.ts'
import { openStatusServer, type Vitals } from '../../src/serve/work/status-server.ts'
import { trackAwake } from '../../src/serve/work/watch-health.ts'
import { type ManualClock, manualClock } from '../helpers/manual-clock.ts'
import { remakeAllStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

/** Text that is markup unless it is escaped, and a word wider than any screen. */
export const HOSTILE = `<script>alert(1)</script><img src=x onerror="alert(2)">${'endless'.repeat(60)}`

/** A synced account with an incomplete run, a held-back drop and a report, and a server of its status. */
export interface PageStage {
  world: World
  config: Config
  clock: ManualClock
  vitals: Vitals
  /** What the server logged. */
  logged: string[]
  causes: Cause[]
  /** A read of the accounts' health waits for this promise. */
  held: { until?: Promise<void> | undefined }
  /** The ID of the incomplete run. */
  brokenRun: number
  url: string
  /** Starts another server of the same state, with other settings. */
  serve(settings?: Partial<Config['serve']>): Promise<Listening>
  close(): Promise<void>
}

export const NOW_MS = Date.parse(WORLD_NOW)

export async function openPageStage(): Promise<PageStage> {
  const world = await openWorld({ sizes: TINY, accounts: [{}, {}] })
  await world.sync()
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-reports-'))
  const loaded = loadConfig({ path: world.place.configFile, jobs, environment: {} }).config
  const config = {
    ...loaded,
    reports: { ...loaded.reports, directory: folder },
    archive: { ...loaded.archive, files: true },
  }
  const clock = manualClock(NOW_MS)
  const logged: string[] = []
  const observer = {
    event: (name: string, of: object) => void logged.push(`${name} ${JSON.stringify(of)}`),
  }
  const awake = trackAwake(clock)
  const vitals: Vitals = { warehouse: world.warehouse, started: true, beatMs: 0, awake }
  const causes = [...CAUSES]
  const held: PageStage['held'] = {}
  const open: Listening[] = []
  const serve = async (settings: Partial<Config['serve']> = {}): Promise<Listening> => {
    const own = { ...config, serve: { ...config.serve, port: 0, ...settings } }
    const readShownHealth: ReadShownHealth = async (opened, account) => {
      await held.until
      const known = await readHealth(opened, account)
      const isShown = (one: Cause) => one.account === undefined || one.account === account.name
      return { ...known, causes: causes.filter(isShown) }
    }
    const wiring = { config: own, clock, observer }
    const place = { wiring, vitals, accounts: config.accounts, readShownHealth }
    const listening = await openStatusServer(wiring, [place])
    open.push(listening)
    return listening
  }
  const brokenRun = await breakRun(world)
  await failWindow(world)
  await expireSoon(world)
  await publishOne(world, folder)
  const { url } = await serve()
  return {
    world,
    config,
    clock,
    vitals,
    logged,
    causes,
    held,
    brokenRun,
    url,
    serve,
    async close() {
      for (const listening of open) await listening.close().catch(() => {})
      await world.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Inserts an incomplete run of users with a tripped deletion guard and several problems. */
async function breakRun({ warehouse }: World): Promise<number> {
  const { id } = await warehouse.db
    .insertInto('callsheet.runs')
    .values({
      account: 'account-0',
      job: 'users',
      epoch: 1,
      state: 'incomplete',
      started_at: new Date(NOW_MS - 3_600_000).toISOString(),
      finished_at: new Date(NOW_MS - 3_000_000).toISOString(),
      summary: JSON.stringify({
        tables: {},
        slices: { users: { planned: 3, complete: 2, failed: 1, notAllowed: 0, notRead: 0 } },
        problems: [
          `users status=active: ${HOSTILE}`,
          'user_details user=u-17: the service says that ada@example.com (+44 20 7946 0958) is gone',
          'user_details user=u-18: the service says that bob@example.com (+44 20 7946 0959) is gone',
        ],
        trippedGuards: [{ stream: 'users', missing: 40, owned: 60 }],
        notAllowed: { [HOSTILE]: HOSTILE },
      }),
      error: HOSTILE,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await warehouse.db
    .insertInto('callsheet.deletion_guards')
    .values({
      account: 'account-0',
      stream: 'users',
      run_id: id,
      missing: 40,
      owned: 60,
      at: new Date(NOW_MS).toISOString(),
    })
    .execute()
  return id
}

/** Makes the files of one session expire in twelve hours. */
async function expireSoon({ warehouse: { db } }: World): Promise<void> {
  await db
    .updateTable('svc.whiteboard_sessions')
    .set({ expire_time: new Date(NOW_MS + 12 * 3_600_000).toISOString() })
    .where('id', '=', (eb) =>
      eb.selectFrom('svc.whiteboard_activities').select('session_id').orderBy('id').limit(1),
    )
    .execute()
}

/** Marks one window of recordings as failed. */
async function failWindow({ warehouse: { db } }: World): Promise<void> {
  await db
    .updateTable('callsheet.slices')
    .set({ state: 'failed', checked: false, error: 'the service fell silent' })
    .where('stream', '=', 'recording_sessions')
    .where('owned_from', '<=', '2026-06-10T00:00:00Z')
    .where('owned_to', '>', '2026-06-10T00:00:00Z')
    .execute()
  await remakeAllStates(db)
}

async function publishOne({ warehouse }: World, directory: string): Promise<void> {
  const report = reports.find(({ name }) => name === 'session-quality')
  if (report === undefined) throw new Error('there is no such report')
  await publishReport(
    { warehouse },
    {
      report,
      account: 'account-0',
      params: { month: '2026-06' },
      timeZone: 'UTC',
      directory,
      formats: ['xlsx', 'html'],
    },
  )
}

const CAUSES: readonly Cause[] = [
  {
    code: 'drop_waiting',
    account: 'account-0',
    subject: 'users',
    level: 'red',
    sentence: `Users were not read whole: ${HOSTILE}`,
    todo: 'look at the service, then run callsheet sync --approve RUN',
    sinceMs: NOW_MS - 7_200_000,
  },
  {
    code: 'quota_short',
    account: 'account-0',
    subject: 'LIGHT',
    level: 'amber',
    sentence: 'The daily quota does not suffice.',
    todo: 'raise the quota, or read less',
    sinceMs: NOW_MS - 86_400_000,
  },
  {
    code: 'disk_low',
    account: undefined,
    subject: 'archive',
    level: 'amber',
    sentence: 'The disk of the archive is nearly full.',
    todo: 'make room',
    sinceMs: NOW_MS,
  },
]
