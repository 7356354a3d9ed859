import { html } from 'hono/html'
import { bytesText } from '../../core/values/quantities.ts'
import type { PublishedFile } from '../health/published-files.ts'
import { instant } from './format.ts'
import { type Html, layout } from './layout.ts'
import { type PageCell, table } from './table.ts'

/** The page of published report files that are unchanged on disk. */
export function reportsPage(files: readonly PublishedFile[]): Html {
  return layout({
    title: 'Reports',
    here: '/reports',
    body:
      files.length === 0
        ? html`<p class="note plain">No published report is in the folder of reports.
<code>callsheet report NAME</code> makes one.</p>`
        : table(
            'Published reports, the newest first',
            [
              { title: 'file' },
              { title: 'report' },
              { title: 'account' },
              { title: 'published' },
              { title: 'data as of' },
              { title: 'size', numeric: true },
            ],
            files.map((file): PageCell[] => [
              html`<a href="/reports/${file.id}/${file.place}" download>${file.name}</a>`,
              file.report,
              file.account,
              instant(file.publishedAt),
              instant(file.asOf),
              bytesText(file.bytes),
            ]),
          ),
  })
}
