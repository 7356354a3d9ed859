export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The first value of a header; its name in lower case. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** What names a request to the service's support, without characters that could forge a line of a log. */
export function trackingId(headers: AnswerHeaders): string | undefined {
  return header(headers, 'x-svc-trackingid')
    ?.replace(/[^\w.:=+/-]/g, '')
    .slice(0, 128)
}

/** The same as the end of a sentence. */
export function trackingNote(headers: AnswerHeaders): string {
  const id = trackingId(headers)
  return id === undefined ? '' : ` (x-svc-trackingid ${id})`
}
