/** A part of the package that the base writer does not know. */
export interface Part {
  name: string
  xml: string
  contentType?: string
}

/** The link's cell and its target: `'Quality by day'!A1`. */
export interface Link {
  cell: string
  location: string
}

export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function xmlEscape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export function hyperlinks(links: readonly Link[]): string {
  if (links.length === 0) return ''
  const items = links.map(
    ({ cell, location }) => `<hyperlink ref="${cell}" location="${xmlEscape(location)}"/>`,
  )
  return `<hyperlinks>${items.join('')}</hyperlinks>`
}

/**
 * Adds the quote prefix to the styles made by `quoted`. Without it, text such as `=1+1` becomes a formula as
 * soon as a person edits its cell.
 */
export function withQuotePrefix(xml: string): string {
  return xml.replace(
    /<xf ([^>]*)>(<alignment [^>]*readingOrder="1"[^>]*\/>)/g,
    (_all, xf, inner) => `<xf ${String(xf)} quotePrefix="1">${String(inner)}`,
  )
}
