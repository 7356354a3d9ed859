import { z } from 'zod'
import { defineReport } from '../src/core/define/report.ts'
import { zonedDayStartMs, zonedInstant } from '../src/core/time/zone.ts'
import { recordingAudioFiles } from '../src/resources/recording-details.ts'
import {
  recordingFiles,
  recordingParticipantFiles,
  recordingSessions,
  trashedRecordingFiles,
  trashedRecordings,
} from '../src/resources/recordings.ts'
import { sessionReports } from '../src/resources/session-reports.ts'
import { storageLocationDetails, storageLocations } from '../src/resources/storage-locations.ts'
import { allRecordingsSection } from './recordings/all-recordings.ts'
import { monthsBefore } from './recordings/growth.ts'
import { leavingSection, readLeaving } from './recordings/leaving.ts'
import { locationSection, readLocations } from './recordings/locations.ts'
import { recordingSettings } from './recordings/settings.ts'
import { type RecordingsContext, recordingSource } from './recordings/source.ts'
import {
  keySection,
  monthSection,
  participantSection,
  readMonths,
  typeSection,
} from './recordings/storage.ts'
import { summarySection } from './recordings/summary.ts'
import { readUnrecorded, unrecorded, unrecordedSection } from './recordings/unrecorded.ts'
import { daysOf } from './shared/calendar.ts'
import { type LackingDays, lackingDays } from './shared/read-days.ts'

export default defineReport({
  name: 'recordings',
  title: 'Recordings',
  params: z.object({
    timezone: z
      .string()
      .optional()
      .describe('The zone of the times; the configuration’s by default'),
  }),
  settings: recordingSettings,
  needs: [recordingSessions, recordingFiles, recordingParticipantFiles],
  optional: [
    trashedRecordings,
    trashedRecordingFiles,
    recordingAudioFiles,
    storageLocations,
    storageLocationDetails,
    sessionReports,
  ],
  periods: () => undefined,
  async build(context) {
    const source = await recordingSource(context)
    const missing = unrecorded(context, source)
    const facts = {
      months: await readMonths(source),
      leaving: await readLeaving(source),
      locations: await readLocations(context),
      unrecorded: await readUnrecorded(context, missing),
      lacking: await readLacking(context),
    }
    return [
      await summarySection(source, facts),
      monthSection(facts.months),
      keySection(source),
      await typeSection(source),
      leavingSection(source),
      participantSection(source),
      locationSection(context, facts.locations),
      unrecordedSection(context, missing),
      allRecordingsSection(source),
    ]
  },
})

/** Which days of the months before were not wholly read: such a month tells nothing of growth. */
async function readLacking(context: RecordingsContext): Promise<LackingDays> {
  const { asOfMs, coverage, timeZone } = context
  const months = monthsBefore(zonedInstant(asOfMs, timeZone).slice(0, 7))
  const fromMs = zonedDayStartMs(`${months[0]}-01`, timeZone)
  const unread = await context.unreadIn({ fromMs, toMs: asOfMs })
  return lackingDays({ coverage: { ...coverage, unread }, timeZone }, months.flatMap(daysOf))
}
