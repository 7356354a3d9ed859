import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { DeliveryError } from '../../core/errors.ts'
import { type Attachment, type Message, MOST_ATTACHED_BYTES, oneLine } from './message.ts'

/** An attachment with its bytes in memory. */
export interface ReadAttachment {
  name: string
  contentType: string
  bytes: Buffer
}

/** Reads attachments from their files. Rejects before reading if together they are too large to send. */
export async function readAttachments(
  tried: string,
  attachments: readonly Attachment[],
): Promise<ReadAttachment[]> {
  let total = 0
  for (const attachment of attachments) total += await sizeOf(tried, attachment)
  if (total > MOST_ATTACHED_BYTES)
    throw new DeliveryError('message_too_large', false, {
      tried,
      expected: `at most ${MOST_ATTACHED_BYTES} bytes`,
      came: `the attached files have ${total} bytes`,
      todo: 'send fewer formats, or deliver the report to a folder or bucket',
    })
  return await Promise.all(
    attachments.map(async ({ name, contentType, content }) => ({
      name: oneLine(basename(name)),
      contentType: oneLine(contentType),
      bytes: 'path' in content ? await read(tried, content.path) : Buffer.from(content),
    })),
  )
}

async function sizeOf(tried: string, { content }: Attachment): Promise<number> {
  if (!('path' in content)) return content.length
  const { size } = await stat(content.path).catch((error: unknown) => refuse(tried, error))
  return size
}

async function read(tried: string, path: string): Promise<Buffer> {
  return await readFile(path).catch((error: unknown) => refuse(tried, error))
}

function refuse(tried: string, error: unknown): never {
  const { code = 'error' } = error as NodeJS.ErrnoException
  throw new DeliveryError('attachment_unreadable', false, {
    tried,
    came: `an attached file cannot be read (${code})`,
    todo: 'check that the files exist and that this user can read them',
  })
}

/** Returns a message as JSON for webhooks and commands, with files in base64. */
export async function messageJson(message: Message, tried: string): Promise<string> {
  const { subject, text, facts, attachments = [] } = message
  const files = await readAttachments(tried, attachments)
  return JSON.stringify({
    version: 1,
    subject,
    text,
    ...facts,
    ...(files.length === 0
      ? {}
      : {
          attachments: files.map(({ name, contentType, bytes }) => ({
            name,
            contentType,
            base64: bytes.toString('base64'),
          })),
        }),
  })
}
