import { type ExpressionBuilder, sql } from 'kysely'
import type { Cause, CauseCode } from '../../core/define/cause.ts'
import { iso } from '../../core/time/time.ts'
import { lockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { anyOf, wall } from '../../warehouse/schema/expressions.ts'
import type { Database } from '../../warehouse/schema/types.ts'

/** The stored state of one cause on one channel. */
export interface AlertRow {
  channel: string
  /** The cause's name, from `nameOfCause`. */
  name: string
  /** The cause as it was when it was last chosen to be sent. */
  cause: Cause
  toldLevel: Cause['level'] | undefined
  firstToldMs: number | undefined
  toldMs: number | undefined
  recoveredMs: number | undefined
  /** Failed deliveries in a row. */
  attempts: number
  lastError: string | undefined
  /** Whether a process is sending the alert now. */
  busy: boolean
}

/** The alerts to send on a channel. */
export interface AlertChoice {
  /** Causes to send as an alert or a reminder, by name. */
  causes: ReadonlyMap<string, Cause>
  /** Names of causes whose end is to be sent. */
  recovered: readonly string[]
  /** Names of causes that ended before any alert was sent. */
  dropped: readonly string[]
}

export interface ClaimOptions {
  channel: string
  claim: string
  nowMs: number
}

/**
 * Chooses the alerts to send on a channel, and claims them so that no other process sends them too. A lock
 * lets one process choose at a time. A claim expires, because its process may die while sending.
 */
export async function claimAlerts<Choice extends AlertChoice>(
  warehouse: Warehouse,
  { channel, claim, nowMs }: ClaimOptions,
  choose: (rows: readonly AlertRow[]) => Choice,
): Promise<Choice> {
  return await warehouse.transaction(async (tx) => {
    await lockText(tx, channel, { space: ALERT_LOCK })
    const choice = choose(await alertRows(tx, channel))
    const claimed = { claim, claimed_until: runsOut }
    const { causes, recovered, dropped } = choice
    for (const [name, cause] of causes) await claimCause(tx, { channel, name, cause, claimed })
    await ofChannel(tx, channel, recovered).set(claimed).execute()
    const over = { recovered_at: iso(nowMs), attempts: 0, last_error: null }
    await ofChannel(tx, channel, dropped).set(over).execute()
    return choice
  })
}

export interface SentCauses {
  told: readonly string[]
  reminded: readonly string[]
  recovered: readonly string[]
}

/** Records that the claimed causes were sent. */
export async function recordSent(
  warehouse: Warehouse,
  { channel, claim, nowMs }: ClaimOptions,
  { told, reminded, recovered }: SentCauses,
): Promise<void> {
  const at = iso(nowMs)
  const ended = { attempts: 0, last_error: null, claim: null, claimed_until: null }
  await warehouse.transaction(async (tx) => {
    await ofChannel(tx, channel, told)
      .where('claim', '=', claim)
      .set((eb) => ({
        ...ended,
        told_level: eb.ref('level'),
        first_told_at: firstTold(eb, at),
        last_told_at: at,
        recovered_at: null,
      }))
      .execute()
    await ofChannel(tx, channel, reminded)
      .where('claim', '=', claim)
      .set({ ...ended, last_told_at: at })
      .execute()
    await ofChannel(tx, channel, recovered)
      .where('claim', '=', claim)
      .set({ ...ended, recovered_at: at })
      .execute()
  })
}

/** Releases claimed causes that were not sent. With a code, records the failure. */
export async function recordUnsent(
  warehouse: Warehouse,
  { channel, claim }: Pick<ClaimOptions, 'channel' | 'claim'>,
  code: string | undefined,
): Promise<void> {
  await warehouse.db
    .updateTable('callsheet.alerts')
    .set({ claim: null, claimed_until: null })
    .$if(code !== undefined, (query) =>
      query.set((eb) => ({ attempts: eb('attempts', '+', 1), last_error: code ?? null })),
    )
    .where('channel', '=', channel)
    .where('claim', '=', claim)
    .execute()
}

/** Returns open causes and failed deliveries, the oldest first. */
export async function openAlerts(db: Transaction, limit: number): Promise<AlertRow[]> {
  const rows = await alertQuery(db)
    .where((eb) => eb.or([eb('recovered_at', 'is', null), eb('last_error', 'is not', null)]))
    .orderBy('since')
    .orderBy('cause')
    .orderBy('channel')
    .limit(limit)
    .execute()
  return rows.map(rowOf)
}

async function alertRows(tx: Transaction, channel: string): Promise<AlertRow[]> {
  const rows = await alertQuery(tx).where('channel', '=', channel).orderBy('cause').execute()
  return rows.map(rowOf)
}

function alertQuery(db: Transaction) {
  return db
    .selectFrom('callsheet.alerts')
    .selectAll()
    .select((eb) => eb('claimed_until', '>', wall).as('busy'))
}

type Queried = Awaited<ReturnType<ReturnType<typeof alertQuery>['execute']>>[number]

function rowOf(row: Queried): AlertRow {
  const { account, code, subject, level, sentence, todo, since } = row
  return {
    channel: row.channel,
    name: row.cause,
    cause: {
      code: code as CauseCode,
      account: account ?? undefined,
      subject,
      level,
      sentence,
      todo,
      sinceMs: Date.parse(since),
    },
    toldLevel: row.told_level ?? undefined,
    firstToldMs: ms(row.first_told_at),
    toldMs: ms(row.last_told_at),
    recoveredMs: ms(row.recovered_at),
    attempts: row.attempts,
    lastError: row.last_error ?? undefined,
    busy: row.busy === true,
  }
}

interface Claiming {
  channel: string
  name: string
  cause: Cause
  claimed: { claim: string; claimed_until: typeof runsOut }
}

async function claimCause(
  tx: Transaction,
  { channel, name, cause, claimed }: Claiming,
): Promise<void> {
  const { code, account = null, level, sinceMs } = cause
  const subject = kept(cause.subject)
  const texts = { sentence: kept(cause.sentence), todo: kept(cause.todo) }
  const said = { level, ...texts, since: iso(sinceMs), ...claimed }
  await tx
    .insertInto('callsheet.alerts')
    .values({ channel, cause: name, code, account, subject, ...said })
    .onConflict((conflict) => conflict.columns(['channel', 'cause']).doUpdateSet(said))
    .execute()
}

/**
 * Cleans a text: Postgres accepts neither NUL nor lone surrogates. Cuts it to MOST_CHARACTERS, far more than
 * our texts have.
 */
function kept(text: string): string {
  return text.slice(0, MOST_CHARACTERS).toWellFormed().replaceAll('\0', '\u2400')
}

function ofChannel(tx: Transaction, channel: string, names: readonly string[]) {
  return tx
    .updateTable('callsheet.alerts')
    .where('channel', '=', channel)
    .where('cause', '=', anyOf(names))
}

/** Returns the time of the first alert, which stays if the cause is sent again because it turned red. */
function firstTold(eb: ExpressionBuilder<Database, 'callsheet.alerts'>, at: string) {
  return eb
    .case()
    .when('recovered_at', 'is', null)
    .then(eb.fn.coalesce('first_told_at', sql<string>`${at}::timestamptz`))
    .else(sql<string>`${at}::timestamptz`)
    .end()
}

function ms(instant: string | null): number | undefined {
  return instant === null ? undefined : Date.parse(instant)
}

/** How long a claim on an alert is valid: longer than sending takes (`SEND_TIMEOUT_MS` per channel). */
const runsOut = sql<string>`callsheet.wall() + interval '10 minutes'`
const ALERT_LOCK = 2_026_000_061
const MOST_CHARACTERS = 2_000
