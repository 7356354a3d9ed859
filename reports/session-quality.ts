import { z } from 'zod'
import { defineReport, type Section } from '../src/core/define/report.ts'
import { sessionReports } from '../src/resources/session-reports.ts'
import { bandsSection } from './session-quality/bands.ts'
import { daySections } from './session-quality/by-day.ts'
import { hourSection } from './session-quality/by-hour.ts'
import { monthSection } from './session-quality/by-month.ts'
import { CONTENTS } from './session-quality/contents.ts'
import { crossedSection } from './session-quality/crossed.ts'
import { readCrosses } from './session-quality/crosses.ts'
import { qualityCut } from './session-quality/cut.ts'
import { findingsSection } from './session-quality/findings.ts'
import { groupSections, keyGrouping, readGroups } from './session-quality/key-groups.ts'
import { keepKeyWeeks } from './session-quality/key-weeks.ts'
import { readFacts } from './session-quality/read-facts.ts'
import { keysSection } from './session-quality/session-keys.ts'
import { qualitySettings } from './session-quality/settings.ts'
import {
  type SessionSource,
  sessionSource,
  sessionsBetween,
  untimedSections,
} from './session-quality/source.ts'
import { summarySection } from './session-quality/summary.ts'
import { targetSections } from './session-quality/targets.ts'
import { qualityTests } from './session-quality/tests.ts'
import { useSection } from './session-quality/use.ts'
import { worstSessionsSection } from './session-quality/worst-sessions.ts'
import { note, withContents } from './shared/blocks.ts'
import { changesSince } from './shared/changes-since.ts'
import { OWNER } from './shared/owner.ts'
import { ONE_MONTH, oneMonth, TIME_ZONE } from './shared/periods.ts'

export default defineReport({
  name: 'session-quality',
  title: 'Session quality',
  params: z.object({ ...ONE_MONTH, ...TIME_ZONE, ...OWNER }),
  settings: qualitySettings,
  needs: [sessionReports],
  periods: oneMonth,
  // Far enough for the report's six months and for the same month a year before.
  looksBackDays: 31 * 12,
  cut: qualityCut,
  async build(context) {
    const source = await sessionSource(context)
    const keyWeeks = await keepKeyWeeks(source)
    const facts = await readFacts(source)
    const crosses = await readCrosses(source)
    const groups = await readGroups(source, keyWeeks)
    const groupings = [facts.hourBlocks, ...crosses.groupings, await keyGrouping(source, groups)]
    const tests = qualityTests({ ...facts, groupings })
    const sections = [
      ...(await untimedSections(source)),
      boundsSection(),
      await summarySection({ ...source, keyWeeks }, facts, tests),
      findingsSection(source, tests),
      monthSection(source, facts, tests),
      ...targetSections(source, facts),
      await keysSection(source, facts, keyWeeks),
      ...groupSections(source, facts, groups),
      crossedSection(source, facts, crosses),
      bandsSection(source, facts, crosses),
      hourSection(source, facts),
      useSection(source, facts),
      await worstSessionsSection(source, facts),
      ...daySections(source, facts),
      ...(await changedSections(source)),
    ]
    return withContents(sections, CONTENTS)
  },
})

/** Names facts that the service does not report. */
function boundsSection(): Section {
  const text =
    'The service rates a session as a whole. It does not say whose connection, device or region caused a ' +
    'bad rating, or when in the session.'
  return { title: 'Provenance', provenance: true, blocks: [note('plain', text)] }
}

/** Lists what the service has changed about the month’s sessions. */
async function changedSections(source: SessionSource): Promise<Section[]> {
  const { previousRows: rows, sessions: now, month } = source
  if (rows === undefined) return []
  const before = sessionsBetween({ ...source, rows }, month)
  return await changesSince(source, [{ stream: sessionReports, now, before }])
}
