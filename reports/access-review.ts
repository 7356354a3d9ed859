import { z } from 'zod'
import {
  type ChartBlock,
  defineReport,
  type Figure,
  type Note,
  type Section,
} from '../src/core/define/report.ts'
import { phoneNumberAssignments, phoneNumbers } from '../src/resources/phone-numbers.ts'
import { users } from '../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../src/resources/whiteboards.ts'
import { boardSections, type Exposed, openFinding, readExposed } from './access-review/boards.ts'
import { accessCut } from './access-review/cut.ts'
import {
  type Outsiders,
  outsidersFinding,
  outsidersSection,
  readOutsiders,
} from './access-review/outsiders.ts'
import {
  type Held,
  peopleFinding,
  peopleSections,
  readHeld,
  reasonsChart,
  unknownNote,
} from './access-review/people.ts'
import { accessSettings } from './access-review/settings.ts'
import { type AccessSource, accessSource } from './access-review/source.ts'
import { neverRead, note, withContents } from './shared/blocks.ts'
import { changesSince } from './shared/changes-since.ts'
import { OWNER } from './shared/owner.ts'
import { TIME_ZONE } from './shared/periods.ts'

export default defineReport({
  name: 'access-review',
  title: 'Access review',
  params: z.object({ ...TIME_ZONE, ...OWNER }),
  settings: accessSettings,
  sharedSettings: { 'number-inventory': ['prices', 'currency'] },
  needs: [users, phoneNumbers, phoneNumberAssignments, whiteboards, whiteboardCollaborators],
  optional: [whiteboardSessions, whiteboardParticipants, whiteboardActivities],
  periods: () => undefined,
  cut: accessCut,
  async build(context) {
    const source = await accessSource(context)
    const facts = {
      reasons: await reasonsChart(source),
      held: await readHeld(source),
      exposed: await readExposed(source),
      outsiders: await readOutsiders(source),
    }
    const sections = [
      ...peopleSections(source, facts.held),
      ...boardSections(source),
      outsidersSection(source, facts.outsiders),
      ...(await changedSections(source)),
    ]
    return [summarySection(source, facts), boundsSection(), ...withContents(sections, CONTENTS)]
  },
})

interface Facts {
  reasons: readonly ChartBlock[]
  held: Held
  exposed: Exposed
  outsiders: Outsiders | undefined
}

/** Shows on one page who still has what, which boards are exposed, and what to do. */
function summarySection(
  source: AccessSource,
  { reasons, held, exposed, outsiders }: Facts,
): Section {
  const outside = outsidersFinding(source, exposed, outsiders)
  const count = (label: string, value: number | null): Figure => ({
    label,
    value,
    format: 'integer',
  })
  const { currency } = source.settings
  return {
    title: 'Summary',
    blocks: [
      peopleFinding(source, held, exposed),
      openFinding(source, exposed),
      ...(outside === undefined ? [] : [outside]),
      {
        kind: 'figures',
        title: 'Key figures',
        figures: [
          count('People to review', held.people),
          count('Their numbers', held.numbers),
          count('Their licenses', held.licenses),
          { label: `Their monthly cost (${currency})`, value: held.cost, format: 'money' },
          count('Boards open to anyone', exposed.open),
          count('Active outsiders', outsiders?.people ?? null),
        ],
      },
      ...unknownNote(held),
      ...unreadNote(outsiders),
      ...reasons,
    ],
  }
}

function unreadNote(outsiders: Outsiders | undefined): Note[] {
  if (outsiders !== undefined) return []
  const so = 'active outsiders are unknown'
  return [note('warning', neverRead('Archived sessions were', { job: 'whiteboard-archives', so }))]
}

/** Names facts that the service does not report. */
function boundsSection(): Section {
  const text =
    'The service does not say which user types are paid licenses, why a login is missing, when a ' +
    'person left, or who outsiders are. It reports only the time of the last login, not where it was.'
  return { title: 'Provenance', provenance: true, blocks: [note('plain', text)] }
}

async function changedSections(source: AccessSource): Promise<Section[]> {
  const { previousRows: before, rows } = source
  if (before === undefined) return []
  return await changesSince(
    source,
    [users, phoneNumberAssignments, whiteboards, whiteboardCollaborators].map((stream) => ({
      stream,
      now: rows(stream),
      before: before(stream),
    })),
  )
}

const CONTENTS: Readonly<Record<string, string>> = {
  'People to review': 'people who left or are away, with what they still have and its cost',
  'Login unknown': 'people with numbers, licenses or boards and no login on record',
  'Open to anyone': 'boards that anyone with the link can open',
  'Shared outside': 'boards with collaborators from outside',
  'By owner': 'whom to ask about these boards',
  'Active outsiders': 'who from outside took part lately, on which board',
}
