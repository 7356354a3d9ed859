import { allocationAnswers } from '../numbers/allocation-answers.ts'
import { carrierNumberAnswers } from '../numbers/carrier-number-answers.ts'
import { consentAnswers } from '../numbers/consent-answers.ts'
import { consentNumberAnswers } from '../numbers/consent-number-answers.ts'
import { numberAnswers } from '../numbers/number-answers.ts'
import { numberSettingAnswers } from '../numbers/number-setting-answers.ts'
import { peeringAnswers } from '../numbers/peering-answers.ts'
import type { Answering } from '../protocol/call.ts'
import { userAnswers } from '../users/user-answers.ts'
import { recordingAnswers } from '../video/recording-answers.ts'
import { recordingChangeAnswers } from '../video/recording-changes.ts'
import { recordingDownloadAnswers } from '../video/recording-downloads.ts'
import { sessionAnswers } from '../video/session-answers.ts'
import { activityFileAnswers } from '../whiteboards/activity-files.ts'
import { boardAnswers } from '../whiteboards/board-answers.ts'
import { classificationAnswers } from '../whiteboards/classification-answers.ts'
import { collaboratorAnswers } from '../whiteboards/collaborator-answers.ts'
import { contentAnswers } from '../whiteboards/content-answers.ts'
import { labelAnswers } from '../whiteboards/label-answers.ts'
import { whiteboardAnswers } from '../whiteboards/whiteboard-answers.ts'
import { listAnswers } from './lists.ts'
import { meAnswers } from './me-answers.ts'

export const answers: Readonly<Record<string, Answering>> = {
  ...userAnswers,
  ...peeringAnswers,
  ...allocationAnswers,
  ...carrierNumberAnswers,
  ...meAnswers,
  ...numberAnswers,
  ...consentAnswers,
  ...consentNumberAnswers,
  ...numberSettingAnswers,
  ...sessionAnswers,
  ...recordingAnswers,
  ...recordingChangeAnswers,
  ...recordingDownloadAnswers,
  ...whiteboardAnswers,
  ...boardAnswers,
  ...labelAnswers,
  ...classificationAnswers,
  ...collaboratorAnswers,
  ...contentAnswers,
  ...activityFileAnswers,
  ...listAnswers,
}
