import { z } from 'zod'
import { commonPattern } from '../shared/common-pattern.ts'

/** The settings under `reports.settings.recordings`. */
export const recordingSettings = z.object({
  rules: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(60).describe('What the report calls the rule.'),
        sessionKeys: commonPattern()
          .nullable()
          .default(null)
          .describe('A regular expression that the session key matches; null: any session.'),
        minParticipants: z.int().min(0).default(0).describe('Only sessions of so many or more.'),
        minMinutes: z.int().min(0).default(0).describe('Only sessions of so many minutes or more.'),
      }),
    )
    .max(20, { error: 'at most 20 rules' })
    .default([])
    .describe('Sessions of which there must be a recording.'),
})

export type RecordingRule = z.infer<typeof recordingSettings>['rules'][number]
