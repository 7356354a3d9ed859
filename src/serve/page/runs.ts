import { html } from 'hono/html'
import { count, duration } from '../../core/values/quantities.ts'
import type { PlainProblem } from '../health/problems.ts'
import type { RunDetail, RunOverview } from '../health/run-overview.ts'
import type { RunPage } from '../health/status-sources.ts'
import { instant, runPath } from './format.ts'
import { runPill } from './health.ts'
import { type Html, layout, section } from './layout.ts'
import { facts, type PageCell, table } from './table.ts'

export function runsPage({ runs, more }: RunPage, account: string | undefined): Html {
  const older = new URLSearchParams(account === undefined ? {} : { account })
  const last = runs.at(-1)
  if (last !== undefined) older.set('before', `${last.startedAt},${last.id}`)
  return layout({
    title: account === undefined ? 'Runs' : `Runs of ${account}`,
    here: '/runs',
    body: [
      runs.length === 0
        ? html`<p class="note plain">There are no runs here.</p>`
        : runsTable('The newest first', runs, account === undefined ? 'of all' : 'of one account'),
      more ? html`<p><a href="/runs?${older.toString()}">Older runs</a></p>` : html``,
    ],
  })
}

export function runsTable(
  caption: string,
  runs: readonly RunOverview[],
  of: 'of one account' | 'of all' = 'of all',
): Html {
  const whose = <T>(cell: T): T[] => (of === 'of all' ? [cell] : [])
  return table(
    caption,
    [
      { title: 'run' },
      { title: 'state' },
      { title: 'job' },
      ...whose({ title: 'account' }),
      { title: 'began' },
      { title: 'time', numeric: true },
      { title: 'new', numeric: true },
      { title: 'changed', numeric: true },
      { title: 'deleted', numeric: true },
      { title: 'problems', numeric: true },
    ],
    runs.map((run): PageCell[] => [
      html`<a href="${runPath(run.account, run.id)}">${run.id}</a>`,
      runPill(run.state),
      jobText(run),
      ...whose(run.account),
      instant(run.startedAt),
      timeText(run),
      run.inserted,
      run.updated,
      run.deleted,
      run.problems,
    ]),
  )
}

export function runPage(run: RunDetail): Html {
  const { error, notAllowed } = run
  return layout({
    title: `Run ${run.id}`,
    here: '/runs',
    body: [
      facts([
        ['Account', run.account],
        ['Job', jobText(run)],
        ['State', runPill(run.state)],
        ['Began', instant(run.startedAt)],
        ['Ended', run.finishedAt === undefined ? 'not yet' : instant(run.finishedAt)],
        ['Time', timeText(run) || 'still running'],
      ]),
      error === undefined ? html`` : html`<p class="note bad">${error}</p>`,
      ...run.drops.map(
        ({ stream, missing, owned }) => html`<p class="note bad">${stream}: ${count(missing)} of
${count(owned)} rows were missing, more than the limit, and none was marked as deleted. If that is right:
<code>callsheet sync --account ${run.account} --approve ${run.id}</code></p>`,
      ),
      problemsSection(run),
      notAllowed.length === 0
        ? html``
        : section(
            'Not allowed',
            table(
              'What the account may not read',
              [{ title: 'table' }, { title: 'why' }],
              notAllowed.map(({ stream, reason }) => [stream, reason]),
            ),
          ),
      section('Tables', streamsTable(run)),
    ],
  })
}

function problemsSection({ said, failures }: RunDetail): Html {
  if (said.length === 0 && failures.length === 0)
    return section('Problems', html`<p class="note good">None.</p>`)
  return section('Problems', [
    html`<ul class="problems">${said.slice(0, MOST_PROBLEMS).map(problemItem)}</ul>`,
    said.length > MOST_PROBLEMS
      ? html`<p>${count(said.length - MOST_PROBLEMS)} more kinds of problems are not listed here.</p>`
      : html``,
    failures.length === 0
      ? html``
      : table(
          'Slices that failed',
          [{ title: 'table' }, { title: 'why' }, { title: 'slices', numeric: true }],
          failures.slice(0, MOST_PROBLEMS).map(({ stream, text, times }) => [stream, text, times]),
        ),
  ])
}

function problemItem({ text, times }: PlainProblem): Html {
  return html`<li>${text}${times > 1 ? ` (${count(times)} times)` : ''}</li>`
}

function streamsTable({ streams }: RunDetail): Html {
  return table(
    'What the run read, by table',
    [
      { title: 'table' },
      ...[
        'slices',
        'complete',
        'failed',
        'not allowed',
        'not read',
        'new',
        'changed',
        'unchanged',
        'deleted',
      ].map((title) => ({ title, numeric: true as const })),
    ],
    streams.map((one): PageCell[] => [
      one.stream,
      one.planned ?? '',
      one.complete ?? '',
      one.failed ?? '',
      one.notAllowed ?? '',
      one.notRead ?? '',
      one.inserted ?? '',
      one.updated ?? '',
      one.unchanged ?? '',
      one.deleted ?? '',
    ]),
  )
}

function jobText({ job, partial }: RunOverview): string {
  return partial ? `${job} (in part)` : job
}

function timeText({ startedAt, finishedAt }: RunOverview): string {
  return finishedAt === undefined ? '' : duration(Date.parse(finishedAt) - Date.parse(startedAt))
}

const MOST_PROBLEMS = 100
