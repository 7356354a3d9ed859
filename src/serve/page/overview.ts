import { html } from 'hono/html'
import { count, counted } from '../../core/values/quantities.ts'
import { levelOf } from '../health/causes.ts'
import type { AccountSnapshot, JobSnapshot } from '../health/snapshot.ts'
import type { Snapshots } from '../health/status-sources.ts'
import { accountPath, instantFrom } from './format.ts'
import { causeList, healthPill } from './health.ts'
import { type Html, layout } from './layout.ts'
import { facts, type PageCell } from './table.ts'

/** Makes the page of all accounts, the worst first. */
export function overviewPage({ value: snapshots, ageMs, missing }: Snapshots): Html {
  const rank = ({ causes }: AccountSnapshot): number => ORDER.indexOf(levelOf(causes))
  const sorted = snapshots.toSorted((a, b) => rank(a) - rank(b))
  const unwell = snapshots.filter(({ causes }) => causes.length > 0).length
  const sum =
    unwell === 0
      ? counted(snapshots.length, 'account')
      : `${count(unwell)} of ${counted(snapshots.length, 'account')} not well`
  return layout({
    title: 'Accounts',
    here: '/',
    body: html`<p class="lead">${sum}, as read ${Math.round(ageMs / 1000)} seconds ago</p>
${missing.length === 0 ? '' : html`<p class="note bad">${unreadText(missing)}</p>`}
<div class="cards">
${sorted.map(card)}</div>`,
  })
}

function unreadText(accounts: readonly string[]): string {
  const more = accounts.length - NAMED
  const named = accounts.slice(0, NAMED).join(', ')
  const rest = more > 0 ? ` and ${count(more)} more` : ''
  return `Not shown, because their database has not answered: ${named}${rest}.`
}

function card(snapshot: AccountSnapshot): Html {
  const { account, causes, readAtMs } = snapshot
  const more = Math.max(0, causes.length - CAUSES)
  return html`<article class="card">
<h2><a href="${accountPath(account)}">${account}</a> ${healthPill(causes)}</h2>
${causes.length === 0 ? '' : causeList(causes.slice(0, CAUSES), readAtMs)}
${more === 0 ? '' : html`<p><a href="${accountPath(account)}">${count(more)} more</a></p>`}
${facts([
  ['Last complete run', lastComplete(snapshot)],
  ['Next start', nextStart(snapshot)],
  ['Calls today', callsToday(snapshot)],
])}</article>
`
}

function lastComplete({ jobs, readAtMs }: AccountSnapshot): PageCell {
  const ends = jobs.flatMap(({ job, lastComplete: last }) =>
    last === undefined ? [] : [{ job, atMs: Date.parse(last.finishedAt) }],
  )
  const last = ends.toSorted((a, b) => b.atMs - a.atMs)[0]
  return last === undefined ? 'none yet' : html`${last.job}, ${instantFrom(last.atMs, readAtMs)}`
}

function nextStart({ jobs, readAtMs, ledgers }: AccountSnapshot): PageCell {
  if (ledgers.syncingUntil !== undefined) return 'a job is running now'
  const starts = jobs.flatMap(startOf).toSorted((a, b) => a.atMs - b.atMs)
  const [next] = starts
  if (next === undefined) return 'no job has a schedule'
  const waiting = starts.filter(({ atMs }) => atMs <= readAtMs).length
  if (waiting > 0)
    return `${counted(waiting, 'job')} now, as ${waiting === 1 ? 'it is' : 'they are'} due`
  return html`${next.job}, ${instantFrom(next.atMs, readAtMs)}`
}

function startOf({ job, due }: JobSnapshot): { job: string; atMs: number }[] {
  return due?.nextStartMs === undefined ? [] : [{ job, atMs: due.nextStartMs }]
}

function callsToday({ quota }: AccountSnapshot): string {
  const spent = quota.reduce((sum, one) => sum + one.spent, 0)
  const shares = quota.flatMap(({ spent: made, limit }) =>
    limit === undefined || limit === 0 ? [] : [made / limit],
  )
  const most = shares.length === 0 ? '' : ` (${Math.round(Math.max(...shares) * 100)} % of a quota)`
  return `${count(spent)}${most}`
}

/** The number of causes on a card. The account's page shows all. */
const CAUSES = 3
/** How many of the accounts that are not shown are named. */
const NAMED = 10
const ORDER = ['red', 'amber', 'green']
