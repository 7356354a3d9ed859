import { html } from 'hono/html'
import { bytesText, count, counted } from '../../core/values/quantities.ts'
import type { PoolStatus } from '../health/quota-pools.ts'
import type { AccountSnapshot } from '../health/snapshot.ts'
import { instantFrom } from './format.ts'
import { type Html, section, type Tone } from './layout.ts'
import { type PageCell, table } from './table.ts'

/** Shows usage of the daily quotas, and how many calls a sync would need. */
export function quotaSection({ quota, ledgers, readAtMs }: AccountSnapshot): Html {
  return section('Quota', [
    table(
      'Calls of today, which began at 00:00 UTC, and of a sync that would begin now',
      [
        { title: 'pool' },
        { title: 'used', numeric: true },
        { title: 'of', numeric: true },
        { title: 'share' },
        { title: 'a sync takes', numeric: true },
        { title: 'forecast' },
      ],
      quota.map((pool): PageCell[] => [
        pool.pool,
        pool.spent,
        pool.limit ?? 'not known',
        share(pool),
        pool.planned,
        forecast(pool),
      ]),
    ),
    ...ledgers.held.map(({ label, until, reason }) => {
      const why = reason === 'daily' ? 'the daily quota is exhausted' : 'the service asked for it'
      return html`<p class="note fair">${label} waits until
${instantFrom(until, readAtMs)}: ${why}.</p>`
    }),
  ])
}

function share({ pool, spent, limit }: PoolStatus): PageCell {
  if (limit === undefined || limit === 0) return ''
  const percent = Math.round((spent / limit) * 100)
  return html`<meter min="0" max="${limit}" value="${Math.min(spent, limit)}"
aria-label="${pool}: ${percent} % used">${percent} %</meter> ${percent} %`
}

function forecast({ spent, limit, planned }: PoolStatus): string {
  if (limit === undefined) return ''
  const missing = spent + planned - limit
  if (missing <= 0) return 'suffices today'
  return `pauses, ${counted(missing, 'call')} short today`
}

/** Shows archive deadlines against the quota, and files by state. */
export function archiveSection({ archive }: AccountSnapshot): Html {
  const { deadlines, files } = archive
  if (deadlines === undefined && files.length === 0) return html``
  return section('Archive', [
    deadlines === undefined ? html`` : deadlinesPart(deadlines),
    files.length === 0
      ? html``
      : table(
          'Files by state',
          [
            { title: 'files of' },
            { title: 'state' },
            { title: 'files', numeric: true },
            { title: 'size', numeric: true },
          ],
          files.map(({ kind, state, files: many, bytes }) => [
            kind === 'activity' ? 'activities' : 'recordings',
            state,
            many,
            bytes === 0 ? '' : bytesText(bytes),
          ]),
        ),
  ])
}

type ShownDeadlines = NonNullable<AccountSnapshot['archive']['deadlines']>

function deadlinesPart(deadlines: ShownDeadlines): Html {
  return html`${deadlineNotes(deadlines).map(
    ([tone, text]) => html`<p class="note ${tone}">${text}</p>\n`,
  )}
${table(
  'Archive deadlines',
  [
    { title: 'within' },
    { title: 'archives', numeric: true },
    { title: 'calls needed', numeric: true },
    { title: 'calls allowed', numeric: true },
    { title: 'out of reach', numeric: true },
  ],
  deadlines.horizons.map(({ hours, archives, calls, allowed, lost }): PageCell[] => [
    hours < 48 ? `${hours} hours` : `${hours / 24} days`,
    archives,
    calls,
    allowed === undefined ? 'not known' : Number.isFinite(allowed) ? count(allowed) : 'all',
    lost,
  ]),
)}`
}

function deadlineNotes({ suffices, unread, overdue, horizons }: ShownDeadlines): [Tone, string][] {
  const expires = horizons.some((one) => one.archives > 0)
  const notes: [Tone, string][] = [
    expires ? (SUFFICES[String(suffices)] ?? UNKNOWN) : NOTHING_EXPIRES,
  ]
  const { archives, sessions } = overdue
  if (archives + sessions > 0)
    notes.push([
      'bad',
      `${counted(archives, 'archive')} and ${counted(sessions, 'unlisted session')} expired before they ` +
        'were fetched. The next sync makes each an incident.',
    ])
  if (unread > 0)
    notes.push([
      'plain',
      `Sessions that expire within 7 days and were not listed yet: ${count(unread)}. They may have more.`,
    ])
  return notes
}

const NOTHING_EXPIRES: [Tone, string] = ['plain', 'No known archive expires within 7 days.']
const UNKNOWN: [Tone, string] = [
  'plain',
  'Whether the quota suffices is unknown until its rate limit is learned.',
]
const SUFFICES: Readonly<Record<string, [Tone, string]>> = {
  true: ['good', 'The quota suffices for all that is known to expire within 7 days.'],
  false: ['bad', 'The quota does not suffice for all that expires within 7 days.'],
}
