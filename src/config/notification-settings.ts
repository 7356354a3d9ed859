import { z } from 'zod'

const header = (standard: string) =>
  z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/, { error: 'a header in lower case' })
    .default(standard)

export const notificationSettings = z
  .strictObject({
    host: z
      .string({ error: 'an address of this machine' })
      .regex(/^[\w.:-]{1,100}$/, { error: 'an address of this machine' })
      .default('127.0.0.1')
      .describe(
        'The address to listen on; the machine itself, behind what speaks TLS to the world.',
      ),
    port: z.int().min(0).max(65_535).default(8090).describe('The port; 0 takes a free one.'),
    signatureHeader: header('x-svc-signature').describe('The header with the signature.'),
    timestampHeader: header('x-svc-request-timestamp').describe('The header with the signed time.'),
    signaturePrefix: z
      .string()
      .regex(/^[\w-]{1,20}$/, { error: 'a short word' })
      .default('v0')
      .describe('Begins the signature, and what is signed.'),
    erasureHours: z
      .int()
      .min(1)
      .max(720)
      .default(24)
      .describe('Within how many hours the data of a person who removed the app must be erased.'),
  })
  .describe('Where the service tells by itself what happens.')
