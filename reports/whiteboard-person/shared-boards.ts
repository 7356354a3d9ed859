import type { Section } from '../../src/core/define/report.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { note, section } from '../shared/blocks.ts'
import { eachTable } from '../whiteboard-audit/collaborators.ts'
import type { AuditSource } from '../whiteboard-audit/source.ts'

/** The boards that are shared with the person by name. */
export function sharedSection(source: AuditSource): Section {
  const title = 'Boards shared with them'
  if (source.runId(whiteboardCollaborators) === undefined)
    return { title, blocks: [note('warning', 'The boards’ collaborators were never read.')] }
  const text =
    'Boards that are shared by name, in use in the period or not; a board may also be open by its link, or ' +
    'through a channel.'
  const table = { title, empty: 'No board is shared with them by name.' }
  return section(title, text, eachTable(source, table))
}
