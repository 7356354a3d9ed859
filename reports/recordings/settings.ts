import { z } from 'zod'
import { commonPattern } from '../shared/common-pattern.ts'
import { currency } from '../shared/currency.ts'

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
  pricePerGb: z
    .number()
    .min(0)
    .nullable()
    .default(null)
    .describe('What a stored GB costs a month; null: the report names no cost.'),
  currency: currency(),
})

export type RecordingSettings = z.infer<typeof recordingSettings>

export type RecordingRule = RecordingSettings['rules'][number]
