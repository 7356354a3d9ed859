/** A file that goes along with a message, from memory or from a path. */
export interface Attachment {
  /** As the receiver sees it, without folders. */
  name: string
  content: Uint8Array | { path: string }
  /** Its media type, as `text/csv`. */
  contentType: string
}

/** What is said to people and programs, whatever the channel. It holds no secret and no personal data. */
export interface Message {
  /** One line. */
  subject: string
  text: string
  /** The same as a page, for those who read mail as pages. */
  html?: string
  attachments?: readonly Attachment[]
  /** The same for programs: it becomes part of the JSON of webhooks and commands. */
  facts: Readonly<Record<string, unknown>>
}

export type ChannelName = 'mail' | 'webhook' | 'command'

/** One way to tell people. */
export interface Channel {
  name: ChannelName
  /**
   * Resolves when the other side has taken the message, with a remark if not all of it arrived. Rejects
   * with a TellError if nothing did; then it may be sent again.
   */
  send(message: Message, signal?: AbortSignal): Promise<string | undefined>
}

/** The most that the attachments of a message may hold together, before they are encoded. */
export const MOST_ATTACHED_BYTES = 20 * 2 ** 20

/**
 * Text for a header or a subject: no breaks and nothing that acts on a terminal, cut where it is too long.
 */
export function oneLine(text: string, longest = 200): string {
  const plain = text.replace(UNSAFE, ' ').replace(/ {2,}/g, ' ').trim()
  return plain.length > longest ? `${cutAt(plain, longest - 1).trimEnd()}…` : plain
}

/** No letter of two halves is cut in the middle. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu
