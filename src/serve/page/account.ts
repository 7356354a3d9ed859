import { html } from 'hono/html'
import { count, duration } from '../../core/values/quantities.ts'
import type { RunOverview } from '../health/run-overview.ts'
import type { AccountSnapshot, JobSnapshot } from '../health/snapshot.ts'
import { archiveSection, quotaSection } from './account-limits.ts'
import { instant, instantFrom, runPath } from './format.ts'
import { causeList, healthPill, runPill } from './health.ts'
import { breakable, type Html, layout, section } from './layout.ts'
import { runsTable } from './runs.ts'
import { type PageCell, table } from './table.ts'

export function accountPage(snapshot: AccountSnapshot): Html {
  const { account, causes, readAtMs, lastRuns } = snapshot
  return layout({
    title: `Account ${account}`,
    here: '/',
    body: [
      html`<p class="lead">${healthPill(causes)} as of ${instant(readAtMs)}</p>`,
      causes.length === 0 ? html`` : section('What is wrong', causeList(causes, readAtMs)),
      section('Jobs', jobsTable(snapshot)),
      section('Coverage', coverageTable(snapshot)),
      quotaSection(snapshot),
      archiveSection(snapshot),
      notificationsSection(snapshot),
      lastRunsSection(account, lastRuns),
    ],
  })
}

function lastRunsSection(account: string, runs: readonly RunOverview[]): Html {
  if (runs.length === 0)
    return section('Last runs', html`<p class="note plain">There are no runs yet.</p>`)
  return section('Last runs', [
    runsTable(`The last runs of ${account}`, runs, 'of one account'),
    html`<p><a href="/runs?account=${encodeURIComponent(account)}">All runs of ${account}</a></p>`,
  ])
}

function jobsTable({ account, jobs, readAtMs }: AccountSnapshot): Html {
  return table(
    `Jobs of ${account}`,
    [
      { title: 'job' },
      { title: 'last run' },
      { title: 'last complete' },
      { title: 'due' },
      { title: 'next start' },
    ],
    jobs.map((job): PageCell[] => [
      job.job,
      lastRun(account, job, readAtMs),
      job.lastComplete === undefined ? 'never' : instantFrom(job.lastComplete.finishedAt, readAtMs),
      dueText(job, readAtMs),
      startText(job, readAtMs),
    ]),
  )
}

function lastRun(account: string, { lastRun: last }: JobSnapshot, nowMs: number): PageCell {
  if (last === undefined) return 'never'
  const part = last.partial ? ' in part,' : last.isIdle ? ' nothing due,' : ''
  const began = instantFrom(last.startedAt, nowMs)
  return html`<a href="${runPath(account, last.id)}">${last.id}</a> ${runPill(last.state)}${part} ${began}`
}

function dueText({ due }: JobSnapshot, nowMs: number): string {
  if (due === undefined) return 'disabled'
  if (due.overdueMs > 0) return `for ${duration(due.overdueMs)}`
  return due.nextStartMs !== undefined && due.nextStartMs <= nowMs ? 'now' : 'done'
}

function startText({ due }: JobSnapshot, nowMs: number): PageCell {
  const { nextStartMs } = due ?? {}
  if (due === undefined) return ''
  if (nextStartMs === undefined) return 'never'
  return nextStartMs <= nowMs ? 'now' : instantFrom(nextStartMs, nowMs)
}

function coverageTable({ account, jobs, readAtMs }: AccountSnapshot): Html {
  return table(
    `Tables of ${account}`,
    [
      { title: 'table' },
      { title: 'rows', numeric: true },
      { title: 'slices complete', numeric: true },
      { title: 'oldest read' },
      { title: 'newest read' },
    ],
    jobs
      .flatMap(({ streams }) => streams)
      .map(({ stream, rows, slices, failed, notAllowed, ...read }): PageCell[] => [
        breakable(stream),
        rows,
        slices === 0 ? '' : `${count(slices - failed - notAllowed)} of ${count(slices)}`,
        read.oldestReading === undefined ? '' : instantFrom(read.oldestReading, readAtMs),
        read.newestReading === undefined ? '' : instantFrom(read.newestReading, readAtMs),
      ]),
  )
}

function notificationsSection({ notifications, readAtMs }: AccountSnapshot): Html {
  const { stored, lastAt, erasures } = notifications
  const last =
    lastAt === undefined ? '' : html`; the last one came ${instantFrom(lastAt, readAtMs)}`
  const waiting =
    erasures.firstDueAt === undefined
      ? html``
      : html`<p class="note fair">${count(erasures.waiting)} erasures wait; the first is due
${instantFrom(erasures.firstDueAt, readAtMs)}.</p>`
  return section('Notifications', [
    html`<p>${stored === 0 ? 'None' : count(stored)} in the last 30 days${last}.</p>`,
    waiting,
  ])
}
