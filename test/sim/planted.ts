import type { PlantedBug } from './planted-bug.ts'
import { PLANTED_LISTS } from './planted-lists.ts'

/** A page without records, in the words of `payload.ts`. */
const EMPTY_PAGE = "pageOf(received, {}, noRecords(Buffer.from('{}')))"

/** Bugs that sync engines are known to have had. Each must be found by the simulation. */
export const PLANTED: Readonly<Record<string, PlantedBug>> = {
  'no-overlap': {
    what: 'windows are asked without an overlap',
    file: 'src/sync/plan/windows.ts',
    find: 'const overlapMs = overlapDays * DAY_MS',
    replace: 'const overlapMs = 0 * overlapDays',
    shownBy: { seed: 4, job: 'whiteboard-archives' },
  },
  'window-gap': {
    what: 'each window owns a day less than it should',
    file: 'src/sync/plan/windows.ts',
    find: 'toMs: startOf(at.getUTCMonth() + 1) }',
    replace: 'toMs: startOf(at.getUTCMonth() + 1) - DAY_MS }',
    shownBy: { seed: 4, job: 'session-reports' },
  },
  'ledger-before-rows': {
    what: 'the slice is entered as complete before its rows are written',
    file: 'src/sync/read/read-group.ts',
    find: 'const refused = await writer.drain(',
    replace: 'const refused = []\n    void writer.drain(',
    shownBy: { seed: 3, job: 'whiteboard-archives' },
  },
  'one-miss-delete': {
    rare: true,
    what: 'a report is called deleted after one read without it',
    file: 'src/sync/deletions/second-read.ts',
    find: 'const deleted = first.proven.filter(ripe)',
    replace: 'const deleted = first.proven\n  candidates.length = 0',
    shownBy: { storm: 38 },
  },
  'gone-without-asking': {
    rare: true,
    what: 'a missing row is called deleted without asking its detail call',
    file: 'src/sync/deletions/ask-details.ts',
    find: "if (rule.by !== 'detail') return { deleted, found, nameless, whole: true }",
    replace: `if (rule.by !== 'detail' || keys.length > 0)
        return { deleted: [...keys], found, nameless: [], whole: true }`,
    shownBy: { storm: 2, job: 'users' },
  },
  'failed-detail-is-gone': {
    rare: true,
    what: 'a detail call that fails is taken for "deleted"',
    file: 'src/sync/deletions/ask-details.ts',
    find: `failed ??= error
      // Any other error may concern all keys, so the remaining calls are not sent.
      stopped ||= !(error instanceof UnusableValueError || mayMeanOne(rule.operation, error))`,
    replace: 'deleted.push(key)',
    shownBy: { storm: 6 },
  },
  'rank-ignored': {
    what: 'the trash overrules the window that shows a recording as live',
    file: 'src/core/records/fingerprint-table.ts',
    find: 'return rank * RANK_STEP + (sequence % RANK_STEP) + 1',
    replace: 'return rank * 0 + (sequence % RANK_STEP) + 1',
    shownBy: { seed: 1, job: 'recordings' },
  },
  'html-is-empty': {
    what: 'an HTML page is taken for an empty list',
    file: 'src/api/answers/payload.ts',
    find: 'export function readUnproven(received: Received): Page {',
    replace: `export function readUnproven(received: Received): Page {
      if (received.answer.body[0] === 60) return ${EMPTY_PAGE}`,
    shownBy: { seed: 8 },
  },
  'empty-body-is-empty-list': {
    what: 'an answer without a body is taken for an empty list',
    file: 'src/api/answers/payload.ts',
    find: 'export function readUnproven(received: Received): Page {',
    replace: `export function readUnproven(received: Received): Page {
      if (received.answer.body.length === 0) return ${EMPTY_PAGE}`,
    shownBy: { seed: 1, job: 'session-reports', besides: { rates: { empty: 0.15 } } },
  },
  'error-inside-is-empty': {
    what: 'an error inside a 200 is taken for an empty list',
    file: 'src/api/answers/payload.ts',
    find: `if (error !== undefined) throw refusalError(refusalOf(received, error))
  if (Array.isArray(records)) return`,
    replace: `if (error !== undefined) return
  if (Array.isArray(records)) return`,
    shownBy: { seed: 3, job: 'session-reports' },
  },
  'not-fenced': {
    rare: true,
    what: 'a process that lost its lease goes on writing',
    file: 'src/warehouse/ledger/lease.ts',
    find: 'if (own === undefined) throw fenced(account)',
    replace: 'if (own?.epoch === -1) throw fenced(account)',
    shownBy: { storm: 107 },
  },
  'rate-limit-not-shared': {
    what: 'a 429 holds back its own call and no other of the label',
    file: 'src/api/quota/governor.ts',
    find: 'await holdAll(label, refusal.untilMs, refusal.scope)',
    replace: 'if (label.length > 99) await holdAll(label, refusal.untilMs, refusal.scope)',
    shownBy: { seed: 15 },
  },
  'retry-after-ignored': {
    what: 'the time that a 429 names is not waited for',
    file: 'src/api/answers/headers.ts',
    find: 'return waitMs > 0 ? Math.min(waitMs, DAY_MS) : undefined',
    replace: 'return waitMs > DAY_MS ? DAY_MS : undefined',
    shownBy: { seed: 33, job: 'users' },
  },
  'two-renewals': {
    what: 'each call that needs a token asks for one of its own',
    file: 'src/api/auth/account-token.ts',
    find: 'renewing ??= obtain(',
    replace: 'renewing = obtain(',
    shownBy: { seed: 1, job: 'users' },
  },
  'quarantine-not-counted': {
    what: 'a record without a key is dropped without a word',
    file: 'src/sync/read/quarantine.ts',
    find: "if (earlier > MOST_ENTRIES) return 'quarantined'",
    replace: "if (earlier >= 0) return 'ignored'",
    shownBy: { seed: 18, job: 'recordings' },
  },
  'set-aside-is-whole': {
    what: 'a slice of which a record was set aside is not read again by the run that goes on',
    file: 'src/sync/deletions/slice-entries.ts',
    find: 'checked: whole || (alone && isWhole(reading)),',
    replace: "checked: whole || alone || isWhole(reading) || reading.state === 'complete',",
    shownBy: {
      seed: 4,
      job: 'session-reports',
      besides: {
        attempts: 2,
        edits: [],
        rates: { 'key-missing': 0.15, 'no-object': 0.1 },
        mishaps: [
          { kind: 'crash', attempt: 0, at: 160, lastsMs: 1_000 },
          { kind: 'crash', attempt: 1, at: 120, lastsMs: 1_000 },
        ],
      },
    },
  },
  'half-list-is-whole': {
    what: 'a slice that broke off is entered as complete',
    file: 'src/sync/read/read-group.ts',
    find: "const state = refused ? 'not_allowed' : 'failed'",
    replace: "const state = refused ? 'not_allowed' : 'complete'",
    shownBy: { seed: 3, job: 'whiteboard-archives' },
  },
  'unknown-commit-is-done': {
    what: 'a commit whose answer was lost is taken for done',
    file: 'src/warehouse/kysely-driver.ts',
    find: 'if (!isConnectionLost(error)) throw databaseError(error, tried)',
    replace:
      "if (isConnectionLost(error)) return { command: 'COMMIT' }\n    throw databaseError(error, tried)",
    shownBy: { seed: 62, job: 'whiteboard-archives' },
  },
  'write-error-swallowed': {
    what: 'a batch that could not be written is forgotten',
    file: 'src/sync/read/batch-writer.ts',
    find: '.catch((error: unknown) => void (failure ??= { error }))',
    replace: '.catch(() => {})',
    shownBy: { seed: 51, job: 'recordings' },
  },
  'children-kept': {
    what: 'what was cut from a record stays when the record no longer has it',
    file: 'src/warehouse/load/mark-deleted.ts',
    find: 'if (parents.length === 0) return 0',
    replace: 'if (parents.length >= 0) return 0',
    shownBy: { seed: 2, job: 'recordings' },
  },
  'change-not-seen': {
    what: 'a known key is taken for unchanged whatever its content',
    file: 'src/core/records/fingerprint-table.ts',
    find: "return same ? this.#showRow(row, order) : 'changed'",
    replace: "return same || row >= 0 ? this.#showRow(row, order) : 'changed'",
    shownBy: { seed: 5 },
  },
  'retry-writes-half': {
    what: 'a retried transaction writes only its known rows',
    file: 'src/sync/read/batch-transaction.ts',
    find: 'const counts = await work(tx, client, name.batch)',
    replace: 'const counts = tries > 1 ? new Map() : await work(tx, client, name.batch)',
    shownBy: { seed: 13 },
  },
  'stale-slices-reread-never': {
    what: 'a slice that failed is taken for read when the next run goes on',
    file: 'src/sync/ledger/slice-states.ts',
    find: "and([isComplete, eb('checked', '=', true)])",
    replace: "eb('state', '<>', 'not_allowed')",
    shownBy: { seed: 3, job: 'whiteboard-archives' },
  },
  'orphans-kept': {
    further: true,
    what: 'details stay when what they are of is deleted from the list of another job',
    file: 'src/sync/run-job.ts',
    find: 'if (ends.deleted.length + ends.left.length === 0) return',
    replace: 'if (ends.deleted.length + ends.left.length >= 0) return',
    shownBy: { seed: 1 },
  },
  'version-not-compared': {
    further: true,
    what: 'details that were read once are not read again when the list shows a change',
    file: 'src/sync/ledger/due-parents.ts',
    find: 'coalesce(h.version = p.version, false)',
    replace: 'h.version is not null',
    shownBy: { seed: 1 },
  },
  'refused-is-empty': {
    further: true,
    what: 'a list that is not allowed is taken for an empty one',
    file: 'src/sync/read/read-group.ts',
    find: "const state = refused ? 'not_allowed' : 'failed'",
    replace: "const state = refused ? 'complete' : 'failed'",
    shownBy: { seed: 3 },
  },
  ...PLANTED_LISTS,
}
