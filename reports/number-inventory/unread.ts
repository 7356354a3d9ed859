import type { Section } from '../../src/core/define/report.ts'
import { note } from '../shared/blocks.ts'

/** In place of a sheet whose stream nobody ever read. */
export function unreadSection(
  title: string,
  { what, job }: { what: string; job: string },
): Section {
  const text =
    `${what} were never read, so nothing of them is known here. ` +
    `Run "callsheet sync ${job}" and make the report again.`
  return { title, blocks: [note('warning', text)] }
}
