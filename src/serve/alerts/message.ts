/** A file to send with a message, from memory or from a path. */
export interface Attachment {
  /** The file name that the receiver sees, without folders. */
  name: string
  content: Uint8Array | { path: string }
  /** A media type, such as `text/csv`. */
  contentType: string
}

/** A message on any channel. Its texts contain no secrets, and name no person but the owner of a cut. */
export interface Message {
  /** One line. */
  subject: string
  text: string

  attachments?: readonly Attachment[]
  /** The message for programs, merged into the JSON of commands and of webhooks with `form: json`. */
  facts: Readonly<Record<string, unknown>>
}

export type ChannelName = 'mail' | 'webhook' | 'command'

export interface Channel {
  name: ChannelName
  /**
   * Resolves when the receiver has accepted the message, with a remark if it refused some addresses. Rejects
   * otherwise, although the message may have arrived; the caller may send it again.
   */
  send(message: Message, signal?: AbortSignal): Promise<string | undefined>
}

/** The maximum size of all attachments of a message together, before encoding. */
export const MOST_ATTACHED_BYTES = 20 * 2 ** 20

/** Makes text for a header or subject, without line breaks and control characters, truncated if too long. */
export function oneLine(text: string, longest = 200): string {
  const plain = text.replace(UNSAFE, ' ').replace(/ {2,}/g, ' ').trim()
  return plain.length > longest ? `${cutAt(plain, longest - 1).trimEnd()}…` : plain
}

/** Truncates without splitting a surrogate pair. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu
