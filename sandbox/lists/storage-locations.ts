import type { SandboxList } from '../protocol/sandbox-list.ts'
import { storageAnswers } from '../video/storage-answers.ts'
import { LOCATIONS } from '../video/storage-locations.ts'
import { STORAGE_TRUTHS } from '../video/storage-truths.ts'

export const storageLocations: SandboxList = {
  rows: LOCATIONS,
  answers: storageAnswers,
  truths: STORAGE_TRUTHS,
}
