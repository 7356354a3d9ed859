import { z } from 'zod'

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
  })
  .describe('Where the service tells by itself what happens.')
