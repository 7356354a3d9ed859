import { z } from 'zod'
import { orNull, secret } from './fields.ts'
import { mailAddress } from './mail-settings.ts'

const mail = z.strictObject({
  to: z
    .array(mailAddress())
    .min(1, { error: 'at least one address' })
    .max(50, { error: 'at most 50 addresses' })
    .describe('Recipients.'),
})

/** The address of a webhook, and the token that identifies Callsheet to its receiver. */
export const webhookSecrets = {
  url: secret().describe('A secret: the https URL of the webhook.'),
  bearer: orNull(secret(), 'A secret to send as a bearer token.'),
}

const webhook = z.strictObject({
  ...webhookSecrets,
  form: z
    .enum(['json', 'slack'])
    .default('json')
    .describe('json: all facts. slack: one text, for Slack and compatible services.'),
})

/** A program and its arguments, which no shell interprets. */
export const commandWords = () =>
  z
    .array(
      z
        .string()
        .max(4096)
        .refine((word) => !word.includes('\0'), { error: 'a word without NUL' }),
    )
    .min(1, { error: 'a program and its arguments' })
    .max(100)
    .refine(([program]) => program !== '', { error: 'a program and its arguments' })

export const alertSettings = z
  .strictObject({
    level: z
      .enum(['red', 'amber'])
      .default('red')
      .describe('red: alert if data is missing or will be lost. amber: also alert to risks.'),
    mail: orNull(mail, '{to: [addresses]}: send alerts by mail, through the server in mail.'),
    webhook: orNull(webhook, '{url, form, bearer}: post alerts to a webhook.'),
    command: orNull(
      commandWords(),
      'A program and its arguments, run for each alert without a shell.',
    ),
    ping: orNull(
      secret(),
      "A secret: the https URL of a dead man's switch, requested at each check without a red cause.",
    ),
  })
  .describe('Where to send alerts.')
