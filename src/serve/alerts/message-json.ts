import type { Message } from './message.ts'
import { readAttachments } from './read-attachments.ts'

/** A message as programs get it, by webhook or on standard input; files go along in base64. */
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
