import { z } from 'zod'
import { defineReport } from '../src/core/define/report.ts'
import { classificationLabels } from '../src/resources/classification-labels.ts'
import { users } from '../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../src/resources/whiteboard-collaborators.ts'
import { whiteboardContent } from '../src/resources/whiteboard-content.ts'
import { whiteboards } from '../src/resources/whiteboards.ts'
import { withContents } from './shared/blocks.ts'
import { DAY_RANGE, dayRange, TIME_ZONE } from './shared/periods.ts'
import {
  activitiesSection,
  allActivitiesSection,
  readActivityCounts,
} from './whiteboard-audit/activities.ts'
import { readUntimed } from './whiteboard-audit/begun-sessions.ts'
import { boardsSection } from './whiteboard-audit/boards.ts'
import { changesSection } from './whiteboard-audit/changes.ts'
import { allCollaboratorsSection, collaboratorsSection } from './whiteboard-audit/collaborators.ts'
import { CONTENTS } from './whiteboard-audit/contents.ts'
import { readDays } from './whiteboard-audit/days.ts'
import { readTimeline, readTotals } from './whiteboard-audit/facts.ts'
import { filesSection } from './whiteboard-audit/files.ts'
import { incidentsSection, ledgerMoment, readLedgers } from './whiteboard-audit/ledgers.ts'
import { operationBlocks } from './whiteboard-audit/operation/blocks.ts'
import {
  allStaysSection,
  outsidersSection,
  participantsSection,
} from './whiteboard-audit/people.ts'
import { provenanceSection } from './whiteboard-audit/provenance.ts'
import { readDeletedArchives, readUnmatchedFilters } from './whiteboard-audit/scope.ts'
import { sessionsSection } from './whiteboard-audit/sessions.ts'
import { auditSource } from './whiteboard-audit/source.ts'
import { summarySection } from './whiteboard-audit/summary.ts'
import { judgeUnusual } from './whiteboard-audit/unusual/judge.ts'
import { detailUnusual, unusualSection } from './whiteboard-audit/unusual/section.ts'
import { auditSettings } from './whiteboard-audit/unusual/settings.ts'

export default defineReport({
  name: 'whiteboard-audit',
  title: 'Whiteboard audit',
  params: z.object({
    ...DAY_RANGE,
    whiteboard: z.string().min(1).optional().describe('Only the board with this ID'),
    user: z.string().min(1).optional().describe('Only this user, by ID or e-mail address'),
    ...TIME_ZONE,
  }),
  settings: auditSettings,
  needs: [whiteboardSessions, whiteboardParticipants, whiteboardActivities],
  optional: [whiteboards, whiteboardCollaborators, whiteboardContent, classificationLabels, users],
  periods: dayRange,
  async build(context) {
    const source = await auditSource(context)
    const now = await readTotals(source, source.period)
    const before = source.compared ? await readTotals(source, source.before) : undefined
    const counts = await readActivityCounts(source)
    const ledgers = await readLedgers(source)
    const untimed = await readUntimed(source, source.period)
    const unknown = await readUnmatchedFilters(source)
    const timeline = await readTimeline(source)
    const days = await readDays(source, untimed)
    const { incidents } = ledgers
    const boards = { ...source, rows: context.rows }
    const unusual = await detailUnusual(source, await judgeUnusual(context, source, days))
    const notes = [...unknown, ...(await readDeletedArchives(source))]
    const operation = await operationBlocks(source)
    const sections = [
      provenanceSection(source, { days, untimed, notes, now, ledgers, operation }),
      summarySection(source, {
        now,
        before,
        timeline,
        counts,
        incidents,
        unknown,
        days,
        unusual,
      }),
      unusualSection(boards, unusual, context.settings),
      sessionsSection(source),
      participantsSection(source),
      outsidersSection(source),
      activitiesSection(source, counts),
      await boardsSection(boards),
      await collaboratorsSection(source),
      await filesSection(source, { now, asOf: ledgerMoment(ledgers, source) }),
      incidentsSection(source),
      allStaysSection(source),
      allActivitiesSection(source),
      ...allCollaboratorsSection(source),
      ...(await changesSection(source)),
    ]
    return withContents(sections, CONTENTS)
  },
})
