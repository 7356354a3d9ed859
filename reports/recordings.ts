import { z } from 'zod'
import { defineReport } from '../src/core/define/report.ts'
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
import { CONTENTS } from './recordings/contents.ts'
import { recordingsCut } from './recordings/cut.ts'
import { readGrowth } from './recordings/growth.ts'
import { leavingSection, readLeaving } from './recordings/leaving.ts'
import { locationSection, readLocations } from './recordings/locations.ts'
import { retentionSection } from './recordings/retention.ts'
import { recordingSettings } from './recordings/settings.ts'
import { recordingSource } from './recordings/source.ts'
import {
  keySection,
  monthSection,
  participantSection,
  readMonths,
  typeSection,
} from './recordings/storage.ts'
import { summarySection } from './recordings/summary.ts'
import { readRuleMonths, requiredSessions, unrecordedSection } from './recordings/unrecorded.ts'
import { withContents } from './shared/blocks.ts'
import { OWNER } from './shared/owner.ts'
import { TIME_ZONE } from './shared/periods.ts'

export default defineReport({
  name: 'recordings',
  title: 'Recordings',
  params: z.object({ ...TIME_ZONE, ...OWNER }),
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
  cut: recordingsCut,
  async build(context) {
    const source = await recordingSource(context)
    const required = requiredSessions(source)
    const rules = await readRuleMonths(source, required)
    const months = await readMonths(source)
    const facts = {
      months,
      leaving: await readLeaving(source),
      // The storage is the account's, so an owner's cut leaves it out.
      locations: source.owner === undefined ? await readLocations(source) : [],
      rules,
      growth: await readGrowth(source, months),
    }
    const parts = [
      monthSection(facts.months),
      keySection(source),
      await typeSection(source),
      leavingSection(source),
      await retentionSection(source),
      participantSection(source),
      ...(source.owner === undefined ? [locationSection(source, facts.locations)] : []),
      unrecordedSection(source, required, rules),
      allRecordingsSection(source),
    ]
    return [await summarySection(source, facts), ...withContents(parts, CONTENTS)]
  },
})
