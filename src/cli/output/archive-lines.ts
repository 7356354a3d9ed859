import type { ArchiveStatus } from '../../account/archive-deadlines.ts'
import { deadlinesJson, printDeadlines } from '../frame/deadline-lines.ts'
import { bytesText, count, type Output } from '../frame/output.ts'

export function printArchive(output: Output, { deadlines, files, incidents }: ArchiveStatus): void {
  if (files.length > 0) {
    output.line()
    output.table([
      ['files of', 'state', 'files', 'bytes'],
      ...files.map((one) => [
        one.kind === 'activity' ? 'activities' : 'recordings',
        one.state,
        one.files,
        one.bytes === 0 ? '' : bytesText(one.bytes),
      ]),
    ])
  }
  if (deadlines !== undefined) {
    output.line()
    printDeadlines(output, deadlines)
  }
  for (const { kind, incidents: many, latest } of incidents) {
    const last = latest.map(({ subject, at }) => `${subject} (${at.slice(0, 10)})`).join(', ')
    const more = many > latest.length ? ', ...' : ''
    output.line(
      `Incidents of the last 7 days, ${kind.replaceAll('_', ' ')}: ${count(many)}: ${last}${more}`,
    )
  }
}

export function archiveJson({ deadlines, ...archive }: ArchiveStatus): object {
  return { deadlines: deadlines === undefined ? null : deadlinesJson(deadlines), ...archive }
}
