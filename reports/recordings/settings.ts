import { z } from 'zod'
import { commonPattern } from '../../src/core/values/common-pattern.ts'
import { currency } from '../shared/currency.ts'

/** The settings under `reports.settings.recordings`. */
export const recordingSettings = z.object({
  rules: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(60).describe('The name of the rule in the report.'),
        sessionKeys: commonPattern()
          .nullable()
          .default(null)
          .describe('A regular expression that the session key must match; null: any session.'),
        minParticipants: z.int().min(0).default(0).describe('The least number of participants.'),
        minMinutes: z.int().min(0).default(0).describe('The least length in minutes.'),
      }),
    )
    .max(20, { error: 'at most 20 rules' })
    .default([])
    .describe('Rules for sessions that must be recorded.'),
  pricePerGb: z
    .number()
    .min(0)
    .nullable()
    .default(null)
    .describe('The monthly price of a stored GB; null: the report shows no cost.'),
  currency: currency(),
})

export type RecordingSettings = z.infer<typeof recordingSettings>

export type RecordingRule = RecordingSettings['rules'][number]
