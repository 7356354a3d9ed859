import { z } from 'zod'
import { defineReport } from '../src/core/define/report.ts'
import { users } from '../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../src/resources/whiteboards.ts'
import { DAY_RANGE, dayRange, TIME_ZONE } from './shared/periods.ts'
import { allActivitiesSection, readActivityCounts } from './whiteboard-audit/activities.ts'
import { readUntimed } from './whiteboard-audit/begun-sessions.ts'
import { changesSection } from './whiteboard-audit/changes.ts'
import { readDays } from './whiteboard-audit/days.ts'
import { readTimeline, readTotals } from './whiteboard-audit/facts.ts'
import { filesSection } from './whiteboard-audit/files.ts'
import { ledgerMoment, readLedgers } from './whiteboard-audit/ledgers.ts'
import { allStaysSection } from './whiteboard-audit/people.ts'
import { provenanceSection } from './whiteboard-audit/provenance.ts'
import { readDeletedArchives, readUnmatchedFilters } from './whiteboard-audit/scope.ts'
import { auditSource } from './whiteboard-audit/source.ts'
import { doneSection, sessionsSection, sharedSection } from './whiteboard-person/presence.ts'
import { summarySection } from './whiteboard-person/summary.ts'

export default defineReport({
  name: 'whiteboard-person',
  title: 'Whiteboard activity of a person',
  params: z.object({
    ...DAY_RANGE,
    user: z
      .string({ error: 'whose report it is: a user’s ID or e-mail address' })
      .min(1)
      .describe('Whose report it is: a user’s ID or e-mail address'),
    ...TIME_ZONE,
  }),
  needs: [whiteboardSessions, whiteboardParticipants, whiteboardActivities],
  optional: [whiteboards, whiteboardCollaborators, users],
  periods: dayRange,
  async build(context) {
    const source = await auditSource(context)
    const now = await readTotals(source, source.period)
    const before = source.compared ? await readTotals(source, source.before) : undefined
    const ledgers = await readLedgers(source)
    const untimed = await readUntimed(source, source.period)
    const notes = [...(await readUnmatchedFilters(source)), ...(await readDeletedArchives(source))]
    const counts = await readActivityCounts(source)
    const days = await readDays(source, untimed)
    return [
      provenanceSection(source, { days, untimed, notes, now, ledgers }),
      summarySection(source, { now, before, timeline: await readTimeline(source), counts, days }),
      sessionsSection(source),
      doneSection(source, counts),
      sharedSection(source),
      await filesSection(source, { now, asOf: ledgerMoment(ledgers, source) }),
      allStaysSection(source),
      allActivitiesSection(source),
      ...(await changesSection(source)),
    ]
  },
})
