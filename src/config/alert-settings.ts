import { z } from 'zod'
import { secret } from './fields.ts'
import { mailAddress } from './mail-settings.ts'

const mail = z.strictObject({
  to: z
    .array(mailAddress())
    .min(1, { error: 'at least one address' })
    .max(50, { error: 'at most 50 addresses' })
    .describe('Who gets them.'),
})

/** The address of a webhook, and the token that identifies Callsheet to its receiver. */
export const webhookSecrets = {
  url: secret().describe('A secret: the https address that messages are posted to.'),
  bearer: secret()
    .nullable()
    .default(null)
    .describe('A secret that is sent along as a bearer token.'),
}

const webhook = z.strictObject({
  ...webhookSecrets,
  form: z
    .enum(['json', 'slack'])
    .default('json')
    .describe('json: all facts; slack: one text, as Slack and its likes take it.'),
})

/** The recipients and channels of alerts. */
export const alertSettings = z
  .strictObject({
    level: z
      .enum(['red', 'amber'])
      .default('red')
      .describe('red: only what is missing or will be lost; amber: what may become so, too.'),
    mail: mail
      .nullable()
      .default(null)
      .describe('{to: [addresses]}: mails alerts by the server of the setting mail.'),
    webhook: webhook
      .nullable()
      .default(null)
      .describe('{url, form, bearer}: posts alerts to an address.'),
    command: z
      .array(
        z
          .string()
          .max(4096)
          .refine((word) => !word.includes('\0'), { error: 'a word without NUL' }),
      )
      .min(1, { error: 'a program and its arguments' })
      .max(100)
      .refine(([program]) => program !== '', { error: 'a program and its arguments' })
      .nullable()
      .default(null)
      .describe('A program and its arguments, started for each message without a shell.'),
    ping: secret()
      .nullable()
      .default(null)
      .describe(
        "A secret: the https address of a dead man's switch, pinged at each check without a red cause.",
      ),
  })
  .describe('Who is notified when something is wrong.')
