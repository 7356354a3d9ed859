import { z } from 'zod'
import { orNull, secret, whole } from './fields.ts'

/** Accepts only a plain address: a display name could inject separators of addresses or headers. */
export const mailAddress = () =>
  z
    .string({ error: ADDRESS })
    .max(254, { error: ADDRESS })
    .regex(/^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i, { error: ADDRESS })
const ADDRESS = 'a mail address without a name, as operators@example.com'

const fields = z.strictObject({
  host: orNull(
    z
      .string({ error: 'the name of a mail server' })
      .regex(/^[a-z0-9.:-]{1,253}$/i, { error: 'the name of a mail server, without its port' }),
    'Host of the SMTP server; null: send no mail.',
  ),
  port: whole(1, 65_535)
    .default(587)
    .describe('Port: 587 with STARTTLS, 465 with TLS from the first byte.'),
  user: orNull(
    z.string({ error: 'a user name' }).min(1).max(254),
    'User name for the login; null: no login.',
  ),
  password: orNull(secret(), 'A secret: env:NAME or file:path.'),
  from: orNull(mailAddress(), 'Sender address.'),
})

export const mailSettings = fields
  .superRefine(({ host, user, password, from }, issues) => {
    const refuse = (field: keyof z.output<typeof fields>, message: string, required: boolean) =>
      issues.addIssue({ code: 'custom', path: [field], message, params: { required } })
    if (host !== null && from === null) refuse('from', 'a mail address', true)
    if (user !== null && password === null) refuse('password', 'env:NAME or file:path', true)
    if (user === null && password !== null) refuse('user', 'a user name', true)
  })
  .describe('SMTP server for alerts and reports.')
